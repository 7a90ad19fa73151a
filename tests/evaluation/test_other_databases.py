"""A bundle written on PostgreSQL and read into SQLite, by the commands, each on its database."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from tests.on_postgres import scratch_postgres

_ROOT = Path(__file__).resolve().parents[2]
# Exclusion, erasure and an amendment, so that every kind of row crosses over.
_STUDY = """
import django
django.setup()
from django.contrib.auth.models import User
from studies.actions.participants import erase, exclude
from studies.actions.running import amend_conduct
from studies.core.conduct import Conduct
from tests.evaluation.answered import make_answered
owner = User.objects.create_user("rosa")
study = make_answered(owner, sentences=16)
judges = study.participants.filter(judgments__isnull=False).distinct().order_by("pk")
exclude(judges[0], "slept")
erase(judges[1])
amend_conduct(study, Conduct(eval_seconds=300), reason="too slow", author=owner)
print(study.pk)
"""


@pytest.fixture
def run():
    """Runs Python in a process of its own, with a database of its own."""
    with tempfile.TemporaryDirectory(prefix="vt-", dir="/tmp") as folder:

        def python(*arguments: str, database: str) -> str:
            environment = os.environ | {
                "DATABASE_URL": database,
                "VARIORUM_DATA": folder,
                "DJANGO_SETTINGS_MODULE": "config.settings",
            }
            done = subprocess.run(
                [sys.executable, *arguments],
                cwd=_ROOT, env=environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
            assert done.returncode == 0, done.stderr
            return done.stdout

        yield python


@pytest.mark.slow
def test_every_figure_is_the_same_on_postgresql_and_sqlite(run, tmp_path):
    sqlite = f"sqlite:///{tmp_path}/here.sqlite3"
    there, here = tmp_path / "there.zip", tmp_path / "here.zip"
    with scratch_postgres() as postgres:
        run("manage.py", "migrate", "--verbosity", "0", database=postgres)
        study = run("-c", _STUDY, database=postgres).strip()
        run("manage.py", "export_study", study, str(there), database=postgres)
    run("manage.py", "migrate", "--verbosity", "0", database=sqlite)
    create_user = "from django.contrib.auth.models import User; User.objects.create_user('kurt')"
    run("manage.py", "shell", "--verbosity", "0", "--command", create_user, database=sqlite)
    said = run("manage.py", "import_study", str(there), "--owner", "kurt", database=sqlite)
    assert "Every figure of its report is the same." in said
    run("manage.py", "export_study", "1", str(here), database=sqlite)
    reports = [zipfile.ZipFile(path).read("report.json") for path in (there, here)]
    assert len(reports[0]) > 50_000
    assert reports[0] == reports[1]
