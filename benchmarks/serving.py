"""Web servers as in production, for benchmarks over HTTP."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class WebServer:
    """A running Granian: where it listens, and its main process."""

    address: str
    pid: int


@contextmanager
def web_servers(count: int) -> Iterator[list[WebServer]]:
    """Granian as in production, one worker process each."""
    processes, servers = [], []
    program = str(Path(sys.executable).parent / "granian")
    environment = os.environ | {"VARIORUM_DEBUG": "false", "VARIORUM_LOG_LEVEL": "ERROR"}
    subprocess.run(
        [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"],
        cwd=_ROOT,
        env=environment,
        check=True,
    )
    for _ in range(count):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = ["--interface", "wsgi", "--workers", "1", "--blocking-threads", "3"]
        where = ["--host", "127.0.0.1", "--port", str(port), "config.wsgi:application"]
        processes.append(
            subprocess.Popen(
                [program, *options, *where],
                cwd=_ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
                start_new_session=True,
            )
        )
        servers.append(WebServer(f"http://127.0.0.1:{port}", processes[-1].pid))
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
    try:
        yield servers
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
            process.wait(20)
