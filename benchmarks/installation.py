"""An installation of Variorum that is thrown away, for benchmarks of the application."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict

from benchmarks.harness import Row


def on_both_databases(module: str) -> Iterator[Row]:
    """What a module measures with `tell_rows`, on SQLite and then on PostgreSQL.

    Each in a process of its own, for Django is set up once in a process.
    """
    here = [sys.executable, "-m", module]
    for command in (here, [sys.executable, "-m", "tests.on_postgres", *here]):
        measured = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        for line in measured.stdout.splitlines():
            yield Row(**json.loads(line))


def tell_rows(rows: Iterable[Row]) -> None:
    """Print rows for `on_both_databases`, as they come."""
    for row in rows:
        print(json.dumps(asdict(row)), flush=True)


@contextmanager
def scratch_installation(**environment: str) -> Iterator[str]:
    """Django on an empty database, with a data folder of its own; yields the database's name.

    PostgreSQL where tests.on_postgres has started one, else SQLite. Once a process: what a
    benchmark needs of the application it imports within.
    """
    url = os.environ.get("VARIORUM_TEST_DATABASE_URL")
    # Short, for sockets lie in it.
    with tempfile.TemporaryDirectory(prefix="vb-", dir="/tmp") as folder:
        os.environ |= {"VARIORUM_DATA": folder, **environment}
        if url:
            os.environ["DATABASE_URL"] = url
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        yield "PostgreSQL" if url else "SQLite"
