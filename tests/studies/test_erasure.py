"""What is left of a person who had their data deleted: every row of every table is searched."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.db.models.functions import Now

from studies import exports
from studies.actions.handing_out import (
    Telemetry,
    lease_next,
    pass_task,
    revise_judgment,
    save_draft,
    submit_edit,
    submit_judgment,
)
from studies.actions.participants import Identity, add_participant, consent, erase, instruct
from studies.models import Check, Edit, EntryAnswer, Judgment, Notice, Participant, Slot
from tests.studies.making import make_participant, make_running_study

pytestmark = pytest.mark.django_db
_MARK = "zqmark"


def everything() -> dict[str, str]:
    """The rows of all tables, as text."""
    found = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)}")
            found[table] = "\n".join(map(str, cursor.fetchall()))
    return found


def tables_with(words: set[str]) -> dict[str, set[str]]:
    return {
        table: {word for word in words if word in rows}
        for table, rows in everything().items()
        if any(word in rows for word in words)
    }


def come(study, name: str):
    made, token = add_participant(
        study, Identity("prolific", f"{_MARK}-{name}", f"{_MARK}-session")
    )
    consent(made, 1)
    instruct(made, {"editing": 1})
    made.refresh_from_db()
    return made, token


@pytest.fixture
def study(user):
    return make_running_study(user, sentences=2)


@pytest.fixture
def author(study):
    """Somebody who has left something in every table that can hold what people give."""
    one, _ = come(study, "author")
    done = lease_next(one.pk)
    told = Telemetry(active_seconds=12.0, keystrokes=4711, pasted_characters=815)
    submit_edit(one.pk, done.key, f"{_MARK} an edit that is judged", told)
    held = lease_next(one.pk)
    save_draft(one.pk, held.key, f"{_MARK} a draft")
    # Their first sentence is finished by others, and judged.
    for _ in range(5):
        other = make_participant(study)
        submit_edit(other.pk, lease_next(other.pk).key, "an edit of another")
    judged = Slot.objects.filter(kind="eval", task__first__slots=done.slot_id).first()
    judged = judged or Slot.objects.filter(kind="eval", task__second__slots=done.slot_id).first()
    Slot.objects.filter(kind="eval").exclude(pk=judged.pk).filter(state="open").update(state="void")
    Slot.objects.filter(kind="editing", state="open").update(state="void")
    judge = make_participant(study)
    submit_judgment(judge.pk, lease_next(judge.pk).key, "a")
    Participant.objects.filter(pk=one.pk).update(
        flags=[f"{_MARK} flag"], exclusion=f"{_MARK} exclusion"
    )
    EntryAnswer.objects.create(
        participant=one, kind="screening", number=1, answer=f"{_MARK} answer", is_right=True,
        answered_at=Now(),
    )  # fmt: skip
    Notice.objects.create(study=study, participant=one, outcome="finished", body=f"{_MARK} notice")
    Check.objects.create(
        participant=one, number=1, reference=f"{_MARK} check", texts=["a", "b"], right="a",
        choice="b", assigned_at=Now(),
    )  # fmt: skip
    one.refresh_from_db()
    return one


def test_no_row_of_any_table_holds_what_they_gave_or_who_they_were(author, study):
    words = {_MARK, author.token_hash, author.pseudonym, "4711", "815"}
    before = tables_with(words)
    assert before.keys() >= {
        "studies_assignment", "studies_check", "studies_edit", "studies_entryanswer",
        "studies_notice", "studies_participant",
    }  # fmt: skip
    erase(author)
    assert tables_with(words - {"4711", "815"}) == {}
    edit = Edit.objects.get(participant=author)
    assert (edit.erased, edit.text, edit.standing) == (True, "", "excluded")
    assert {getattr(edit, name) for name in Telemetry().of_edit} == {None}
    # The judgment about it is another person's: it stays, without counting.
    assert Judgment.objects.get().standing == "stale"
    assert not Slot.objects.filter(participant=author).exists()


def test_no_file_holds_it_either(author, study):
    def files() -> str:
        return "".join(
            line
            for table in exports.TABLES.values()
            for line in exports.as_json_lines(table, study, everything=True)
        )

    texts = files()
    assert _MARK in texts
    assert author.pseudonym in texts
    erase(author)
    texts = files()
    assert _MARK not in texts
    assert author.pseudonym not in texts


def test_what_was_never_judged_leaves_no_row(study):
    one, _ = come(study, "editor")
    task = lease_next(one.pk)
    pass_task(one.pk, task.key)
    submit_edit(one.pk, lease_next(one.pk).key, f"{_MARK} alone")
    erase(one)
    assert not one.edits.exists()
    assert not one.assignments.exists()
    assert tables_with({_MARK}) == {}


def test_a_judges_answers_go_with_those_that_were_taken_back(study):
    for _ in range(6):
        editor = make_participant(study)
        for _ in range(2):
            submit_edit(editor.pk, lease_next(editor.pk).key, "a sentence")
    judge, _ = come(study, "judge")
    task = lease_next(judge.pk)
    submit_judgment(judge.pk, task.key, "a")
    revise_judgment(judge.pk, task.key, uuid4(), "b")
    assert Judgment.objects.count() == 2
    erase(judge)
    assert not Judgment.objects.exists()
    task.slot.refresh_from_db()
    assert (task.slot.state, task.slot.participant) == ("open", None)


def test_every_table_that_points_at_a_participant_is_looked_at(author):
    """A new one has to be thought of here, and in `erase`."""
    kept = {"Slot", "Payment"}  # who holds it; that somebody was paid
    pointing = {
        model.__name__
        for model in apps.get_app_config("studies").get_models()
        for field in model._meta.fields
        if field.related_model is Participant
    }
    filled = {
        model.__name__
        for model in apps.get_app_config("studies").get_models()
        for field in model._meta.fields
        if field.related_model is Participant
        and model._default_manager.filter(**{field.name: author}).exists()
    }
    assert pointing - kept - {"Judgment"} == filled - kept
