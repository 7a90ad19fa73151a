"""A real broker and real Celery workers for tests, started and stopped by the test itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db import connection

from config import supervisor
from config.environment import embedded_socket

ROOT = Path(__file__).resolve().parent.parent


def test_database_url() -> str:
    """Where another process finds the database that this test uses."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(settings.ENVIRONMENT.database_url)._replace(path=f"/{name}"))


def wait_until(condition: Callable[[], object], *, seconds: float = 30, what: str = "") -> None:
    """Ask again and again, and fail loudly; the only waiting that a test may do."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"waited {seconds} s in vain {what}"
        time.sleep(0.05)


class Queue:
    """Valkey on the socket where settings expect it, and as many workers as a test asks for."""

    def __init__(self) -> None:
        self.socket = embedded_socket(settings.DATA_DIR)
        self.log = settings.DATA_DIR / "queue.log"
        self.processes: list[subprocess.Popen[bytes]] = []
        self.broker = self._start_broker()

    def worker(self) -> subprocess.Popen[bytes]:
        return self._run(list(supervisor.worker().command))

    def restart_broker(self) -> None:
        self.stop_broker()
        self.broker = self._start_broker()

    def stop_broker(self) -> None:
        self.broker.kill()
        self.broker.wait()
        self.socket.unlink(missing_ok=True)

    def close(self) -> None:
        for process in self.processes:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()

    def _start_broker(self) -> subprocess.Popen[bytes]:
        process = self._run(list(supervisor.broker(self.socket).command))
        wait_until(self.socket.exists, what="for the broker's socket")
        return process

    def _run(self, command: list[str]) -> subprocess.Popen[bytes]:
        environment = os.environ | {"DATABASE_URL": test_database_url()}
        with self.log.open("ab") as log:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        self.processes.append(process)
        return process


def finished(job) -> bool:
    job.refresh_from_db()
    return job.is_finished


def manage(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    """``manage.py`` as a process of its own, its output read as text."""
    # Python writes to a pipe when it likes, unless it is told otherwise: by the command, not here.
    around = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=ROOT,
        env=around | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
