"""Screening and training, as participants go through them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.test import Client

from studies.actions.planning import freeze_study, registration
from studies.actions.running import start_study
from studies.models import Assignment, EntryAnswer, Participant, Study
from tests.studies.core.test_entry import ENTRY
from tests.studies.making import make_study
from tests.studies.views.test_taking import address, answer

pytestmark = pytest.mark.django_db
GOOD = "Yesterday the minister rejected the strikers' demands."


def make(user, entry=ENTRY) -> Study:
    study = make_study(user)
    study.entry = entry.as_dict()
    study.code_screened, study.code_unqualified = "SCREENED1", "UNFIT1"
    study.save()
    study = freeze_study(study)
    start_study(study)
    study.refresh_from_db()
    return study


@pytest.fixture
def study(user):
    return make(user)


def agree(study, query: str = "") -> Client:
    client = Client()
    assert client.post(address(study, "consent") + query).url == address(study, "screening")
    return client


def train(client, study, *given: str, attempt: int = 1):
    """Answer the items from the first on; the last answer's page."""
    page = None
    for number, text in enumerate(given, start=1):
        page = client.post(
            address(study, "training"),
            {"attempt": attempt, "number": number, "text": text, "action": text},
        )
        assert page.url == f"{address(study, 'training')}?after={attempt}-{number}"
    return client.get(page.url)


def screened(study) -> Client:
    client = agree(study)
    answered = client.post(address(study, "screening"), {"question-1": "English"})
    assert answered.url == address(study, "instructions")
    assert client.post(address(study, "instructions")).url == address(study, "training")
    return client


def test_the_way_through_screening_and_training(study):
    client = screened(study)
    page = client.get(address(study, "training")).content.decode()
    assert "Practice 1 of 2" in page
    assert GOOD not in page.replace("&#x27;", "'")
    page = train(client, study, "something else").content.decode()
    assert "Not quite" in page
    assert GOOD in page.replace("&#x27;", "'")
    assert not Assignment.objects.exists()
    assert client.get(address(study, "task")).url == address(study, "training")
    client.post(address(study, "training"), {"attempt": 1, "number": 2, "action": "a"})
    assert "That is right" in client.get(address(study, "training") + "?after=1-2").content.decode()
    assert client.get(address(study, "training")).url == address(study, "task")
    assert answer(client, study).status_code == 302
    one = Participant.objects.get()
    assert None not in (one.screened_at, one.instructed_at, one.trained_at)
    assert one.instructed_by == {"editing": 1, "eval": 1}
    assert list(EntryAnswer.objects.values_list("kind", "number", "answer", "is_right")) == [
        ("screening", 1, "English", True),
        ("training", 1, "something else", False),
        ("training", 2, "a", True),
    ]


def test_who_is_screened_out_gets_their_code_and_no_task(study):
    client = agree(study)
    client.post(address(study, "screening"), {"question-1": "another"})
    assert Participant.objects.get().state == "screened"
    page = client.get(address(study, "task"), follow=True).content.decode()
    assert "SCREENED1" in page
    # A second answer, and another consent, change nothing.
    client.post(address(study, "screening"), {"question-1": "English"})
    client.post(address(study, "consent"))
    assert Participant.objects.get().state == "screened"
    assert not Assignment.objects.exists()
    assert EntryAnswer.objects.get().answer == "another"


@pytest.mark.parametrize("fields", [{}, {"question-1": "Klingon"}, {"question-1": ""}])
def test_every_question_wants_one_of_its_answers(study, fields):
    client = agree(study)
    page = client.post(address(study, "screening"), fields)
    assert page.status_code == 422
    assert "Answer every question" in page.content.decode()
    assert not EntryAnswer.objects.exists()


def test_no_page_can_be_passed_over(study):
    client = agree(study)
    for page in ("task", "training", "instructions"):
        assert client.get(address(study, page)).url == address(study, "screening")
    client.post(address(study, "screening"), {"question-1": "English"})
    for page in ("task", "training"):
        assert client.get(address(study, page)).url == address(study, "instructions")


def test_the_training_can_be_tried_again_and_then_is_failed(study):
    client = screened(study)
    train(client, study, "nothing", "b")
    page = client.get(address(study, "training")).content.decode()
    assert "Right answers: 0; needed: 1." in page
    page = client.get(address(study, "training") + "?again=1").content.decode()
    assert re.search(r'name="attempt" value="2"', page)
    # A third answer to the first attempt is too late.
    client.post(address(study, "training"), {"attempt": 1, "number": 2, "action": "a"})
    train(client, study, "nothing", "same", attempt=2)
    assert Participant.objects.get().state == "unqualified"
    page = client.get(address(study, "training"), follow=True).content.decode()
    assert "UNFIT1" in page
    assert client.get(address(study, "task")).status_code == 302
    assert not Assignment.objects.exists()


def test_the_second_attempt_counts(study):
    client = screened(study)
    train(client, study, "nothing", "b")
    train(client, study, GOOD, "b", attempt=2)
    assert client.get(address(study, "training")).url == address(study, "task")


def test_a_form_sent_twice_is_one_answer(study):
    client = screened(study)
    for text in ("first", "second"):
        client.post(address(study, "training"), {"attempt": 1, "number": 1, "text": text})
    assert EntryAnswer.objects.get(kind="training").answer == "first"


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"attempt": 1, "number": 1, "text": " "}, 422),
        ({"attempt": 1, "number": 1, "text": "x" * 2001}, 422),
        ({"attempt": "x", "number": 1, "text": "a"}, 409),
        ({"number": "²", "text": "a"}, 409),
    ],
)
def test_what_is_no_answer_is_not_kept(study, fields, status):
    client = screened(study)
    assert client.post(address(study, "training"), fields).status_code == status
    assert not EntryAnswer.objects.filter(kind="training").exists()


def test_feedback_is_for_answers_that_were_given(study):
    client, other = screened(study), screened(study)
    train(client, study, GOOD)
    page = other.get(address(study, "training") + "?after=1-1").content.decode()
    assert "Practice 1 of 2" in page
    assert GOOD not in page.replace("&#x27;", "'")


def test_the_plan_holds_it_and_erasure_takes_it(study):
    assert registration(study)["plan"]["entry"]["pass_mark"] == 1
    client = screened(study)
    train(client, study, "words of mine")
    client.post(address(study, "leave"), {"action": "erase"})
    assert not EntryAnswer.objects.exists()
    one = Participant.objects.get()
    assert (one.screened_at, one.trained_at, one.instructed_by) == (None, None, {})


def test_a_training_alone_comes_after_the_instructions(user):
    study = make(user, replace(ENTRY, questions=()))
    client = Client()
    assert client.post(address(study, "consent")).url == address(study, "instructions")
    assert client.post(address(study, "instructions")).url == address(study, "training")


def test_nothing_tells_the_right_answer_before_it_is_given(user):
    """Every byte of the pages before the answer."""
    items = tuple(replace(item, why="BECAUSE OF THIS") for item in ENTRY.items)
    study = make(user, replace(ENTRY, items=items, questions=()))
    client = Client()
    client.post(address(study, "consent"))
    client.post(address(study, "instructions"))
    for number in (1, 2):
        page = client.get(address(study, "training"))
        text = page.content.decode() + str(page.headers)
        assert "BECAUSE" not in text
        assert "strikers&#x27; demands" not in text
        client.post(
            address(study, "training"),
            {"attempt": 1, "number": number, "text": "words", "action": "same"},
        )
