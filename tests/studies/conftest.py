from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from tests.queueing import ROOT, test_database_url, wait_until


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class WebServer:
    """A granian of its own, on the database of the test."""

    def __init__(self) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = settings.DATA_DIR / f"web-{self.port}.log"
        self.start()

    def start(self) -> None:
        program = str(Path(sys.executable).parent / "granian")
        command = [program, "--interface", "wsgi", "--workers", "1", "--blocking-threads", "8"]
        command += ["--host", "127.0.0.1", "--port", str(self.port), "config.wsgi:application"]
        # Static files straight from the tree, for a test collects none.
        environment = os.environ | {
            "DATABASE_URL": test_database_url(),
            "VARIORUM_DEBUG": "true",
            "VARIORUM_LOG_LEVEL": "ERROR",
        }
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True
            )
        wait_until(self._answers, seconds=60, what=f"for {self.address}")

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def kill(self) -> None:
        """As a power cut would: nothing is finished, nobody is told."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(20)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture
def web_servers(transactional_db) -> Iterator[list[WebServer]]:
    """Two web servers that share the test's database, as two machines would."""
    servers = [WebServer(), WebServer()]
    yield servers
    for server in servers:
        server.stop()
