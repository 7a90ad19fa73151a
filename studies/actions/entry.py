"""Screening and training: what a person goes through between agreeing and their first task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models.functions import Now

from evaluation.core.errors import InputError
from studies.actions.notices import announce
from studies.core.assignment import EVAL
from studies.core.entry import ASKED, CHOICES, FAILED, PASSED, Item, Progress, progress
from studies.core.texts import clean_edit
from studies.models import EntryAnswer, Participant

State, Kind = Participant.State, EntryAnswer.Kind


def gate(participant: Participant) -> str:
    """The page that stands before the person's next task, or nothing. It asks no database."""
    entry = participant.study.entry
    if participant.state in (State.SCREENED, State.UNQUALIFIED):
        return "done"
    if entry.get("questions") and participant.screened_at is None:
        return "screening"
    if participant.instructed_at is None:
        return "instructions"
    if entry.get("items") and participant.trained_at is None:
        return "training"
    return ""


# --- Screening ------------------------------------------------------------------------------------


@transaction.atomic
def answer_screening(participant: Participant, answers: Mapping[int, str]) -> bool:
    """Keep the answers, by the number of their question; whether they let the person in.

    The first answers stand: nobody tries until they are let in. A simulated crowd is let in, or a
    pilot would end at the door.
    """
    locked = (
        Participant.objects.select_for_update(of=("self",))
        .select_related("study")
        .get(pk=participant.pk)
    )
    if locked.screened_at is not None or locked.state != State.WORKING:
        return locked.state == State.WORKING
    questions = locked.study.the_entry.questions
    given = []
    for number, question in enumerate(questions, start=1):
        answer = answers.get(number, "")
        if answer not in question.answers:
            raise InputError("a question has no answer yet", hint="Answer every question.")
        right = answer in question.admitted or locked.is_simulated
        given.append(
            EntryAnswer(
                participant=locked,
                kind=Kind.SCREENING,
                number=number,
                answer=answer,
                is_right=right,
                answered_at=Now(),
            )
        )
    EntryAnswer.objects.bulk_create(given)
    if all(one.is_right for one in given):
        Participant.objects.filter(pk=locked.pk).update(screened_at=Now())
        return True
    _turn_away(locked, State.SCREENED)
    return False


def _turn_away(participant: Participant, state: str) -> None:
    Participant.objects.filter(pk=participant.pk).update(state=state, ended_at=Now())
    announce(participant, state)


# --- Training -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Feedback:
    """What is said about an answer of the training."""

    item: Item
    answer: str
    is_right: bool
    number: int


def training_progress(participant: Participant) -> Progress:
    """Where the person is in the training of their study."""
    given = participant.entry_answers.filter(kind=Kind.TRAINING).values_list(
        "attempt", "number", "is_right"
    )
    return progress(participant.study.the_entry, given)


@transaction.atomic
def answer_training(participant: Participant, attempt: int, number: int, answer: str) -> None:
    """Keep an answer to a training item. Sent twice or too late, it changes nothing."""
    locked = (
        Participant.objects.select_for_update(of=("self",))
        .select_related("study")
        .get(pk=participant.pk)
    )
    if locked.trained_at is not None or locked.state != State.WORKING:
        return
    entry = locked.study.the_entry
    before = training_progress(locked)
    wanted = (before.attempt, before.number) if before.state == ASKED else (before.attempt + 1, 1)
    if (attempt, number) != wanted or before.state in (PASSED, FAILED):
        return
    item = entry.items[number - 1]
    text = answer if item.kind == EVAL else clean_edit(answer)
    if not text:
        raise InputError("there is no sentence yet", hint="Write one, or say that you cannot.")
    if item.kind == EVAL and text not in CHOICES:
        raise InputError("there was no choice", hint="Choose A, B or the same.")
    EntryAnswer.objects.create(
        participant=locked,
        kind=Kind.TRAINING,
        attempt=attempt,
        number=number,
        answer=text,
        is_right=locked.is_simulated or item.is_right(text, closeness=entry.closeness),
        answered_at=Now(),
    )
    after = training_progress(locked)
    if after.state == PASSED:
        Participant.objects.filter(pk=locked.pk).update(trained_at=Now())
    elif after.state == FAILED:
        _turn_away(locked, State.UNQUALIFIED)


def feedback(participant: Participant, attempt: int, number: int) -> Feedback | None:
    """What is said about an answer that the person gave."""
    given = participant.entry_answers.filter(
        kind=Kind.TRAINING, attempt=attempt, number=number
    ).first()
    if given is None:
        return None
    item = participant.study.the_entry.items[number - 1]
    return Feedback(item, given.answer, given.is_right, number)
