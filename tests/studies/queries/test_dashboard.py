from __future__ import annotations

from collections import Counter

import pytest

from decoding.models import TranslationList
from studies.actions.handing_out import lease_next, submit_edit
from studies.actions.planning import freeze_study
from studies.models import Slot
from studies.queries.dashboard import Counts, dashboard
from tests.studies.making import make_participant, make_running_study, make_study
from tests.studies.views.test_researchers import play

pytestmark = pytest.mark.django_db


def slow_twin(study, kind: str, segments: set[int]) -> Counts:
    states = Counter(
        slot.state
        for slot in Slot.objects.filter(study=study, kind=kind)
        if slot.segment.number in segments
    )
    return Counts(total=sum(states.values()), **states)


def test_a_stage_is_counted_whole_and_by_quartile(user):
    study = make_running_study(user, sentences=8)
    play(study, people=2)
    lease_next(make_participant(study).pk)
    shown = dashboard(study)
    # In making.py the BLEU+1 of a sentence is its number.
    groups = [{1, 2}, {3, 4}, {5, 6}, {7, 8}]
    for stage in shown.stages:
        assert stage.counts == slow_twin(study, stage.kind, set(range(1, 9)))
        assert list(stage.quartiles) == [slow_twin(study, stage.kind, one) for one in groups]
    assert shown.stages[0].counts.leased == 1
    assert (shown.complete, shown.sentences) == (0, 8)


def test_pace_and_end_follow_from_what_was_answered_of_late(user):
    study = make_running_study(user, sentences=2)
    one = make_participant(study)
    for _ in range(2):
        submit_edit(one.pk, lease_next(one.pk).key, "a sentence")
    editing, judging = dashboard(study).stages
    assert editing.per_second == pytest.approx(2 / 900)
    assert editing.remaining.total_seconds() == pytest.approx(10 * 450)
    assert editing.end is not None
    assert (judging.per_second, judging.end) == (None, None)


def test_without_figures_there_are_no_quartiles(user):
    study = freeze_study(make_study(user, sentences=4))
    TranslationList.objects.filter(segment__number=2).update(first_bleu1=None)
    assert [stage.quartiles for stage in dashboard(study).stages] == [(), ()]


def test_the_number_of_queries_does_not_grow(user, django_assert_num_queries):
    for sentences in (1, 6):
        study = make_running_study(user, sentences=sentences)
        with django_assert_num_queries(5):
            dashboard(study)
