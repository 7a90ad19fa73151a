"""Jobs in parts: how they are cut, and who works on them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models.functions import Now
from hypothesis import given
from hypothesis import strategies as st

from decoding import parts
from decoding.actions import jobs as job_actions
from decoding.actions.jobs import cancel_job, claim_job, retry_job, retry_parts, submit_job
from decoding.jobs import Cancelled, JobRun, job
from decoding.models import Job
from decoding.parts import cut, share_out
from decoding.queries.jobs import PARTS_RUNG, unannounced
from decoding.tasks import run_job

# Jobs beat from a thread of their own, which sees only what is committed.
pytestmark = pytest.mark.django_db(transaction=True)

seen: list[object] = []


@job("test-whole", title="Is shared out")
def whole(run):
    numbers = range(run.parameters["parts"])
    share_out(run, "test-part", [{"number": number} for number in numbers], [1 for _ in numbers])


@job("test-part", title="Is a part")
def part(run):
    if run.parameters["number"] == run.job.parent.parameters.get("joined at"):
        submit_job("self-test", owner=run.job.owner, parameters={})
    if run.parameters["number"] == run.job.parent.parameters.get("broken at"):
        raise ZeroDivisionError
    with run.piece():
        seen.append(run.parameters["number"])


@pytest.fixture(autouse=True)
def rung(monkeypatch):
    """For which jobs the bell was rung."""
    seen.clear()
    rung = []
    for module in (job_actions, parts):
        monkeypatch.setattr(module, "announce", lambda *keys: rung.extend(keys))
    return rung


@given(st.integers(0, 30_000))
def test_a_job_is_cut_into_all_of_its_pieces(count):
    parts = list(cut(range(count)))
    assert [piece for one in parts for piece in one] == list(range(count))
    sizes = [len(one) for one in parts]
    assert sizes == sorted(sizes, reverse=True)
    assert all(size <= 200 for size in sizes)
    # Whoever is left with the last part keeps the others waiting for less than others had to do.
    assert count < 20 or sizes[-1] <= 10
    assert len(parts) <= 64 + count // 200 + 20


def test_who_has_the_whole_gives_way_to_a_job_that_waits_and_comes_back(user, rung):
    asked = submit_job("test-whole", owner=user, parameters={"parts": 5, "joined at": 1})
    run_job(asked.pk)
    asked.refresh_from_db()
    assert (asked.state, asked.done, seen) == ("queued", 2, [0, 1])
    other = Job.objects.get(kind="self-test")
    assert rung[-2:] == [other.pk, asked.pk]  # in turn
    other.delete()
    run_job(asked.pk)
    asked.refresh_from_db()
    assert (asked.state, asked.done, seen) == ("done", 5, [0, 1, 2, 3, 4])


def test_who_comes_to_a_part_goes_on_until_another_job_waits(user, rung):
    asked = submit_job("test-whole", owner=user, parameters={"parts": 5, "joined at": 3})
    claim_job(asked.pk)  # some other worker has the whole
    theirs = [
        Job.objects.create(
            kind="test-part", owner=user, parent=asked, total=1, parameters={"number": number}
        )
        for number in range(5)
    ]
    Job.objects.filter(pk=asked.pk).update(total=5)
    run_job(theirs[1].pk)
    assert seen == [1, 0, 2, 3]
    assert asked.parts.get(state="queued") == theirs[4]
    assert rung[-1] == theirs[4].pk  # by which this thread comes back
    Job.objects.get(kind="self-test").delete()
    run_job(theirs[1].pk)
    assert seen == [1, 0, 2, 3, 4]  # also where the part that it was called to is done


def test_what_is_kept_of_a_part_that_failed_is_kept_with_the_whole(user):
    asked = submit_job("test-whole", owner=user, parameters={"parts": 3, "broken at": 1})
    run_job(asked.pk)
    asked.refresh_from_db()
    assert (asked.state, seen) == ("failed", [0, 2])
    assert "did not foresee (ZeroDivisionError)" in asked.error
    assert "raise ZeroDivisionError" in asked.traceback


@pytest.fixture
def huge(user):
    """A job with more parts than anybody rings for, which some other worker has."""
    asked = submit_job("test-whole", owner=user, parameters={})
    claim_job(asked.pk)
    Job.objects.bulk_create(
        Job(kind="test-part", owner=user, parent=asked, total=1, parameters={"number": number})
        for number in range(60)
    )
    return asked


def numbers_of(jobs) -> list[int]:
    return [job.parameters["number"] for job in jobs]


def test_workers_are_called_to_the_first_parts_only(user, rung):
    asked = submit_job("test-whole", owner=user, parameters={"parts": 40})
    run_job(asked.pk)
    assert len(rung) == 1 + PARTS_RUNG
    assert len(seen) == 40


def test_after_a_while_the_first_waiting_parts_are_rung_again(huge, user):
    other = submit_job("self-test", owner=user, parameters={})
    huge.parts.filter(parameters__number__lt=10).update(state="cancelled", finished_at=Now())
    first = list(unannounced())
    assert first.pop() == other
    assert numbers_of(first) == list(range(10, 10 + PARTS_RUNG))
    Job.objects.filter(pk__in=[part.pk for part in first[3:]]).update(announced_at=Now())
    assert numbers_of(unannounced().filter(parent=huge)) == [10, 11, 12]
    Job.objects.update(announced_at=Now() - timedelta(minutes=1))
    assert len(unannounced()) == 1 + PARTS_RUNG


def test_a_job_is_cancelled_with_its_parts_at_once(huge, django_assert_num_queries):
    taken = claim_job(huge.parts.last().pk)
    with django_assert_num_queries(2):
        assert cancel_job(huge)
    huge.refresh_from_db()
    assert huge.is_stopping
    assert set(huge.parts.exclude(pk=taken.pk).values_list("state", flat=True)) == {"cancelled"}
    taken.refresh_from_db()
    assert taken.is_stopping


def test_parts_that_failed_are_tried_again_at_once(user, rung, huge, django_assert_num_queries):
    huge.parts.update(state="failed", error="it broke", finished_at=Now())
    with django_assert_num_queries(1):
        assert retry_parts(huge)
    assert set(huge.parts.values_list("state", "error")) == {("queued", "")}


def test_workers_are_called_to_parts_that_are_tried_again(user, rung):
    asked = submit_job("test-whole", owner=user, parameters={"parts": 3, "broken at": 1})
    run_job(asked.pk)
    Job.objects.filter(pk=asked.pk).update(parameters={"parts": 3})
    retry_job(asked)
    rung.clear()
    part = asked.parts.get(state="failed")
    run_job(asked.pk)
    assert rung == [part.pk]
    assert seen == [0, 2, 1]


def test_a_job_that_is_being_cancelled_is_not_split(user):
    asked = submit_job("test-whole", owner=user, parameters={})
    held = JobRun(claim_job(asked.pk))
    cancel_job(asked)
    with pytest.raises(Cancelled):
        share_out(held, "test-part", [{"number": 1}], [1])
    assert not asked.parts.exists()
