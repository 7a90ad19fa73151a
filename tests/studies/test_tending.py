"""What workers do for studies when nobody asks for a task."""

from __future__ import annotations

import pytest

from studies.actions.handing_out import lease_next, submit_edit
from studies.core.conduct import Conduct
from studies.models import Slot, Study
from studies.tending import look_after_studies
from tests.queueing import wait_until
from tests.studies.actions.test_handing_out import let_time_pass
from tests.studies.making import make_participant, make_running_study


def leased(study) -> int:
    return Slot.objects.filter(study=study, state="leased").count()


@pytest.mark.django_db
def test_what_silent_people_have_leased_is_opened_in_every_study(user):
    silent, awake = make_running_study(user), make_running_study(user)
    for study in (silent, awake):
        for _ in range(3):
            lease_next(make_participant(study).pk)
    let_time_pass(silent, hours=1)
    assert look_after_studies() == 3
    assert (leased(silent), leased(awake)) == (0, 3)
    assert look_after_studies() == 0


@pytest.mark.django_db
def test_more_than_one_batch_is_opened_at_once(user, monkeypatch):
    monkeypatch.setattr("studies.actions.handing_out._EXPIRED_AT_ONCE", 2)
    study = make_running_study(user)
    for _ in range(5):
        lease_next(make_participant(study).pk)
    let_time_pass(study, hours=1)
    assert look_after_studies() == 5


@pytest.mark.django_db
def test_sentences_that_waited_for_all_edits_are_opened_when_they_need_no_longer(user):
    study = make_running_study(user, conduct=Conduct(eval_follows=False))
    first = Slot.objects.get(study=study, position=1, kind="editing").segment_id
    for _ in range(6):
        one = make_participant(study)
        submit_edit(one.pk, lease_next(one.pk).key, "a sentence")
    assert look_after_studies() == 0
    Study.objects.update(conduct=Conduct(eval_follows=True).as_dict())
    assert look_after_studies() == 27
    opened = Slot.objects.filter(study=study, kind="eval", state="open")
    assert set(opened.values_list("segment", flat=True)) == {first}


def test_a_worker_does_it_every_few_seconds(user, queue):
    study = make_running_study(user)
    queue.worker()
    lease_next(make_participant(study).pk)
    let_time_pass(study, hours=1)
    wait_until(lambda: leased(study) == 0, what="for the lease to be taken back")
