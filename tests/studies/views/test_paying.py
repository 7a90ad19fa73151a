from __future__ import annotations

from decimal import Decimal

import pytest
from django.urls import reverse

from studies.actions.handing_out import lease_next, submit_edit
from studies.actions.participants import (
    Identity,
    add_participant,
    consent,
    erase,
    exclude,
    finish,
    instruct,
    leave,
)
from studies.core.conduct import Conduct
from studies.core.pay import Work, bonus
from studies.models import Edit, Participant, Payment
from tests.studies.making import make_running_study

pytestmark = pytest.mark.django_db
RULES = Conduct(bonus_per_edit=0.1, bonus_per_hour=6)


@pytest.fixture
def study(user, client):
    client.force_login(user)
    return make_running_study(user, conduct=RULES)


def person(study, name: str, edits: int, **fields) -> Participant:
    one, _ = add_participant(study, Identity("prolific", name))
    Participant.objects.filter(pk=one.pk).update(**fields)
    consent(one, 1)
    instruct(one)
    for _ in range(edits):
        submit_edit(one.pk, lease_next(one.pk).key, "a sentence")
    Edit.objects.filter(participant=one).update(active_seconds=60)
    one.refresh_from_db()
    return one


def make(client, study, kind: str, arrival: str = "prolific"):
    return client.post(reverse("studies:pay", args=[study.pk]), {"kind": kind, "arrival": arrival})


def lines(client, study, number: int) -> str:
    answer = client.get(reverse("studies:pay-file", args=[study.pk, number]))
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    return answer.content.decode()


def test_a_bonus_is_exact_to_the_cent():
    assert bonus(Work(3, 0, 0), Conduct(bonus_per_edit=0.1)) == Decimal("0.30")
    assert bonus(Work(0, 7, 0), Conduct(bonus_per_judgment=0.015)) == Decimal("0.11")
    assert bonus(Work(0, 0, 90), Conduct(bonus_per_hour=12)) == Decimal("0.30")
    assert bonus(Work(9, 9, 999), Conduct()) == 0


def test_approvals_are_listed_once(client, study):
    done, gone, idle, busy = (person(study, f"p{n}", n % 3) for n in (1, 2, 3, 4))
    finish(done)
    leave(gone)
    leave(idle)  # left without an answer
    make(client, study, "approval")
    assert lines(client, study, 1) == "p1\np2\n"
    make(client, study, "approval")
    assert study.pay_lists.count() == 1
    finish(busy)
    make(client, study, "approval")
    assert lines(client, study, 2) == "p4\n"
    assert lines(client, study, 1) == "p1\np2\n"
    page = client.get(reverse("studies:pay", args=[study.pk])).content.decode()
    assert page.count("listed\n") == 3


def test_bonuses_are_what_no_list_has_yet(client, study):
    one = person(study, "p1", 2)
    # 2 x 0.10, and two minutes at 6 an hour.
    make(client, study, "bonus")
    assert lines(client, study, 1) == "p1,0.40\n"
    make(client, study, "bonus")
    assert study.pay_lists.count() == 1
    submit_edit(one.pk, lease_next(one.pk).key, "a sentence")
    Edit.objects.filter(active_seconds=None).update(active_seconds=60)
    make(client, study, "bonus")
    assert lines(client, study, 2) == "p1,0.20\n"
    assert sum(Payment.objects.values_list("amount", flat=True)) == Decimal("0.60")


def test_time_is_paid_up_to_what_a_task_was_allowed(client, study):
    one = person(study, "p1", 1)
    Edit.objects.filter(participant=one).update(active_seconds=100_000)
    make(client, study, "bonus")
    assert lines(client, study, 1) == "p1,1.60\n"  # 900 s


def test_who_is_excluded_is_paid_and_who_is_simulated_is_not(client, study):
    exclude(person(study, "p1", 1), "copied")
    person(study, "robot", 1, is_simulated=True)
    make(client, study, "bonus")
    assert lines(client, study, 1) == "p1,0.20\n"


def test_erasure_takes_the_name_from_the_lists(client, study):
    one = person(study, "p1", 1)
    person(study, "p2", 1)
    make(client, study, "bonus")
    erase(one)
    assert lines(client, study, 1) == "p2,0.20\n"
    assert Payment.objects.count() == 2


def test_platforms_have_lists_of_their_own(client, study):
    person(study, "p1", 1)
    other, _ = add_participant(study, Identity("provider", "w1"))
    consent(other, 1)
    finish(other)
    make(client, study, "approval", "provider")
    assert lines(client, study, 1) == "w1\n"


@pytest.mark.parametrize("fields", [{}, {"kind": "all", "arrival": "prolific"}, {"kind": "bonus"}])
def test_nonsense_is_refused(client, study, fields):
    assert client.post(reverse("studies:pay", args=[study.pk]), fields).status_code == 400


def test_lists_are_for_those_who_may_change_the_study(client, study, colleague):
    finish(person(study, "p1", 1))
    make(client, study, "approval")
    client.force_login(colleague)
    for name, more in (("pay", []), ("pay-file", [1])):
        assert client.get(reverse(f"studies:{name}", args=[study.pk, *more])).status_code == 404
    assert make(client, study, "approval").status_code == 404
