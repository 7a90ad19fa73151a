"""`manage.py up` as a person starts, stops, kills and misuses it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sqlite3
import tempfile
import urllib.request
from pathlib import Path

import pytest

from config import supervisor
from tests.queueing import manage, wait_until

slow = pytest.mark.slow


@pytest.fixture
def data():
    """A data folder whose path is short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="vu-", dir="/tmp"))
    yield folder
    for pid in processes_of(folder):
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


def up(data, address):
    # Not the database that the tests run on: this is about what a newcomer gets.
    return manage(
        "up",
        VARIORUM_DATA=str(data),
        VARIORUM_ADDRESS=address,
        DATABASE_URL="",
        VARIORUM_DEMONSTRATION="false",
    )


def processes_of(data: Path) -> list[int]:
    """The processes that have this data folder in their environment or their command."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                about = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
                state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if os.fsencode(data) in about and state != "Z":
                found.append(int(entry.name))
    return found


def started(process):
    """Its output up to the line with the address."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Variorum is at" in line:
            return "".join(lines)
    raise AssertionError(f"it ended: {''.join(lines)}")


def stop(process, number=signal.SIGINT):
    process.send_signal(number)
    return process.wait(10)


@slow
def test_the_first_start_the_second_and_nothing_left_behind(data, address):
    first = up(data, address)
    assert re.search(r"Password \(shown once\): +\S{12,}", started(first))
    with urllib.request.urlopen(f"http://{address}/account/login/", timeout=10) as page:
        assert page.status == 200
    assert len(processes_of(data)) >= 4
    stop(first)
    assert processes_of(data) == []

    second = up(data, address)
    assert "Password" not in started(second)
    stop(second, signal.SIGTERM)
    assert processes_of(data) == []


@slow
def test_a_killed_supervisor_leaves_no_orphans_and_its_job_goes_on(data, address):
    first = up(data, address)
    started(first)
    with sqlite3.connect(data / "variorum.sqlite3") as database:
        database.execute(
            "INSERT INTO decoding_job (kind, title, parameters, owner_id, state, done, message,"
            " result, error, traceback, attempts, stalls, done_before, created_at) VALUES"
            " ('self-test', 'Self-test', '{\"pieces\": 60, \"seconds_per_piece\": 0.1}', 1,"
            " 'queued', 0, '', '{}', '', '', 0, 0, 0, '2026-01-01')"
        )

    def job():
        with sqlite3.connect(data / "variorum.sqlite3", timeout=20) as database:
            return database.execute("SELECT state, done FROM decoding_job").fetchone()

    wait_until(lambda: job()[1] >= 3)
    first.kill()
    first.wait()
    wait_until(lambda: processes_of(data) == [], seconds=10, what="for the children to end")

    second = up(data, address)
    assert "Taking up 1 unfinished job." in started(second)
    wait_until(lambda: job() == ("done", 60))
    stop(second)


@slow
def test_a_worker_that_dies_is_started_again(data, address):
    running = up(data, address)
    started(running)
    (worker,) = [
        pid for pid in processes_of(data)
        if b"celery" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]  # fmt: skip
    # What dies within its first seconds is not started again and again.
    wait_until(lambda: age(worker) > 6, what="for the worker to be old enough")
    os.kill(worker, signal.SIGKILL)
    assert "worker died; starting it again" in next(
        line for line in running.stdout if "died" in line
    )
    stop(running)


def age(pid: int) -> float:
    started_at = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    up_for = float(Path("/proc/uptime").read_text().split()[0])
    return up_for - started_at / os.sysconf("SC_CLK_TCK")


@slow
def test_a_second_start_on_the_same_folder_is_one_sentence(data, address):
    first = up(data, address)
    started(first)
    second = up(data, "127.0.0.1:1")
    said = second.communicate(timeout=30)[0]
    assert second.returncode == 1
    assert said.strip() == (
        f"Variorum runs already on the data folder {data} (process {first.pid}). "
        "Stop it first, or set VARIORUM_DATA to another folder."
    )
    stop(first)


@slow
def test_a_taken_port_is_one_sentence(data, address):
    host, port = address.split(":")
    with socket.socket() as other:
        other.bind((host, int(port)))
        other.listen()
        refused = up(data, address)
        said = refused.communicate(timeout=30)[0]
    assert refused.returncode == 1
    assert said.startswith(f"Cannot serve on {address}: Address already in use.")
    assert len(said.strip().splitlines()) == 1


@slow
def test_a_folder_that_cannot_be_written_is_one_sentence(data, address):
    (data / "file").write_text("")
    refused = up(data / "file" / "data", address)
    said = refused.communicate(timeout=30)[0]
    assert refused.returncode == 1
    assert "set VARIORUM_DATA to another folder" in said
    assert len(said.strip().splitlines()) == 1


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 10, 0))
    with (
        pytest.raises(supervisor.CannotStart, match="is full: 0 MB free"),
        supervisor.locked_data_folder(tmp_path),
    ):
        pass


def test_a_child_that_cannot_start_is_told_with_its_last_words(tmp_path):
    keeper = supervisor.Supervisor(print, tmp_path / "log")
    child = supervisor.Child(
        "broker", ("sh", "-c", "echo no memory >&2; exit 1"), signal.SIGTERM, signal.SIGTERM
    )
    keeper.start(child)
    with pytest.raises(supervisor.CannotStart, match=r"broker did not start.*no memory"):
        keeper.wait_for(child, lambda: False)


def test_a_child_that_does_not_stop_is_killed(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "_STOP_SECONDS", 0.2)
    keeper = supervisor.Supervisor(print, tmp_path / "log")
    ready = tmp_path / "ready"
    stubborn = f"trap '' TERM; touch {ready}; while :; do sleep 0.05; done"
    child = supervisor.Child("web", ("sh", "-c", stubborn), signal.SIGKILL, signal.SIGTERM)
    keeper.start(child)
    keeper.wait_for(child, ready.exists)
    keeper.stop()
    assert keeper.running[child].returncode == -signal.SIGKILL


@slow
def test_reset_deletes_everything_but_not_under_a_running_one(data, address):
    running = up(data, address)
    started(running)
    refused = manage("reset", "--yes", VARIORUM_DATA=str(data))
    assert "runs already" in refused.communicate(timeout=30)[0]
    stop(running)
    done = manage("reset", "--yes", VARIORUM_DATA=str(data))
    assert "starts afresh" in done.communicate(timeout=30)[0]
    assert not data.exists()


@slow
def test_up_refuses_a_production_set_up():
    given = {"REDIS_URL": "redis://x", "SECRET_KEY": "x", "ALLOWED_HOSTS": "x"}
    done = manage("up", **given)
    assert "docs/operations.md" in done.communicate(timeout=30)[0]
    assert done.returncode == 1
