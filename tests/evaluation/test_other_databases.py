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
_THERE = """
import sys
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
call_command("migrate", verbosity=0)
from studies.actions.participants import erase, exclude
from studies.actions.running import amend_conduct
from studies.core.conduct import Conduct
from tests.evaluation.answered import make_answered
owner = User.objects.create_user("rosa")
study = make_answered(owner, sentences=12, judges=2)
judges = study.participants.filter(judgments__isnull=False).distinct().order_by("pk")
exclude(judges[0], "slept")
erase(judges[1])
amend_conduct(study, Conduct(eval_seconds=300), reason="too slow", author=owner)
call_command("export_study", study.pk, sys.argv[1])
"""
_HERE = """
import sys
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
call_command("migrate", verbosity=0)
User.objects.create_user("kurt")
call_command("import_study", sys.argv[1], owner="kurt")
call_command("export_study", 1, sys.argv[2])
"""


def run(script: str, *arguments: Path, database: str, data: str) -> str:
    """Run Python in a process of its own, with a database of its own."""
    environment = os.environ | {
        "DATABASE_URL": database,
        "VARIORUM_DATA": data,
        "DJANGO_SETTINGS_MODULE": "config.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        cwd=_ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_every_figure_is_the_same_on_postgresql_and_sqlite(tmp_path):
    there, here = tmp_path / "there.zip", tmp_path / "here.zip"
    with tempfile.TemporaryDirectory(prefix="vt-", dir="/tmp") as data:
        with scratch_postgres() as postgres:
            run(_THERE, there, database=postgres, data=data)
        said = run(_HERE, there, here, database=f"sqlite:///{tmp_path}/here.sqlite3", data=data)
    assert "Every figure of its report is the same." in said
    reports = [zipfile.ZipFile(path).read("report.json") for path in (there, here)]
    assert len(reports[0]) > 50_000
    assert reports[0] == reports[1]
