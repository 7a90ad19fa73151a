"""Jobs in parts: how they are cut, and who works on them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoding import parts
from decoding.actions import jobs as job_actions
from decoding.actions.jobs import claim_job, submit_job
from decoding.jobs import job
from decoding.models import Job
from decoding.parts import cut, share_out
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


def test_who_comes_to_a_part_goes_on_until_another_job_waits(user):
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


def test_what_is_kept_of_a_part_that_failed_is_kept_with_the_whole(user):
    asked = submit_job("test-whole", owner=user, parameters={"parts": 3, "broken at": 1})
    run_job(asked.pk)
    asked.refresh_from_db()
    assert (asked.state, seen) == ("failed", [0, 2])
    assert "did not foresee (ZeroDivisionError)" in asked.error
    assert "raise ZeroDivisionError" in asked.traceback
