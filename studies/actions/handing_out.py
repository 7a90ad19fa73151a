"""Tasks out, answers in: what must hold however many people, tabs and networks are at it.

Whoever writes here first locks the participant's row, so that a form that is sent twice waits for
its twin; sentences.py says in which order the rest is locked. All times are the database's. The
constraints in models/ hold what this module promises, should it ever be wrong.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from datetime import timedelta
from functools import lru_cache

from django.db import DEFAULT_DB_ALIAS, connection, transaction
from django.db.models.functions import Now

from evaluation.core.errors import InputError
from studies.actions import handing_out_statements as sql
from studies.actions.sentences import open_if_complete
from studies.core.assignment import kinds_to_try
from studies.core.conduct import Conduct, conduct_from
from studies.core.texts import clean_edit
from studies.models import Assignment, Edit, Judgment, Kind, Participant, Slot, Study, Task
from studies.queries.slots import run_out

_EXPIRED_AT_ONCE = 50


class NotNow(InputError):
    """No task can be had: the study does not run, or this person's part in it is over."""


@dataclass(frozen=True, slots=True)
class Telemetry:
    """What the browser counted while a task was done; None where it does not count."""

    active_seconds: float | None = None
    pauses: int | None = None
    focus_losses: int | None = None
    # EDITING alone
    keystrokes: int | None = None
    deletions: int | None = None
    pastes: int | None = None
    pasted_characters: int | None = None
    copied_from: int | None = None
    # EVAL alone
    saw_differences: bool = False

    @property
    def of_any(self) -> dict[str, float | int | None]:
        """What every answer has."""
        return {name: getattr(self, name) for name in ("active_seconds", "pauses", "focus_losses")}

    @property
    def of_edit(self) -> dict[str, float | int | None]:
        """What an edit has beside it."""
        names = ("keystrokes", "deletions", "pastes", "pasted_characters", "copied_from")
        return self.of_any | {name: getattr(self, name) for name in names}


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of an answer."""

    standing: str
    repeated: bool = False  # the form had been received before; nothing was changed


@dataclass(frozen=True, slots=True)
class JudgedEdit:
    """An edit as far as a judge sees it."""

    pk: int
    text: str


@dataclass(frozen=True, slots=True)
class _Person:
    """Who asks or answers, locked, with what their study says at the moment."""

    pk: int
    study: int
    state: str
    kind: str
    is_excluded: bool
    study_state: str
    conduct: Conduct


@dataclass(frozen=True, slots=True)
class _Held:
    """A form's participant, assignment and slot, all locked."""

    person: _Person
    assignment: int
    task: int
    segment: int
    slot: int
    slot_state: str
    holder: int | None
    passes: int
    swapped: bool
    first: int | None
    second: int | None

    @property
    def is_ours(self) -> bool:
        """Whether the answer can count: nobody else has the slot, in time or not."""
        return self.person.study_state != Study.State.ENDED and (
            self.slot_state == Slot.State.OPEN
            or (self.slot_state == Slot.State.LEASED and self.holder == self.person.pk)
        )

    @property
    def standing(self) -> str:
        if self.person.is_excluded:
            return Edit.Standing.EXCLUDED
        return Edit.Standing.COUNTED if self.is_ours else Edit.Standing.LATE


# --- Out --------------------------------------------------------------------------------------


@transaction.atomic
def lease_next(participant_id: int) -> Assignment | None:
    """The task that this person has in hand, or else the next one for them; None if there is none.

    Raises NotNow when they may have none at all.
    """
    person = _lock(participant_id)
    if person.is_excluded or person.state != Participant.State.WORKING:
        raise NotNow("your part in this study is over")
    held = _held(person)
    if held is not None:
        if _renew(person, held.slot_id, held.kind):
            return held
        sql.LOSE.run(assignment=held.pk)
    if person.study_state != Study.State.RUNNING:
        raise NotNow("the study is not running at the moment", hint="Come back later.")
    limit = person.conduct.tasks_per_participant
    if limit and tasks_done(person) >= limit:
        return None
    expire(person.study)
    return _held(person) if _claim(person) else None


def tasks_done(participant: Participant | _Person) -> int:
    """Answered, or given up: what a limit counts, and progress shows."""
    found = sql.TASKS_DONE.row(participant=participant.pk)
    return int(found[0]) if found else 0


@lru_cache(maxsize=64)
def _conduct(saved: str) -> Conduct:
    return conduct_from(json.loads(saved))


def _lock(participant_id: int) -> _Person:
    found = sql.LOCK_PARTICIPANT.row(participant=participant_id)
    if found is None:
        raise NotNow("your part in this study is over")
    study, state, kind, is_excluded, study_state, conduct = found
    return _Person(
        participant_id, study, state, kind, bool(is_excluded), study_state, _conduct(conduct)
    )


def _held(person: _Person) -> Assignment | None:
    """What they are at, with what its page shows; the rest is fetched when it is asked for."""
    found = sql.HELD.row(participant=person.pk)
    if found is None:
        return None
    (pk, slot, task, kind, segment, turn, key, state, draft), shown = found[:9], found[9:]
    texts, first, second, position, swapped = shown
    held = Assignment.from_db(
        DEFAULT_DB_ALIAS,
        ("id", "participant_id", "slot_id", "task_id", "kind", "segment_id", "turn", "key",
         "state", "draft"),
        (pk, person.pk, slot, task, kind, segment, turn, uuid.UUID(str(key)), state, draft),
    )  # fmt: skip
    held.task = Task.from_db(
        DEFAULT_DB_ALIAS,
        ("id", "kind", "segment_id", "texts", "first_id", "second_id"),
        (task, kind, segment, json.loads(texts), first, second),
    )
    held.slot = Slot.from_db(
        DEFAULT_DB_ALIAS,
        ("id", "task_id", "kind", "segment_id", "position", "swapped"),
        (slot, task, kind, segment, position, bool(swapped)),
    )
    held.slot.task = held.task
    return held


def _patience(kind: str, conduct: Conduct) -> int:
    return conduct.editing_seconds if kind == Kind.EDITING else conduct.eval_seconds


def _renew(person: _Person, slot: int, kind: str) -> bool:
    """Make the slot this person's (again) for a while, if it is theirs or free."""
    patience = _patience(kind, person.conduct)
    return bool(sql.RENEW.run(slot=slot, participant=person.pk, patience=patience))


def _claim(person: _Person) -> bool:
    """Take the first slot of the plan that is free for them."""
    for kind in kinds_to_try(person.kind):
        claimed = sql.CLAIM.row(
            study=person.study,
            participant=person.pk,
            kind=kind,
            pairs=person.conduct.pairs_per_judge if kind == Kind.EVAL else 1,
            patience=_patience(kind, person.conduct),
        )
        if claimed is None:
            continue
        slot, task, segment = claimed
        sql.ASSIGN.run(
            participant=person.pk, slot=slot, task=task, kind=kind, segment=segment,
            key=uuid.uuid4().hex,
        )  # fmt: skip
        if person.kind != kind:
            sql.STAY_WITH.run(participant=person.pk, kind=kind)
        return True
    return False


def expire(study_id: int) -> int:
    """Open what was leased to people who have not been heard of. How many."""
    if not sql.HAS_RUN_OUT.row(study=study_id):
        return 0
    with transaction.atomic():
        lost = run_out(study_id).order_by("pk")
        if connection.features.has_select_for_update_skip_locked:
            lost = lost.select_for_update(skip_locked=True, no_key=True)
        ids = [slot.pk for slot in lost.only("pk")[:_EXPIRED_AT_ONCE]]
        return Slot.objects.filter(pk__in=ids).update(
            state=Slot.State.OPEN, participant=None, expires_at=None
        )


# --- In ---------------------------------------------------------------------------------------


@transaction.atomic
def save_draft(participant_id: int, key: uuid.UUID, text: str) -> bool:
    """Keep what is being written, and the lease with it. False when somebody else has the task."""
    draft = clean_edit(text)
    person = _lock(participant_id)
    held = _held(person)
    if held is None or held.key != key:
        return False
    # The slot before the assignment, as everywhere. The text is kept in any case.
    renewed = _renew(person, held.slot_id, held.kind)
    sql.KEEP_DRAFT.run(assignment=held.pk, text=draft)
    return renewed


@transaction.atomic
def submit_edit(
    participant_id: int, key: uuid.UUID, text: str, telemetry: Telemetry = Telemetry()
) -> Receipt:
    """C4: the sentence that somebody made. Late ones are kept, and flagged."""
    clean = clean_edit(text)
    if not clean:
        raise InputError("there is no sentence yet", hint="Write one, or say that you cannot.")
    held = _hold(participant_id, key, Kind.EDITING)
    if isinstance(held, Receipt):
        return held
    standing = held.standing
    _add_edit(held, key, standing, telemetry, text=clean, made_no_sense=False)
    sql.SETTLE.run(assignment=held.assignment, state=Assignment.State.DONE.value)
    if standing == Edit.Standing.COUNTED:
        sql.FILL.run(slot=held.slot, participant=participant_id)
        open_if_complete(held.person.study, held.segment, held.person.conduct)
    return Receipt(standing)


@transaction.atomic
def pass_task(participant_id: int, key: uuid.UUID, telemetry: Telemetry = Telemetry()) -> Receipt:
    """Somebody could make no sense of a task: kept, and others try; some such end the task."""
    held = _hold(participant_id, key, Kind.EDITING)
    if isinstance(held, Receipt):
        return held
    standing = Edit.Standing.PASSED if held.is_ours else Edit.Standing.LATE
    _add_edit(held, key, standing, telemetry, text="", made_no_sense=True)
    sql.SETTLE.run(assignment=held.assignment, state=Assignment.State.PASSED.value)
    if standing == Edit.Standing.PASSED:
        over = held.passes + 1 >= held.person.conduct.most_passes
        state = Slot.State.VOID if over else Slot.State.OPEN
        sql.PASS_ON.run(slot=held.slot, state=state.value)
        if over:
            open_if_complete(held.person.study, held.segment, held.person.conduct)
    return Receipt(standing)


def _add_edit(
    held: _Held, key: uuid.UUID, standing: str, telemetry: Telemetry, **said: object
) -> None:
    sql.ADD_EDIT.run(
        assignment=held.assignment, key=key.hex, standing=str(standing), erased=False,
        **said, **telemetry.of_edit,
    )  # fmt: skip


@transaction.atomic
def submit_judgment(
    participant_id: int, key: uuid.UUID, choice: str, telemetry: Telemetry = Telemetry()
) -> Receipt:
    """C5: ``choice`` is of the page: "a" is what was shown first, "b", or "same"."""
    held = _hold(participant_id, key, Kind.EVAL)
    if isinstance(held, Receipt):
        return held
    edits = _edits(held.first, held.second)
    if edits is None:
        raise NotNow("one of the two sentences is no longer there", hint="Go on to the next task.")
    standing = held.standing
    sql.ADD_JUDGMENT.run(
        assignment=held.assignment,
        key=key.hex,
        standing=str(standing),
        choice=_of_pair(choice, held.swapped),
        first=edits[0].pk,
        second=edits[1].pk,
        swapped=held.swapped,
        saw_differences=telemetry.saw_differences,
        **telemetry.of_any,
    )
    sql.SETTLE.run(assignment=held.assignment, state=Assignment.State.DONE.value)
    if standing == Judgment.Standing.COUNTED:
        sql.FILL.run(slot=held.slot, participant=participant_id)
    return Receipt(standing)


def last_judgment(participant: Participant) -> Judgment | None:
    """What can still be taken back: the newest, for a while."""
    patience = timedelta(seconds=participant.study.the_conduct.undo_seconds)
    newest = (
        Judgment.objects.filter(participant=participant)
        .exclude(standing=Judgment.Standing.UNDONE)
        .select_related("task", "first", "second")
        .order_by("-pk")
    )
    return newest.filter(
        standing=Judgment.Standing.COUNTED, answered_at__gt=Now() - patience
    ).first()


def may_undo(participant: Participant) -> bool:
    """Whether there is such a judgment."""
    patience = participant.study.the_conduct.undo_seconds
    return sql.MAY_UNDO.row(participant=participant.pk, patience=patience) is not None


@transaction.atomic
def revise_judgment(
    participant_id: int, replaced: uuid.UUID, key: uuid.UUID, choice: str
) -> Receipt:
    """Take the last judgment back and give another. Both are kept; the newer counts."""
    _lock(participant_id)
    known = _received(Kind.EVAL, participant_id, key)
    if known is not None:
        return known
    participant = Participant.objects.select_related("study").get(pk=participant_id)
    old = last_judgment(participant)
    if old is not None and old.form_key == replaced:
        # The slot before the answer, as everywhere: an exclusion may just be at both.
        list(Slot.objects.filter(pk=old.slot_id).select_for_update(no_key=True).values_list("pk"))
        old = last_judgment(participant)
    if old is None or old.form_key != replaced:
        raise NotNow("this answer can no longer be changed", hint="Go on to the next task.")
    Judgment.objects.filter(pk=old.pk).update(standing=Judgment.Standing.UNDONE)
    old.pk, old.form_key, old.choice = None, key, _of_pair(choice, old.swapped)
    old.answered_at = Now()
    old.save(force_insert=True)
    return Receipt(old.standing)


def edits_of(task: Task) -> tuple[JudgedEdit, JudgedEdit] | None:
    """The two edits of a pair that count now, first and second."""
    return _edits(task.first_id, task.second_id)


def _edits(first: int | None, second: int | None) -> tuple[JudgedEdit, JudgedEdit] | None:
    found = {
        task: JudgedEdit(pk, text)
        for task, pk, text in sql.EDITS_OF_PAIR.rows(first=first, second=second)
    }
    return (found[first], found[second]) if len(found) == 2 else None


def _of_pair(choice: str, swapped: bool) -> str:
    """From what the page calls A and B to the pair's first and second."""
    shown = ("second", "first") if swapped else ("first", "second")
    try:
        return {"a": shown[0], "b": shown[1], "same": "same"}[choice]
    except KeyError:
        raise InputError("there was no choice", hint="Choose A, B or the same.") from None


def _received(kind: str, participant_id: int, key: uuid.UUID) -> Receipt | None:
    asked = sql.EDIT_RECEIVED if kind == Kind.EDITING else sql.JUDGMENT_RECEIVED
    found = asked.row(key=key.hex, participant=participant_id)
    return None if found is None else Receipt(found[0], repeated=True)


def _hold(participant_id: int, key: uuid.UUID, kind: str) -> _Held | Receipt:
    """Lock what a form is about; a receipt if its twin was quicker."""
    person = _lock(participant_id)
    known = _received(kind, participant_id, key)
    if known is not None:
        return known
    found = sql.LOCK_SLOT.row(key=key.hex, participant=participant_id, kind=str(kind))
    if found is None:
        raise NotNow("this form is not yours, or its task is over", hint="Reload the page.")
    return _Held(person, *found)


__all__ = [
    "NotNow", "Receipt", "Telemetry", "edits_of", "expire", "last_judgment", "lease_next",
    "may_undo", "pass_task", "revise_judgment", "save_draft", "submit_edit", "submit_judgment",
    "tasks_done",
]  # fmt: skip
