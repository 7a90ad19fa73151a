"""The one way to write a job.

A kind of job is a function in an app's tasks.py::

    @job("make-lists", title="Make translation lists")
    def make_lists(run: JobRun) -> dict:
        segments = ...run.parameters["corpus"]...
        run.expect(len(segments))
        for segment in segments[run.done:]:           # after a crash: only what is missing
            lists = decode(segment)                   # long, outside any transaction
            with run.piece(message=str(segment)):     # short: rows and progress in one commit
                save(lists)
        return {"lists": ...}                         # shown with the job

`JobRun.piece` is one transaction that commits the piece's rows and the job's progress together,
and only while the job is still this worker's. So nothing is lost and nothing done twice, however
often workers die or messages double.
"""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, connections, transaction
from django.db.models import F
from django.db.models.functions import Now

from decoding.disk import full_disk
from decoding.models import Job
from decoding.queries.asked import OUT_OF_SIGHT, is_out_of_sight
from evaluation.core.errors import VariorumError

_log = logging.getLogger(__name__)

_UNREACHABLE = (OperationalError, InterfaceError)  # or so it seems: see _database_answers

# Set when the worker is asked to stop: its jobs are put back at their next piece.
worker_stops = threading.Event()


class JobStopped(Exception):
    """Raised inside a job to leave it."""


class Cancelled(JobStopped):
    """Somebody cancelled it."""


class ClaimLost(JobStopped):
    """Another worker holds it now: this one was believed dead. Nothing more may be written."""


class WorkerStops(JobStopped):
    """This worker shuts down; the job goes on elsewhere."""


class GivesWay(JobStopped):
    """Other jobs wait for a worker; this one goes on when one comes back to it."""


class PartFailed(VariorumError):
    """A part of the job failed: what is told of that, and what is kept of it for developers."""

    def __init__(self, part: Job) -> None:
        super().__init__(part.error or "A part of it was cancelled. Try again.")
        self.traceback = part.traceback


@dataclass(frozen=True, slots=True)
class JobKind:
    """What is known of a kind of job."""

    name: str
    title: str
    function: Callable[[JobRun], dict[str, Any] | None]
    heavy: bool = False  # takes minutes to hours in one piece: a worker does one such at a time


_kinds: dict[str, JobKind] = {}


def job(
    name: str, *, title: str, heavy: bool = False
) -> Callable[
    [Callable[[JobRun], dict[str, Any] | None]], Callable[[JobRun], dict[str, Any] | None]
]:
    """Declare a kind of job."""

    def declare(
        function: Callable[[JobRun], dict[str, Any] | None],
    ) -> Callable[[JobRun], dict[str, Any] | None]:
        if name in _kinds:
            raise ValueError(f"there is a job kind {name!r} already")
        _kinds[name] = JobKind(name, title, function, heavy)
        return function

    return declare


def job_kind(name: str) -> JobKind:
    """The kind of that name; a job of a kind that this version does not know fails clearly."""
    try:
        return _kinds[name]
    except KeyError:
        raise VariorumError(
            f"This version has no job of kind {name!r}. Update all workers to one version."
        ) from None


def heavy_kinds() -> list[str]:
    """The kinds of which a worker does one at a time, so that small jobs find it free."""
    return [kind.name for kind in _kinds.values() if kind.heavy]


class JobRun:
    """A job in the hands of the worker that claimed it."""

    def __init__(self, claimed: Job) -> None:
        self.job = claimed
        self.parameters: dict[str, Any] = claimed.parameters
        self.result: dict[str, Any] = claimed.result
        self.done = claimed.done
        self._stop: type[JobStopped] | None = None

    def expect(self, total: int) -> None:
        """Say of how many pieces the job is."""
        self._write(total=total)

    @contextmanager
    def piece(self, count: int = 1, *, message: str = "") -> Iterator[None]:
        """Commit ``count`` pieces: what is written to the database inside, and the progress."""
        self.check()
        with transaction.atomic():
            # The row first: it is locked until the commit, so whoever wants to take the job over
            # waits, and this worker cannot commit a piece of a job that it has lost.
            self._write(done=F("done") + count, message=message[:200], heartbeat_at=Now(), stalls=0)
            yield
            if self.result:
                self._write(result=self.result)
            if self.job.parent_id is not None:
                # Last, so that parts of one job wait for each other as short as can be.
                Job.objects.filter(pk=self.job.parent_id).update(done=F("done") + count, stalls=0)
        self.done += count

    def say(self, message: str) -> None:
        """Tell what is being done now, between pieces."""
        self.check()
        self._write(message=message[:200], heartbeat_at=Now())

    def check(self) -> None:
        """Leave the job if somebody wants that. Call it now and then in a long piece."""
        if self._stop is None and worker_stops.is_set():
            self._stop = WorkerStops
        if self._stop is not None:
            raise self._stop

    def wait(self, seconds: float) -> None:
        """Let some time pass, unless the worker stops."""
        worker_stops.wait(seconds)
        self.check()

    def finish(self, state: str, **fields: Any) -> None:
        """Close the job, or put it back into the queue."""
        ended = {"finished_at": Now()} if state in Job.FINISHED else {"announced_at": None}
        self._write(state=state, claim=None, **ended, **fields)

    def beat(self) -> None:
        """Show that the worker lives, and look whether the job shall stop."""
        held = self._held()
        if not held.update(heartbeat_at=Now()):
            self._stop = ClaimLost
        elif held.filter(cancel_requested_at__isnull=False).exists():
            self._stop = Cancelled

    def gets_nowhere(self) -> bool:
        """Whether so many attempts have ended before the next piece that no more are made."""
        return self._held().filter(stalls__gte=Job.MOST_STALLS).exists()

    def _held(self):
        return Job.objects.filter(pk=self.job.pk, state=Job.State.RUNNING, claim=self.job.claim)

    def _write(self, **fields: Any) -> None:
        if not self._held().update(**fields):
            self._stop = ClaimLost
            raise ClaimLost


@contextmanager
def _heartbeat(run: JobRun) -> Iterator[None]:
    """A thread that beats while the job is in a long piece."""
    over = threading.Event()
    interval = min(2.0, settings.JOB_LEASE_SECONDS / 4)

    def keep_beating() -> None:
        while not over.wait(interval):
            try:
                run.beat()
            except Exception as error:  # noqa: BLE001 (without a next beat the job would be lost)
                _log.warning("no heartbeat", extra={"job": run.job.pk, "error": repr(error)})
                connections.close_all()
        connections.close_all()

    thread = threading.Thread(target=keep_beating, name=f"heartbeat-{run.job.pk}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def run_claimed(claimed: Job) -> None:
    """Run a job that this worker has claimed, to its end or as far as it gets."""
    run = JobRun(claimed)
    try:
        # What was shared with its owner may have been taken back while the job waited.
        if is_out_of_sight(claimed):
            raise VariorumError(OUT_OF_SIGHT)
        with _heartbeat(run):
            result = job_kind(claimed.kind).function(run)
        run.finish(Job.State.DONE, message="", result=result or run.result)
    except Cancelled:
        _finish_unless_lost(run, Job.State.CANCELLED)
    except ClaimLost:
        _log.warning("claim lost; another worker has the job", extra={"job": claimed.pk})
    except (WorkerStops, GivesWay):
        _finish_unless_lost(run, Job.State.QUEUED)
    except PartFailed as error:
        _finish_unless_lost(run, Job.State.FAILED, error=str(error), traceback=error.traceback)
    except VariorumError as error:
        _finish_unless_lost(run, Job.State.FAILED, error=str(error))
    except _UNREACHABLE as error:
        if not _database_answers():
            # Nothing can be written about it. The heartbeat stops, and whoever finds the job
            # abandoned takes it up behind its last committed piece.
            _log.exception("database out of reach", extra={"job": claimed.pk})
        elif full_disk(error) or run.gets_nowhere():
            _fail(run, error)
        else:
            # A lock or a restart of the server, most likely: it is over when we try again.
            _log.exception("the database refused a statement", extra={"job": claimed.pk})
            _finish_unless_lost(run, Job.State.QUEUED)
    except Exception as error:  # noqa: BLE001 (the last line of defence of a worker thread)
        _fail(run, error)


def _fail(run: JobRun, error: Exception) -> None:
    """End the job with a sentence for its owner, and keep the rest for whoever can mend it."""
    _log.exception("job failed", extra={"job": run.job.pk, "kind": run.job.kind})
    unforeseen = (
        f"Something happened that Variorum did not foresee ({type(error).__name__}). "
        "Trying again goes on behind the last finished piece. "
        "If it happens again, show an administrator this job: the details are kept with it."
    )
    _finish_unless_lost(
        run,
        Job.State.FAILED,
        error=full_disk(error) or unforeseen,
        traceback=traceback.format_exc(),
    )


def _database_answers() -> bool:
    """Whether it can be reached by a new connection; the thread goes on with that one."""
    try:
        connection.close()
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except _UNREACHABLE:
        return False
    return True


def _finish_unless_lost(run: JobRun, state: str, **fields: Any) -> None:
    try:
        run.finish(state, **fields)
    except ClaimLost:
        _log.warning("claim lost; another worker has the job", extra={"job": run.job.pk})
    except _UNREACHABLE:
        # As above: it is found abandoned, and tried again or given up.
        _log.exception("could not write how the job ended", extra={"job": run.job.pk})
