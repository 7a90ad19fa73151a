"""What must not lose or double a piece of work: with a real broker and real workers.

The self-test job appends each piece's number to its result in the transaction that counts the
piece, so a result of 0, 1, 2 ... says that nothing was lost and nothing done twice.
"""

from __future__ import annotations

import signal

import pytest

from decoding.actions.jobs import announce, cancel_job, claim_job, submit_job
from decoding.models import Job
from decoding.tending import living_workers
from tests.queueing import finished, wait_until

pytestmark = pytest.mark.slow


@pytest.fixture
def submit(user):
    def submit(pieces=30, seconds=0.1):
        parameters = {"pieces": pieces, "seconds_per_piece": seconds}
        return submit_job("self-test", owner=user, parameters=parameters)

    return submit


def has_begun(job):
    job.refresh_from_db()
    return job.done >= 3


def assert_complete(job, *, attempts):
    assert (job.state, job.error) == ("done", "")
    assert job.result == {"counted": list(range(job.total))}
    assert job.done == job.total
    assert job.attempts == attempts


def test_a_worker_killed_in_the_middle(queue, submit):
    job = submit()
    worker = queue.worker()
    wait_until(lambda: has_begun(job))
    worker.kill()
    queue.worker()
    wait_until(lambda: finished(job))
    assert_complete(job, attempts=2)


def test_a_worker_asked_to_stop_gives_its_job_back_at_once(queue, submit):
    job = submit()
    worker = queue.worker()
    wait_until(lambda: has_begun(job))
    worker.send_signal(signal.SIGTERM)
    worker.wait(15)
    job.refresh_from_db()
    assert job.state == "queued"
    queue.worker()
    wait_until(lambda: finished(job))
    assert_complete(job, attempts=2)


def test_a_worker_that_was_believed_dead_writes_nothing_more(queue, submit):
    job = submit()
    worker = queue.worker()
    wait_until(lambda: has_begun(job))
    worker.send_signal(signal.SIGSTOP)
    queue.worker()
    wait_until(lambda: job.refresh_from_db() or job.attempts == 2)
    worker.send_signal(signal.SIGCONT)
    wait_until(lambda: finished(job))
    assert_complete(job, attempts=2)


def test_a_broker_restarted_in_the_middle(queue, submit):
    running = submit()
    queue.worker()
    wait_until(lambda: has_begun(running))
    waiting = [submit(pieces=3, seconds=0) for _ in range(5)]
    queue.restart_broker()
    for job in (running, *waiting):
        wait_until(lambda job=job: finished(job), seconds=60)
        assert_complete(job, attempts=1)


def test_a_job_submitted_while_the_broker_is_away(queue, submit):
    queue.stop_broker()
    job = submit(pieces=3, seconds=0)
    assert job.state == "queued"
    queue.restart_broker()
    queue.worker()
    wait_until(lambda: finished(job))
    assert_complete(job, attempts=1)


def test_doubled_messages_and_two_workers_that_race(queue, submit):
    jobs = [submit(pieces=5, seconds=0) for _ in range(20)]
    for job in jobs:
        announce(job.pk)
        announce(job.pk)
    queue.worker()
    queue.worker()
    for job in jobs:
        wait_until(lambda job=job: finished(job))
        assert_complete(job, attempts=1)


def test_a_small_job_does_not_wait_for_all_parts_of_a_huge_one(queue, submit, user):
    huge = Job.objects.create(kind="self-test", owner=user, title="huge")
    assert claim_job(huge.pk), "some worker has the whole"
    parts = Job.objects.bulk_create(
        Job(kind="self-test", owner=user, parent=huge, title="part",
            parameters={"pieces": 1, "seconds_per_piece": 0.5})
        for _ in range(60)
    )  # fmt: skip
    for part in parts:
        announce(part.pk)
    small = submit(pieces=1, seconds=0)
    queue.worker()
    wait_until(lambda: finished(small))
    assert_complete(small, attempts=1)
    assert huge.parts.filter(state="queued").count() > 50


def test_cancelling_a_running_job_takes_effect_within_seconds(queue, submit):
    job = submit(pieces=1000)
    queue.worker()
    wait_until(lambda: has_begun(job))
    cancel_job(job)
    wait_until(lambda: finished(job), seconds=5)
    assert job.state == "cancelled"
    assert job.result == {"counted": list(range(job.done))}


def test_a_worker_shows_that_it_lives(queue):
    assert living_workers() == 0
    queue.worker()
    wait_until(lambda: living_workers() == 1)
