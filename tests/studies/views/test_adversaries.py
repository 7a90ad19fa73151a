"""Somebody who wants to know more than the page says, or to answer for another."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

import pytest
from django.test import Client

from studies.actions.participants import exclude
from studies.models import Assignment, Edit, Judgment, Participant, Slot, Study
from tests.studies.making import make_running_study
from tests.studies.views.test_taking import address, answer, come, finish_editing, form, pid

pytestmark = pytest.mark.django_db
# What is another for everybody, and random or the clock's.
_OF_THE_REQUEST = {"X-Request-ID", "Expires", "Date"}


@pytest.fixture
def study(user):
    return make_running_study(user)


@pytest.fixture
def prolific(study):
    Study.objects.update(prolific_study="studyA", is_open=False)
    return study


def without_chance(response) -> tuple[str, dict[str, str], int]:
    """A page without its key, its token and its texts; its headers; its length."""
    page = response.content.decode()
    bare = re.sub(
        r'(name="(?:key|csrfmiddlewaretoken)" value=")[^"]+|X-CSRFToken": "[^"]+', r"\1", page
    )
    bare = re.sub(r'(<p class="sentence"[^>]*>)[^<]*', r"\1", bare)
    headers = {name: value for name, value in response.items() if name not in _OF_THE_REQUEST}
    return bare, headers, len(page)


# --- What differs between two pages, when their texts do not ----------------------------------------


def test_editing_pages_of_both_conditions_are_the_same_to_the_byte(study):
    for task in study.tasks.filter(kind="editing"):
        task.texts = ["shown text one", "shown text two", "shown text six"]
        task.save()
    seen = {}
    for _ in range(6):
        client = come(study)
        page = client.get(address(study, "task"))
        condition = Slot.objects.get(
            participant__token_hash__isnull=False, state="leased"
        ).task.condition.place
        seen.setdefault(condition, []).append(without_chance(page))
        answer(client, study)
        client.post(address(study, "leave"), {"action": "leave"})
    assert set(seen) == {1, 2}
    assert len({str(page) for pages in seen.values() for page in pages}) == 1


def test_eval_pages_are_the_same_to_the_byte_whichever_of_a_pair_stands_first(study):
    finish_editing(study)
    Edit.objects.update(text="an edit of one length")
    pages = []
    for swapped in (False, True):
        Slot.objects.filter(study=study, kind="eval").update(swapped=swapped)
        pages.append(without_chance(come(study).get(address(study, "task"))))
    assert pages[0] == pages[1]


def test_no_page_is_kept_by_a_cache_or_known_again_by_one(study):
    client = come(study)
    for page in ("task", "instructions", "leave"):
        got = client.get(address(study, page))
        assert "no-store" in got["Cache-Control"], page
        assert not {"ETag", "Last-Modified", "Server-Timing"} & set(got.headers), page
        assert got["Referrer-Policy"] == "same-origin"


def test_keys_say_nothing_of_when_or_in_which_order_tasks_were_given(study):
    keys = [UUID(form(come(study), study)["key"]) for _ in range(8)]
    assert {key.version for key in keys} == {4}
    assert sorted(keys) != keys
    order = Assignment.objects.order_by("pk").values_list("key", flat=True)
    assert list(order) == keys


def test_the_key_of_another_and_one_that_never_was_get_the_same_answer(study):
    """Or an answer would tell which keys there are."""
    one, two = come(study), come(study)
    taken = form(one, study)["key"]
    answers = [answer(two, study, key=key) for key in (taken, str(uuid4()))]
    assert without_chance(answers[0]) == without_chance(answers[1])
    drafts = [
        two.post(address(study, "draft"), {"key": key, "text": "x"})
        for key in (taken, str(uuid4()))
    ]
    assert [(got.status_code, got.content) for got in drafts] == [(409, b"")] * 2


def test_a_study_that_is_not_there_yet_is_like_none(user):
    study = make_running_study(user)
    Study.objects.update(state="draft", plan="", checksum="", frozen_at=None)
    pages = [Client().get(f"/take/{code}/") for code in (study.code, "never-made-1")]
    assert [page.status_code for page in pages] == [404, 404]
    bare = [without_chance(page)[0].replace(page["X-Request-ID"], "") for page in pages]
    assert bare[0].replace(study.code, "") == bare[1].replace("never-made-1", "")


# --- Another person's work --------------------------------------------------------------------------


def test_a_draft_is_shown_to_its_author_alone(prolific):
    client = come(prolific, pid("anna"))
    key = form(client, prolific)["key"]
    client.post(address(prolific, "draft"), {"key": key, "text": "anna wrote this"})
    # Another person at the same computer.
    come(prolific, pid("bela"), client)
    page = form(client, prolific)
    assert "anna wrote this" not in page["page"]
    assert page["key"] != key
    assert answer(client, prolific, key=key).status_code == 409
    assert not Edit.objects.exists()
    assert Assignment.objects.get(key=key).draft == "anna wrote this"


def test_who_comes_after_somebody_cannot_take_back_their_judgment(prolific):
    for number in range(6):
        editor = come(prolific, pid(f"editor{number}"))
        for _ in range(3):
            answer(editor, prolific)
    client = come(prolific, pid("anna"))
    answer(client, prolific, action="a")
    of_anna = Judgment.objects.get()
    come(prolific, pid("bela"), client)
    assert "Undo the last answer" not in form(client, prolific)["page"]
    client.post(
        address(prolific, "undo"),
        {"replaced": str(of_anna.form_key), "key": str(uuid4()), "action": "b"},
    )
    assert list(Judgment.objects.values_list("standing", flat=True)) == ["counted"]


def test_a_token_that_was_planted_opens_nothing(prolific):
    """Who sets a victim's cookie beforehand learns nothing from it afterwards."""
    attacker = come(prolific, pid("mallory"))
    planted = attacker.cookies["take"].value
    victim = Client()
    victim.cookies["take"] = planted
    come(prolific, pid("anna"), victim)
    assert victim.cookies["take"].value != planted
    answer(victim, prolific, text="words of the victim")
    assert Edit.objects.get().participant.identity == "anna"
    assert "words of the victim" not in form(attacker, prolific)["page"]
    # Nor does a token that nobody ever gave out.
    made_up = Client()
    made_up.cookies["take"] = "x" * 43
    come(prolific, pid("bela"), made_up)
    assert made_up.cookies["take"].value != "x" * 43


def test_a_stolen_link_takes_nothing_over_in_silence(prolific):
    owner = come(prolific, pid("anna"))
    key = form(owner, prolific)["key"]
    owner.post(address(prolific, "draft"), {"key": key, "text": "half a sentence"})
    thief = Client()
    seen = thief.get(address(prolific) + pid("anna")).content
    seen += thief.post(address(prolific, "consent") + pid("anna")).content
    seen += thief.get(address(prolific, "task")).content
    assert b"half a sentence" not in seen
    assert key.encode() not in seen
    assert "take" not in thief.cookies
    # The owner goes on undisturbed, and nobody is flagged.
    assert answer(owner, prolific).status_code == 302
    assert Participant.objects.get().flags == []


# --- Answers that should not be --------------------------------------------------------------------


def test_what_an_excluded_person_sends_is_kept_and_never_counts(study):
    client = come(study)
    first = form(client, study)["key"]
    answer(client, study, text="before")
    held = form(client, study)["key"]
    exclude(Participant.objects.get(), "for the test")
    # A replay, the task that was in hand, and a task that is asked for.
    assert answer_with(client, study, first, "again").status_code < 500
    assert answer_with(client, study, held, "after").status_code < 500
    assert "data-kind" not in client.get(address(study, "task")).content.decode()
    assert dict(Edit.objects.values_list("text", "standing")) == {
        "before": "excluded",
        "after": "excluded",
    }
    assert not Slot.objects.filter(state__in=["filled", "leased"]).exists()


def answer_with(client, study, key: str, text: str):
    return client.post(address(study, "task"), {"key": key, "action": "submit", "text": text})


def test_after_their_data_are_deleted_nothing_comes_back(study):
    client = come(study)
    key = form(client, study)["key"]
    client.cookies["keep"] = "me"
    token = client.cookies["take"].value
    client.post(address(study, "leave"), {"action": "erase"})
    client.cookies["take"] = token
    for page in ("task", "draft", "undo", "finish", "leave"):
        sent = {"key": key, "text": "back again", "action": "submit"}
        assert client.post(address(study, page), sent).status_code == 403, page
    assert not Edit.objects.exists()
    assert Participant.objects.get().state == "erased"


def test_a_judgment_cannot_be_given_by_the_form_of_an_edit(study):
    client = come(study)
    key = form(client, study)["key"]
    for action in ("a", "b", "same"):
        assert answer(client, study, key=key, action=action).status_code == 409
    assert not Judgment.objects.exists()
    assert Assignment.objects.get().state == "held"


def test_the_take_cookie_signs_nobody_in_as_a_researcher(study):
    client = come(study)
    for path in ("/studies/", study.get_absolute_url(), "/admin/"):
        assert client.get(path).status_code == 302
    assert "sessionid" not in client.cookies
