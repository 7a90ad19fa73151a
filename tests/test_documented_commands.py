"""Every command that the documentation shows is run, as it stands there, or said why not.

The pages' commands are given one after the other in a folder that holds what they take for granted,
in an installation of its own that runs as `make run` does: docs/own-data.md first, whose study and
system the other pages may use.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.decoding import moses_toy

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
# What a line of a code block begins with if it is a command.
COMMAND = re.compile(
    r"(?:\$ )?(?:\w+=\S+ )*((?:\.venv/bin/)?(?:python|celery|granian)\b|manage\.py\b|make\b|git\b|"
    r"(?:sudo|apt|pip|uv|cp|tar|curl|docker|sqlite3|psql|pg_\w+|redis-cli|systemctl|set) )"
)

# Those that no test runs from the page, by how they begin, and why.
NOT_RUN = {
    "make run": "does not end; tests/config/test_supervisor.py starts what it starts",
    "make worker": "does not end; tests/queueing.py starts the same program",
    "make test": "is this",
    "make quick": "is part of this",
    "make check": "is done before this, by make test",
    "make bench": "takes an hour; tests/test_docs.py compares its report with its figures",
    "make format": "changes the tree",
    "make .venv/runs": "installs; whoever runs this has done it",
    ".venv/bin/granian": "does not end; manage.py up starts it so",
    ".venv/bin/celery": "does not end; manage.py up starts it so",
    ".venv/bin/python manage.py createsuperuser": "asks at the terminal",
    "python manage.py demo": "takes minutes; tests/config/test_demonstration.py makes and deletes it",
    "git pull": "changes the tree",
    "set -a": "is about a machine of its own, with its /etc",
    "sqlite3": "is a program of the machine, which need not be here",
    "pg_dump": "is about a machine of its own",
    "tar": "is about a machine of its own",
    "systemctl": "is about a machine of its own",
}


def commands_of(page: Path) -> list[str]:
    """The commands of its code blocks, in order."""
    found, fenced = [], False
    for line in page.read_text().splitlines():
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif (fenced or line.startswith("    ")) and COMMAND.match(line.strip()):
            found.append(line.strip().removeprefix("$ "))
    return found


def is_run(command: str) -> bool:
    return not any(re.match(rf"{re.escape(begin)}(\W|$)", command) for begin in NOT_RUN)


RUN = {
    str(page.relative_to(ROOT)): commands
    # Exports last: who imports a study has a second one of its name.
    for page in sorted(PAGES, key=lambda page: (page.stem == "exports", page))
    # Written from --help, so it shows how commands are used, and nothing to be typed.
    if page.name not in ("commands.md", "architecture.md")
    and (commands := [one for one in commands_of(page) if is_run(one)])
}
FIRST = "docs/own-data.md"
DEV = 24  # sentences to tune on


class Installation:
    """Variorum as `make run` runs it, and a folder in which people type commands."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.typed_in = folder, folder / "typed"
        self.said: list[str] = []
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.environment = os.environ | {
            "VARIORUM_DATA": str(folder),
            "VARIORUM_ADDRESS": self.address,
            "VARIORUM_DEMONSTRATION": "false",
            "DATABASE_URL": "",
        }
        self.environment.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # the browser's tests set it
        self.up = subprocess.Popen(
            [sys.executable, ROOT / "manage.py", "up"], env=self.environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert self.up.stdout is not None
        said = []
        for line in self.up.stdout:
            said.append(line)
            if "Variorum is at" in line:
                return
        raise AssertionError("".join(said))

    def type(self, command: str) -> str:
        """What the command says; it must end well."""
        line = re.sub(
            r"^((?:\w+=\S+ )*)(?:\S*python )?manage\.py",
            rf"\g<1>{sys.executable} {ROOT}/manage.py",
            command,
        ).replace("http://127.0.0.1:8000", f"http://{self.address}")
        done = subprocess.run(
            line, shell=True, cwd=self.typed_in, env=self.environment, text=True,
            capture_output=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def close(self) -> None:
        self.up.terminate()
        self.up.wait(20)


@pytest.fixture(scope="module")
def installation():
    folder = Path(tempfile.mkdtemp(prefix="vd-", dir="/tmp"))  # short, for it holds a socket
    running = Installation(folder)
    try:
        lay_out(running.typed_in)
        running.said = [running.type(command) for command in RUN[FIRST]]
        lay_out_made(running.typed_in)
        running.type(
            'manage.py shell --verbosity 0 --command "from django.contrib.auth.models import User;'
            " User.objects.create_user('rosa')\""
        )
        yield running
    finally:
        running.close()
        shutil.rmtree(folder, ignore_errors=True)


def lay_out(typed_in: Path) -> None:
    """Invented text under the names of other people's, and a small system of Moses's."""
    mine = typed_in / "mine"
    call_command("invent_corpus", output=mine, train=500, tune=12, test=64, verbosity=0)
    for invented, names in {
        "train.qaa": ("mine/train.de", "train.de"),
        "train.en": ("mine/train.en", "train.en"),
        "tune.qaa": ("mine/val.de", "val.de"),
        "tune.en.0": ("mine/val.en", "val.en"),
        "test.qaa": ("mine/test2016.de", "test.de", "raw.de"),
        "test.en.0": ("mine/test2016.en", "test.en"),
    }.items():
        text = (mine / invented).read_text()
        for name in names:
            write_gz(typed_in / f"{name}.gz", text)
            if not name.startswith("mine/"):
                (typed_in / name).write_text(text)
    (typed_in / "model").mkdir()
    moses_toy.write_toy(typed_in / "model")


def lay_out_made(typed_in: Path) -> None:
    """What other pages take for granted, out of what the first one made."""
    shutil.copytree(typed_in / "mine/system", typed_in / "DIR")
    for side, names in {
        "de": ("dev.de",),
        "en": ("dev.en", *(f"dev.en.{n}" for n in range(3))),
    }.items():
        lines = (typed_in / f"mine/test.{side}").read_text().splitlines(keepends=True)
        for name in names:
            (typed_in / name).write_text("".join(lines[:DEV]))
    lists: dict[str, list[str]] = {}
    for line in (typed_in / "mine/test.best").read_text().splitlines(keepends=True):
        lists.setdefault(line.partition(" ")[0], []).append(line)
    best = "".join("".join(lists[str(n)][:20]) for n in range(DEV))
    for name in ("dev.nbest.gz", "run1.gz", "run2.gz"):
        write_gz(typed_in / name, best)


def write_gz(path: Path, text: str) -> None:
    path.write_bytes(gzip.compress(text.encode()))


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.xdist_group("documented commands")
@pytest.mark.parametrize("document", RUN)
def test_every_command_of_a_page_runs_as_it_stands_there(installation, document):
    if document == FIRST:
        typed_in = installation.typed_in
        assert any(said.startswith("bleu|") for said in installation.said)
        assert any(said.startswith("My study (simulated)") for said in installation.said)
        assert (typed_in / "study.zip").stat().st_size > 10_000
        return
    for command in RUN[document]:
        installation.type(command)


def test_every_reason_is_about_a_command_that_is_documented():
    shown = [command for page in PAGES for command in commands_of(page)]
    for begin in NOT_RUN:
        assert any(command.startswith(begin) for command in shown), begin
