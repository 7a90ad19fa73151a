"""Jobs without processes: their states, their pieces, who may do what to them."""

from __future__ import annotations

import threading
import uuid
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from decoding.actions import jobs as actions
from decoding.jobs import Cancelled, ClaimLost, JobRun, _heartbeat, job, run_claimed, worker_stops
from decoding.models import Job
from evaluation.core.errors import InputError

pytestmark = pytest.mark.django_db


@job("test-refuse", title="Refuses its input")
def refuse(run):
    raise InputError("expected 4 fields, found 3", path="/a/table.gz", line=17)


@job("test-break", title="Has a mistake in it")
def break_down(run):
    return {"ratio": 1 // 0}


REFUSED = {
    "sqlite": "SELECT abs(-9223372036854775808)",
    "postgresql": "SET LOCAL statement_timeout = 1; SELECT pg_sleep(1)",
}


@job("test-refused", title="Is refused by its database")
def refused(run):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(REFUSED[connection.vendor])


@job("test-refused-once", title="Is refused once")
def refused_once(run):
    if run.job.attempts == 1:
        refused(run)


@job("test-full-database", title="Has more to keep than the database has room for")
def fill_database(run):
    with transaction.atomic(), connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("PRAGMA max_page_count = 1")  # at least what there is, and no page more
            free = cursor.execute("PRAGMA freelist_count").fetchone()[0]  # of what other tests left
            Job.objects.filter(pk=run.job.pk).update(error="x" * 65_536 * (free + 1))
        else:
            cursor.execute("DO 'BEGIN RAISE EXCEPTION USING ERRCODE = ''disk_full''; END'")


@job("test-full-disk", title="Has more to write than the disk has room for")
def fill_disk(run):
    # Where a device says that it is full.
    if run.job.title == "by numpy":
        np.zeros(10_000).tofile("/dev/full")
    Path("/dev/full").write_text("much")


@job("test-lost", title="Loses its database")
def lose_database(run):
    connection.settings_dict["NAME"] = "/nowhere/variorum.sqlite3"
    connection.close()
    Job.objects.count()


@pytest.fixture(autouse=True)
def no_broker(monkeypatch):
    """Here the bell is not rung: nothing listens. test_faults.py has the real one."""
    monkeypatch.setattr(actions, "announce", lambda *keys: None)


@pytest.fixture
def submit(user):
    def submit(kind="self-test", **options):
        parameters = {"pieces": 3, "seconds_per_piece": 0}
        return actions.submit_job(kind, owner=user, parameters=parameters, **options)

    return submit


def state(job):
    job.refresh_from_db()
    return job.state


def test_a_job_runs_to_its_end(submit):
    job = submit()
    run_claimed(actions.claim_job(job.pk))
    assert state(job) == "done"
    assert (job.done, job.total, job.result) == (3, 3, {"counted": [0, 1, 2]})
    assert job.finished_at is not None
    assert job.claim is None


def test_only_the_first_claim_succeeds(submit):
    job = submit()
    assert actions.claim_job(job.pk) is not None
    assert actions.claim_job(job.pk) is None


def test_the_same_key_gives_the_same_job(submit):
    first = submit(key="lists of study 1")
    assert submit(key="lists of study 1").pk == first.pk
    assert Job.objects.count() == 1


def test_input_errors_become_the_jobs_sentence(submit):
    job = submit("test-refuse")
    run_claimed(actions.claim_job(job.pk))
    assert state(job) == "failed"
    assert job.error == "table.gz:17: expected 4 fields, found 3"
    assert job.traceback == ""


def test_a_mistake_of_ours_is_told_in_a_sentence_and_kept_for_developers(submit):
    job = submit("test-break")
    run_claimed(actions.claim_job(job.pk))
    assert state(job) == "failed"
    assert "Trying again" in job.error
    assert "ZeroDivisionError" in job.traceback


on_disk = pytest.mark.django_db(transaction=True)  # for what asks by a connection of its own


@on_disk
def test_what_the_database_refuses_again_and_again_fails_and_says_why(submit):
    job = submit("test-refused")
    for _ in range(Job.MOST_STALLS - 1):
        run_claimed(actions.claim_job(job.pk))
        assert state(job) == "queued"
    run_claimed(actions.claim_job(job.pk))
    assert state(job) == "failed"
    assert "did not foresee (OperationalError)" in job.error
    assert "in refused" in job.traceback


@on_disk
def test_what_the_database_refuses_once_is_done_at_the_next_attempt(submit):
    job = submit("test-refused-once")
    run_claimed(actions.claim_job(job.pk))
    run_claimed(actions.claim_job(job.pk))
    assert (state(job), job.error) == ("done", "")


@on_disk
@pytest.mark.parametrize(
    ("kind", "title", "said"),
    [
        (
            "test-full-database",
            "",
            "The database's disk is full. Ask an administrator to make room",
        ),
        ("test-full-disk", "", "The disk of the folder "),
        ("test-full-disk", "by numpy", "The disk of the folder "),
    ],
)
def test_a_full_disk_is_told_at_once(submit, kind, title, said):
    job = submit(kind, title=title)
    run_claimed(actions.claim_job(job.pk))
    assert state(job) == "failed"
    assert said in job.error
    assert "in fill_" in job.traceback


@on_disk
def test_who_lost_the_database_leaves_the_job_to_be_found(submit, monkeypatch):
    if connection.vendor != "sqlite":
        pytest.skip("a server cannot be taken away from one test")
    job = submit("test-lost")
    claimed = actions.claim_job(job.pk)
    with monkeypatch.context() as away:
        away.setitem(connection.settings_dict, "NAME", connection.settings_dict["NAME"])
        run_claimed(claimed)
    assert (state(job), job.error) == ("running", "")


def test_a_heart_beats_on_whatever_happens(submit, settings, monkeypatch):
    settings.JOB_LEASE_SECONDS = 0.01
    beaten, again = [], threading.Event()

    def beat(run):
        beaten.append(run)
        if len(beaten) > 1:
            again.set()
        raise RuntimeError

    monkeypatch.setattr(JobRun, "beat", beat)
    with _heartbeat(JobRun(actions.claim_job(submit().pk))):
        assert again.wait(10)


def test_a_kind_that_nobody_knows_fails_clearly(submit):
    job = submit("self-test")
    Job.objects.filter(pk=job.pk).update(kind="from-the-future")
    run_claimed(actions.claim_job(job.pk))
    assert state(job) == "failed"
    assert "Update all workers" in job.error


def test_a_piece_and_its_rows_are_one_transaction(submit):
    job = submit()
    run = JobRun(actions.claim_job(job.pk))
    with pytest.raises(ZeroDivisionError), run.piece():
        submit(key="written in a piece that fails")
        raise ZeroDivisionError
    assert not Job.objects.filter(key="written in a piece that fails").exists()
    job.refresh_from_db()
    assert job.done == 0


def test_who_lost_the_claim_can_write_nothing(submit):
    job = submit()
    run = JobRun(actions.claim_job(job.pk))
    Job.objects.filter(pk=job.pk).update(claim=uuid.uuid4())
    with pytest.raises(ClaimLost), run.piece():
        submit(key="written too late")
    assert not Job.objects.filter(key="written too late").exists()
    with pytest.raises(ClaimLost):
        run.check()


def test_cancelling_what_waits_is_immediate(submit):
    job = submit()
    assert actions.cancel_job(job)
    assert state(job) == "cancelled"
    assert not actions.cancel_job(job)
    assert actions.claim_job(job.pk) is None


def test_cancelling_what_runs_reaches_it_by_its_heartbeat(submit):
    job = submit()
    run = JobRun(actions.claim_job(job.pk))
    assert actions.cancel_job(job)
    run.beat()
    with pytest.raises(Cancelled):
        run.check()


def test_a_failed_job_goes_on_behind_its_last_piece(submit):
    job = submit()
    run = JobRun(actions.claim_job(job.pk))
    run.result["counted"] = [0]
    with run.piece():
        pass
    run.finish("failed", error="the disk was full")
    assert actions.retry_job(job)
    assert not actions.retry_job(job)
    run_claimed(actions.claim_job(job.pk))
    assert state(job) == "done"
    assert (job.result, job.error) == ({"counted": [0, 1, 2]}, "")


def test_a_stopping_worker_puts_its_job_back(submit):
    job = submit()
    worker_stops.set()
    try:
        run_claimed(actions.claim_job(job.pk))
    finally:
        worker_stops.clear()
    assert state(job) == "queued"


def abandon(job, **fields):
    Job.objects.filter(pk=job.pk).update(heartbeat_at=Now() - timedelta(seconds=60), **fields)


def test_a_silent_workers_job_is_queued_again(submit):
    lost, alive = submit(), submit()
    actions.claim_job(lost.pk)
    actions.claim_job(alive.pk)
    abandon(lost)
    assert actions.recover_jobs() == 1
    assert (state(lost), state(alive)) == ("queued", "running")


def test_a_job_that_kills_its_workers_is_given_up(submit):
    job = submit()
    actions.claim_job(job.pk)
    abandon(job, stalls=Job.MOST_STALLS)
    actions.recover_jobs()
    assert state(job) == "failed"
    assert "memory" in job.error


def test_an_abandoned_job_that_was_being_cancelled_is_cancelled(submit):
    job = submit()
    actions.claim_job(job.pk)
    actions.cancel_job(job)
    abandon(job)
    actions.recover_jobs()
    assert state(job) == "cancelled"


@pytest.mark.parametrize(
    "wrong",
    [
        {"state": "resting"},
        {"state": "running"},  # by nobody
        {"state": "done"},  # without an end
        {"done": 4, "total": 3},
    ],
)
def test_the_database_refuses_impossible_jobs(submit, wrong):
    job = submit()
    with pytest.raises(IntegrityError), transaction.atomic():
        Job.objects.filter(pk=job.pk).update(**wrong)


def test_rate_and_remaining_time_leave_out_earlier_attempts(submit):
    job = submit()
    Job.objects.filter(pk=job.pk).update(
        state="running", claim=uuid.uuid4(), done=50, done_before=40, total=100,
        claimed_at=Now() - timedelta(seconds=5), heartbeat_at=Now(),
    )  # fmt: skip
    job.refresh_from_db()
    assert job.rate == pytest.approx(2, rel=0.05)
    assert job.remaining.total_seconds() == pytest.approx(25, abs=2)
    assert job.share_done == 0.5


def test_nothing_is_said_of_rate_before_the_first_piece(submit):
    job = submit()
    assert (job.rate, job.remaining, job.share_done) == (None, None, None)
