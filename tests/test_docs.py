"""What the documentation names is there, and what is there is named."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command, get_commands

from benchmarks.__main__ import REPORT, RESULTS
from benchmarks.report import report
from config import environment
from tests.commands import PAGE, command_reference

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
TEXT = {str(page.relative_to(ROOT)): page.read_text() for page in PAGES}
OURS = {"config", "decoding", "studies", "evaluation"}


@pytest.mark.parametrize("document", TEXT)
def test_commands_that_are_named_exist(document):
    named = set(re.findall(r"manage\.py ([a-z_]+)", TEXT[document]))
    assert named <= set(get_commands())


@pytest.mark.parametrize("document", TEXT)
def test_make_targets_that_are_named_exist(document):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^    |`|\S=\S+ )make ([a-z]+)", TEXT[document], re.MULTILINE))
    assert named <= targets


@pytest.mark.parametrize("document", TEXT)
def test_links_lead_somewhere(document):
    folder = (ROOT / document).parent
    for target in re.findall(r"\]\(([^)#]+)", TEXT[document]):
        if "://" not in target:
            assert (folder / target).exists(), target


def test_our_commands_are_documented():
    ours = {name for name, app in get_commands().items() if app in OURS}
    everything = "\n".join(TEXT.values())
    missing = {name for name in ours if f"manage.py {name}" not in everything}
    assert not missing


def test_the_command_reference_is_what_the_commands_say():
    assert PAGE.read_text() == command_reference(), "write it anew: python -m tests.commands"


def test_the_benchmark_report_has_every_kept_figure():
    made = report(RESULTS)
    for kept in RESULTS.glob("*.json"):
        assert f"\n## {kept.stem}\n" in made
        assert f"\n## {kept.stem}\n" in REPORT.read_text(), "python -m benchmarks --report"
        for row in json.loads(kept.read_text())["rows"]:
            assert f"| {row['name'].replace('|', chr(92) + '|')} |" in made


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_commands_for_ones_own_data_run_one_after_the_other(tmp_path, monkeypatch):
    """docs/own-data.md, line by line, with invented text for Multi30k's files."""
    mine = tmp_path / "mine"
    call_command("invent_corpus", output=mine, train=400, tune=12, test=12, verbosity=0)
    for invented, name in (
        ("train.qaa", "train.de"), ("train.en", "train.en"),
        ("tune.qaa", "val.de"), ("tune.en.0", "val.en"),
        ("test.qaa", "test2016.de"), ("test.en.0", "test2016.en"),
    ):  # fmt: skip
        (mine / f"{name}.gz").write_bytes(gzip.compress((mine / invented).read_bytes()))
    lines = re.findall(r"^    python (manage\.py .*)$", TEXT["docs/own-data.md"], re.MULTILINE)
    # Those before the one that gives the system to somebody, who is not in this database.
    for line in lines[: next(n for n, line in enumerate(lines) if "add_system" in line)]:
        said = subprocess.run(
            f"{sys.executable} {ROOT}/{line}",
            shell=True, cwd=tmp_path, capture_output=True, text=True,
        )  # fmt: skip
        assert said.returncode == 0, f"{line}\n{said.stderr}"
    assert len((mine / "test.diverse").read_text().splitlines()) >= 12


def test_every_setting_is_documented():
    reader_asks_for = set(
        re.findall(r'"((?:VARIORUM_|ALLOWED_|DATABASE_|REDIS_|SECRET_)\w+)"',
                   Path(environment.__file__).read_text())
    )  # fmt: skip
    for_tests = {"VARIORUM_REFERENCE_DATA", "VARIORUM_TEST_DATABASE_URL"}
    for name in reader_asks_for - for_tests:
        assert name in TEXT["docs/operations.md"], name
