"""An installation of Variorum that is thrown away, for benchmarks of the application."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager


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
