"""What reaches participants, in every state, from honest and from other hands."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from studies.actions.participants import invite
from studies.actions.running import pause_study, stop_study
from studies.core.conduct import Conduct
from studies.models import Assignment, Edit, Judgment, Participant, Slot, Study
from tests.studies.making import make_running_study, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(user):
    return make_running_study(user)


def address(study, page: str = "arrive") -> str:
    return reverse(f"studies:{page}", args=[study.code])


def come(study, query: str = "", client: Client | None = None) -> Client:
    """Through the door, the consent and the instructions, to the first task."""
    client = client or Client()
    assert client.get(address(study) + query).status_code == 200
    answer = client.post(address(study, "consent") + query)
    assert answer.status_code == 302, answer.content
    client.post(address(study, "instructions"))
    return client


def form(client, study) -> dict[str, str]:
    page = client.get(address(study, "task")).content.decode()
    return {
        "key": re.search(r'name="key" value="([^"]+)"', page)[1],
        "page": page,
    }


def answer(client, study, **fields):
    return client.post(
        address(study, "task"),
        {"key": form(client, study)["key"], "action": "submit", "text": "a sentence"} | fields,
    )


def finish_editing(study) -> list[Client]:
    crowd = [come(study) for _ in range(6)]
    for client in crowd:
        for _ in range(study.the_design.sample_size):
            assert answer(client, study).status_code == 302
    return crowd


# --- Honest -------------------------------------------------------------------------------------


def test_the_way_from_the_door_to_the_end(study):
    client = Client()
    assert "I agree" in client.get(address(study)).content.decode()
    assert not Participant.objects.exists()
    page = client.post(address(study, "consent"), follow=True)
    assert page.redirect_chain == [(address(study, "instructions"), 302)]
    one = Participant.objects.get()
    assert (one.state, one.consent_version, one.arrival) == ("working", 1, "open")
    page = client.post(address(study, "instructions"), follow=True).content.decode()
    assert page.count('class="sentence"') == 3
    for _ in range(3):
        answer(client, study)
    assert Edit.objects.filter(participant=one, standing="counted").count() == 3
    page = client.get(address(study, "task")).content.decode()
    assert "Nothing to do at the moment" in page
    page = client.post(address(study, "finish"), follow=True).content.decode()
    assert "You have done 3 tasks." in page


def test_scripts_get_the_next_task_in_one_round_trip(study):
    client = come(study)
    first = form(client, study)["key"]
    page = client.post(
        address(study, "task"),
        {"key": first, "action": "submit", "text": "one", "keys": "12", "active": "2500"},
        headers={"X-Take": "script"},
    )
    assert page.status_code == 200
    assert 'id="task"' in page.content.decode()
    edit = Edit.objects.get()
    assert (edit.keystrokes, edit.active_seconds, edit.pastes) == (12, 2.5, None)


def test_without_scripts_a_translation_is_copied_by_the_server(study):
    client = come(study)
    page = form(client, study)
    second = re.findall(r'<p class="sentence"[^>]*>([^<]+)<', page["page"])[1]
    answer_ = client.post(address(study, "task"), {"key": page["key"], "copy": "2"}, follow=True)
    assert f"{second}</textarea>" in answer_.content.decode()


def test_a_draft_is_there_again(study):
    client = come(study)
    page = form(client, study)
    kept = client.post(address(study, "draft"), {"key": page["key"], "text": "half a sent"})
    assert kept.status_code == 204
    assert "half a sent</textarea>" in client.get(address(study, "task")).content.decode()


def test_an_empty_sentence_is_asked_for_again(study):
    client = come(study)
    page = answer(client, study, text="   ")
    assert page.status_code == 422
    assert "There is no sentence yet" in page.content.decode()


def test_what_makes_no_sense(study):
    client = come(study)
    answer(client, study, action="pass", text="")
    edit = Edit.objects.get()
    assert (edit.made_no_sense, edit.standing) == (True, "passed")


def test_judging_and_taking_back(study):
    finish_editing(study)
    Edit.objects.update(text=F("id"))
    judge = come(study)
    task = Slot.objects.get(state="leased") if form(judge, study) else None
    answer(judge, study, action="a")
    page = judge.get(address(study, "undo")).content.decode()
    old = Judgment.objects.get()
    assert str(old.first_id) in page
    assert task.task_id == old.task_id
    again = {
        "key": re.search(r'name="key" value="([^"]+)"', page)[1],
        "replaced": re.search(r'name="replaced" value="([^"]+)"', page)[1],
    }
    assert judge.post(address(study, "undo"), again | {"action": "same"}).status_code == 302
    choices = Judgment.objects.order_by("pk").values_list("standing", "choice")
    assert [standing for standing, _ in choices] == ["undone", "counted"]
    assert choices[1][1] == "same"


def test_the_limit_ends_with_thanks_and_a_code(user):
    study = make_running_study(user, conduct=Conduct(tasks_per_participant=1))
    Study.objects.update(
        completion_address="https://platform.example/complete?x=1", code_finished="DONE42"
    )
    client = come(study)
    answer(client, study)
    page = client.get(address(study, "task"), follow=True).content.decode()
    assert "DONE42" in page
    assert "https://platform.example/complete?x=1&amp;cc=DONE42" in page
    assert Participant.objects.get().state == "finished"


def test_leaving_gives_the_task_to_others(study):
    client = come(study)
    form(client, study)
    assert Slot.objects.filter(state="leased").count() == 1
    page = client.post(address(study, "leave"), {"action": "leave"}, follow=True)
    assert "Thank you" in page.content.decode()
    assert not Slot.objects.filter(state="leased").exists()


def test_delete_my_data_deletes_it(study):
    client = come(study)
    answer(client, study, text="words of mine")
    form(client, study)
    page = client.post(address(study, "leave"), {"action": "erase"})
    assert "Your data are deleted" in page.content.decode()
    assert not Edit.objects.exists()
    assert not Assignment.objects.exists()
    one = Participant.objects.get()
    assert (one.state, one.identity, one.token_hash) == ("erased", None, None)
    assert not Slot.objects.filter(state__in=["leased", "filled"]).exists()
    assert client.get(address(study, "task")).status_code == 403


def test_an_erased_edit_that_was_judged_keeps_its_judgment_without_its_text(study):
    crowd = finish_editing(study)
    judge = come(study)
    answer(judge, study, action="a")
    judged = Judgment.objects.get().first
    for client in crowd:
        one = Participant.objects.get(token_hash=judged.participant.token_hash)
        if client.cookies["take"].value and _is(client, one):
            client.post(address(study, "leave"), {"action": "erase"})
    judged.refresh_from_db()
    assert (judged.text, judged.erased) == ("", True)
    assert Judgment.objects.get().standing == "stale"
    # Its sentence is open for another editor, and its pairs wait for that.
    assert Slot.objects.get(pk=judged.slot_id).state == "open"


def _is(client, participant) -> bool:
    from studies.actions.participants import hash_token

    return hash_token(client.cookies["take"].value) == participant.token_hash


# --- Arriving -------------------------------------------------------------------------------------


def test_the_same_browser_goes_on_where_it_was(study):
    client = come(study)
    key = form(client, study)["key"]
    assert client.get(address(study)).status_code == 302
    assert form(client, study)["key"] == key
    assert Participant.objects.count() == 1


@pytest.fixture
def prolific(study):
    Study.objects.update(prolific_study="studyA", is_open=False)
    return study


def pid(name: str, study_id: str = "studyA") -> str:
    return f"?PROLIFIC_PID={name}&STUDY_ID={study_id}&SESSION_ID=s1"


def test_another_identity_in_the_same_browser_starts_afresh(prolific):
    client = come(prolific, pid("anna"))
    answer(client, prolific)
    come(prolific, pid("bela"), client)
    assert list(Participant.objects.values_list("identity", flat=True)) == ["anna", "bela"]
    answer(client, prolific)
    assert Edit.objects.filter(participant__identity="bela").count() == 1


def test_the_same_identity_elsewhere_goes_on_when_the_person_says_so(prolific):
    old = come(prolific, pid("anna"))
    old.post(address(prolific, "draft"), {"key": form(old, prolific)["key"], "text": "half"})
    new = Client()
    page = new.post(address(prolific, "consent") + pid("anna"))
    assert "You have begun in another browser" in page.content.decode()
    assert "take" not in new.cookies
    new.post(address(prolific, "consent") + pid("anna"), {"move": "yes"})
    assert "half</textarea>" in form(new, prolific)["page"]
    # The old browser is told, and can do nothing more.
    assert old.get(address(prolific, "task")).status_code == 403
    assert Participant.objects.get().flags == ["went on in another browser"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        pid("anna", "studyB"),
        pid(""),
        pid("a" * 200),
        pid("<script>"),
        "?PROLIFIC_PID=anna",
        "?invitation=guessed",
        "?simulated=1",
    ],
)
def test_a_forged_link_lets_nobody_in(prolific, query):
    client = Client()
    client.get(address(prolific) + query)
    assert client.post(address(prolific, "consent") + query).status_code == 403
    assert not Participant.objects.exists()


def test_prolific_is_refused_where_the_study_does_not_use_it(study):
    assert Client().get(address(study) + pid("anna")).status_code == 403


def test_an_invitation_is_for_one(study):
    invited = invite(study, 2)
    link = f"?invitation={invited[0].identity}"
    client = come(study, link)
    answer(client, study)
    assert Edit.objects.get().participant == invited[0]
    other = Client().post(address(study, "consent") + link)
    assert "You have begun in another browser" in other.content.decode()


def test_another_platform_names_people_by_its_own_parameter(study):
    Study.objects.update(identity_parameter="worker")
    come(study, "?worker=w1")
    assert Participant.objects.get().arrival == "provider"


@pytest.mark.parametrize("state", ["draft", "frozen", "paused", "ended"])
def test_the_door_is_shut_unless_the_study_runs(user, state):
    study = make_study(user) if state == "draft" else make_running_study(user)
    if state == "frozen":
        Study.objects.update(state="frozen")
    elif state == "paused":
        pause_study(study)
    elif state == "ended":
        stop_study(study)
    expected = 404 if state == "draft" else 200
    page = Client().get(address(study))
    assert page.status_code == expected
    assert "I agree" not in page.content.decode()
    Client().post(address(study, "consent"))
    assert not Participant.objects.exists()


@pytest.mark.parametrize(
    ("chosen", "asked", "expected"),
    [
        ("", "ar", "rtl"),
        ("", "en", "ltr"),
        ("", "xx", "ltr"),
        ("ar", "en", "rtl"),
        ("en", "ar", "ltr"),
    ],
)
def test_pages_speak_the_language_of_the_study_or_of_the_browser(study, chosen, asked, expected):
    Study.objects.update(interface=chosen)
    client = come(study)
    for page in ("task", "leave", "instructions"):
        answer_ = client.get(address(study, page), headers={"Accept-Language": asked})
        assert f'dir="{expected}">' in answer_.content.decode()[:200]
    # What is not a participant's stays as it was.
    assert 'lang="en"' in client.get("/account/login/").content.decode()


# --- Blind ----------------------------------------------------------------------------------------


def everything(response) -> str:
    headers = "\n".join(f"{name}: {value}" for name, value in response.items())
    return headers + str(response.cookies) + response.content.decode()


def test_no_byte_tells_where_a_text_is_from(user):
    study = make_running_study(user)
    Study.objects.update(name="A study of sentences")
    names = ["zq-one-best", "zq-diverse-lists"]
    for condition, name in zip(study.conditions.all(), names, strict=True):
        type(condition).objects.filter(pk=condition.pk).update(name=name)
    type(study.corpus).objects.update(name="zq-corpus")
    study.conditions.first().system.__class__.objects.update(name="zq-system")
    for number, version in enumerate(c.recipe_version for c in study.conditions.all()):
        type(version.recipe).objects.filter(pk=version.recipe_id).update(name=f"zq-recipe{number}")
    # Texts that do not name their condition, as texts of real lists do not.
    for task in study.tasks.filter(kind="editing"):
        task.texts = [f"shown text {place}" for place in range(3)]
        task.save()
    study.tasks.filter(kind="eval").update(texts=["the zq-reference"])
    study.corpus.segments.update(source="zq-source")
    seen = {"editing": "", "eval": "", "other": ""}
    crowd = []
    for _ in range(6):
        client = Client()
        for path in ("arrive", "leave"):
            seen["other"] += everything(client.get(address(study, path)))
        crowd.append(come(study, client=client))
        seen["other"] += everything(client.get(address(study, "instructions")))
        for _ in range(3):
            page = client.get(address(study, "task"))
            seen["editing"] += everything(page)
            key = re.search(r'name="key" value="([^"]+)"', page.content.decode())[1]
            seen["editing"] += everything(
                client.post(address(study, "draft"), {"key": key, "text": "x"})
            )
            seen["editing"] += everything(answer(client, study, text=f"edit {uuid4()}"))
    judge = come(study)
    for _ in range(3):
        seen["eval"] += everything(judge.get(address(study, "task")))
        seen["eval"] += everything(judge.get(address(study, "task") + "?differences=1"))
        seen["eval"] += everything(answer(judge, study, action="a"))
        seen["eval"] += everything(judge.get(address(study, "undo")))
    words = ["zq-one", "zq-diverse", "zq-corpus", "zq-system", "zq-recipe", "zq-source",
             "condition", "rank", "recipe", "baseline", "swapped"]  # fmt: skip
    for stage, text in seen.items():
        assert text
        for word in words:
            assert word not in text.lower(), (stage, word)
    assert "zq-reference" not in seen["editing"]
    assert "zq-reference" in seen["eval"]
    assert "shown text" in seen["editing"]
    assert "shown text" not in seen["eval"]


def test_no_identifier_of_the_database_reaches_a_page(study):
    """Ids count up in the order of the plan, so they would tell which tasks belong together."""
    Slot.objects.update(position=F("position") + 7_000_000)
    finish_editing(study)
    client = come(study)
    page = form(client, study)["page"]
    assert not re.search(r"/\d+/|[\"'=-]\d{2,}[\"'&]", re.sub(r"content='[^']*'", "", page))


def test_keys_are_random(study):
    keys = [form(come(study), study)["key"] for _ in range(3)]
    assert len({key[:4] for key in keys}) == 3
    assert {key[14] for key in keys} == {"4"}


def test_which_of_a_pair_stands_first_is_as_planned(study):
    finish_editing(study)
    judge = come(study)
    page = form(judge, study)["page"]
    slot = Slot.objects.select_related("task").get(state="leased")
    first, second = (
        Edit.objects.get(task=task, standing="counted")
        for task in (slot.task.first_id, slot.task.second_id)
    )
    Edit.objects.filter(pk=first.pk).update(text="this is the first")
    Edit.objects.filter(pk=second.pk).update(text="this is the second")
    page = form(judge, study)["page"]
    before = page.index("this is the first") < page.index("this is the second")
    assert before != slot.swapped


# --- Other hands ----------------------------------------------------------------------------------


def test_without_its_csrf_token_no_form_is_taken(study):
    client = come(study)
    key = form(client, study)["key"]
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    for page in ("consent", "instructions", "task", "draft", "undo", "finish", "leave"):
        sent = strict.post(address(study, page), {"key": key, "text": "x", "action": "erase"})
        assert sent.status_code == 403, page
    assert Participant.objects.get().state == "working"


def test_the_key_of_another_opens_nothing(study):
    one, two = come(study), come(study)
    key = form(one, study)["key"]
    two.post(address(study, "draft"), {"key": key, "text": "stolen"})
    assert answer(two, study, key=key).status_code == 409
    assert not Edit.objects.exists()
    assert not Assignment.objects.exclude(draft="").exists()


@pytest.mark.parametrize(
    "key", ["", "1", "x" * 500, "' OR 1=1 --", "574497fd-9c0b-4652-9838-cbe6ff2bc16c", "\x00"]
)
def test_a_guessed_key_opens_nothing(study, key):
    client = come(study)
    assert answer(client, study, key=key).status_code == 409
    assert client.post(address(study, "draft"), {"key": key, "text": "x"}).status_code == 409
    assert not Edit.objects.exists()


def test_a_replayed_form_changes_nothing(study):
    client = come(study)
    key = form(client, study)["key"]
    for text in ("first", "second", ""):
        client.post(address(study, "task"), {"key": key, "action": "submit", "text": text})
    assert [edit.text for edit in Edit.objects.all()] == ["first"]


def test_the_cookie_of_one_study_opens_no_other(user, study):
    other = make_running_study(user)
    client = come(study)
    stolen = Client()
    stolen.cookies["take"] = client.cookies["take"].value
    assert stolen.get(address(other, "task")).status_code == 403
    assert client.cookies["take"]["path"] == address(study)
    assert client.cookies["take"]["httponly"]
    assert client.cookies["take"]["samesite"] == "Lax"


@pytest.mark.parametrize("page", ["task", "instructions", "leave", "done", "undo"])
def test_without_a_cookie_nothing_opens(study, page):
    assert Client().get(address(study, page)).status_code == 403


def test_html_is_text(study):
    finish_editing(study)
    Edit.objects.update(text="<script>alert(1)</script> & <b>bold</b>")
    page = form(come(study), study)["page"]
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("a\x00b\x1b[31m", "ab[31m"),
        ("right \u202eto left", "right to left"),
        ("zero\ufeffwidth\u200b", "zerowidth"),
        ("lone \ud800 surrogate", None),
    ],
)
def test_what_cannot_be_seen_is_not_kept(study, sent, kept):
    client = come(study)
    if kept is None:
        body = f"key={form(client, study)['key']}&action=submit&text=lone+%ED%A0%80+surrogate"
        client.post(address(study, "task"), body, content_type="application/x-www-form-urlencoded")
        assert "\ud800" not in Edit.objects.get().text
        return
    answer(client, study, text=sent)
    assert Edit.objects.get().text == kept


def test_a_text_that_is_too_long_is_refused_with_words_and_not_lost(study):
    client = come(study)
    page = answer(client, study, text="x" * 2001)
    assert page.status_code == 422
    assert "2000 characters are allowed" in page.content.decode()
    assert "x" * 2001 in page.content.decode()
    assert client.post(
        address(study, "task"), {"text": "x" * 3_000_000, "key": "1"}
    ).status_code in (400, 413)


@pytest.mark.parametrize("count", ["-1", "1e9", "NaN", "9" * 30, "٣", "<b>"])
def test_counts_from_outside_are_bounded(study, count):
    client = come(study)
    assert answer(client, study, keys=count, active=count).status_code == 302
    keys = Edit.objects.get().keystrokes
    assert keys is None or 0 <= keys <= 1_000_000


def test_who_was_excluded_is_told_without_a_reason(study):
    from studies.actions.participants import exclude

    client = come(study)
    exclude(Participant.objects.get(), "pasted everything")
    page = client.get(address(study, "task")).content.decode()
    assert "Your part in this study is over" in page
    assert "pasted" not in page


def test_a_page_weighs_less_than_60_kb(study, settings):
    client = come(study)
    page = client.get(address(study, "task"))
    size = len(page.content)
    for name in set(re.findall(r'(?:href|src)="/static/([^"]+)"', page.content.decode())):
        size += (settings.BASE_DIR / "config/static" / name).stat().st_size
    assert size < 60_000


def test_a_lost_lease_is_said(study):
    one, two = come(study), come(study)
    key = form(one, study)["key"]
    Slot.objects.filter(assignments__key=key).update(expires_at=F("expires_at") - timedelta(days=1))
    for _ in range(2):
        answer(two, study)
    sent = one.post(address(study, "draft"), {"key": key, "text": "still writing"})
    assert sent.status_code == 409
    answer(one, study, key=key, text="still writing")
    assert Edit.objects.get(standing="late").text == "still writing"


def test_the_number_of_queries_does_not_grow_with_the_study(user, django_assert_max_num_queries):
    counts = []
    for sentences in (1, 10):
        study = make_running_study(user, sentences=sentences)
        client = come(study)
        with django_assert_max_num_queries(30) as caught:
            client.get(address(study, "task"))
        counts.append(len(caught))
    assert counts[0] == counts[1]
