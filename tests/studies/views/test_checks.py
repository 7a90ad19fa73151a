from __future__ import annotations

import pytest

from studies.core.conduct import Conduct
from studies.models import Check, Edit, Judgment, Participant
from tests.studies.making import make_running_study
from tests.studies.views.test_researchers import play
from tests.studies.views.test_taking import address, answer, come, form

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(user):
    """Three of six sentences, and a check for every judgment."""
    study = make_running_study(
        user, sentences=6, sample_size=3, conduct=Conduct(check_every=1, pairs_per_judge=9)
    )
    play(study, people=6)
    return study


@pytest.fixture
def judge(study):
    client = come(study)
    form(client, study)  # begins with a judgment, for nobody is a judge before
    answer(client, study, action="a")
    return client


def test_a_check_looks_like_a_task_and_is_kept_apart(study, judge):
    shown = form(judge, study)
    check = Check.objects.get()
    assert shown["key"] == str(check.key)
    assert check.reference in shown["page"]
    number = int(check.reference.split()[-1])
    assert not study.tasks.filter(segment__number=number).exists()
    assert "check" not in shown["page"].lower().replace("spellcheck", "")
    before = Judgment.objects.count()
    answer(judge, study, action=check.right)
    check.refresh_from_db()
    assert (check.choice, Judgment.objects.count()) == (check.right, before)
    assert Participant.objects.get(checks__isnull=False).flags == []


@pytest.mark.parametrize("choice", ["same", "wrong"])
def test_who_misses_a_check_is_flagged_once_and_goes_on(study, judge, choice):
    key = form(judge, study)["key"]
    check = Check.objects.get()
    wrong = {"a": "b", "b": "a"}[check.right] if choice == "wrong" else choice
    for sent in (wrong, check.right):  # the first answer stands
        answer(judge, study, key=key, action=sent)
    check.refresh_from_db()
    assert check.choice == wrong
    one = Participant.objects.get(checks=check)
    assert one.flags == ["missed an attention check"]
    assert not one.is_excluded
    assert form(judge, study)["key"] != key


def test_the_check_of_another_is_not_answered(study, judge):
    key = form(judge, study)["key"]
    other = come(study)
    assert answer(other, study, key=key, action="a").status_code == 409
    assert Check.objects.get(key=key).choice == ""


def test_editors_meet_no_checks(user):
    study = make_running_study(user, sentences=6, sample_size=3, conduct=Conduct(check_every=1))
    client = come(study)
    for _ in range(3):
        answer(client, study)
    assert Edit.objects.count() == 3
    assert not Check.objects.exists()


def test_erasure_takes_the_checks_too(study, judge):
    form(judge, study)
    judge.post(address(study, "leave"), {"action": "erase"})
    assert not Check.objects.exists()
