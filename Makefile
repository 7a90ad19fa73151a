# One word for each thing that one does here; `make help` lists them.

PYTHON ?= python3
BIN := .venv/bin

# pyproject.toml says what is needed, constraints.txt which versions were tested together.
install = $(BIN)/python -c 'import tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*(project | project["optional-dependencies"])["$(1)"], sep="\n")' >.venv/$(1).txt \
  && $(BIN)/python -m pip install --quiet --disable-pip-version-check -r .venv/$(1).txt -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help run test quick check bench format worker shell reset

help:  ## list these
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: .venv/runs  ## run Variorum on this machine (Ctrl-C stops it)
	@$(BIN)/python manage.py up

test: .venv/tests check  ## check, then run the whole suite: on SQLite, then what needs a database on PostgreSQL
	@$(BIN)/python -m tests.requirements
	$(BIN)/python -m pytest -n 2 --dist loadgroup
	$(BIN)/python -m tests.on_postgres $(BIN)/python -m pytest -m "database and not browser" -n 2 --dist loadgroup

quick: .venv/tests  ## run the quick tests only
	$(BIN)/python -m pytest -m "not slow and not browser" -n 2

check: .venv/tests  ## format, lint, types, who imports whom, templates, migrations
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo
	$(BIN)/mypy
	$(BIN)/djlint --quiet --check --lint templates
	$(BIN)/python manage.py makemigrations --check --dry-run

bench: .venv/tests  ## run the benchmarks, print their ratios (BENCH="name name" for some)
	$(BIN)/python -m benchmarks $(BENCH)

format: .venv/tests  ## format code and templates
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	-$(BIN)/djlint --quiet --reformat templates

worker: .venv/runs  ## run one more worker (REDIS_URL and DATABASE_URL say where)
	$(BIN)/celery --app config worker --loglevel INFO

shell: .venv/runs  ## a Python shell with the models loaded
	$(BIN)/python manage.py shell

reset:  ## delete everything that Variorum keeps on this machine (the data folder)
	@$(BIN)/python manage.py reset

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Variorum needs Python 3.11 or newer. Name one: make $(MAKECMDGOALS) PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -m venv .venv >/dev/null 2>&1 \
	  || { rm -rf .venv; [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-venv >/dev/null && $(PYTHON) -m venv .venv; } \
	  || { rm -rf .venv; echo "Python cannot make an environment here. Install it once: sudo apt install python3-venv"; exit 1; }

.venv/runs: .venv/bin/python pyproject.toml constraints.txt
	@echo "Installing what Variorum needs into .venv ..."
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(BIN)/python -m ensurepip >/dev/null
	@$(call install,dependencies)
	@touch $@

.venv/tests: .venv/runs
	@echo "Installing what the tests need ..."
	@$(call install,dev)
	@$(call install,kenlm) >/dev/null 2>&1 \
	  || echo "kenlm needs a C++ compiler and Python's headers (apt install g++ python3-dev); its comparisons are left out."
	@touch $@
