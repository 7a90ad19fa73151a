"""Tasks out, answers in: what must hold however many people, tabs and networks are at it.

Whoever writes here first locks the participant's row, then slots in the order of their ids, so
nothing waits in a circle, and a form that is sent twice waits for its twin. All times are the
database's. The constraints in models/ hold what this module promises, should it ever be wrong.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import Max, Q
from django.db.models.functions import Now

from evaluation.core.errors import InputError
from studies.core.assignment import kinds_to_try
from studies.core.conduct import Conduct
from studies.core.texts import clean_edit
from studies.models import Assignment, Edit, Judgment, Kind, Participant, Slot, Study, Task
from studies.queries.slots import free_slots, run_out, unfinished_editing

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
class _Held:
    """A form's participant, assignment and slot, all locked."""

    participant: Participant
    study: Study
    assignment: Assignment
    slot: Slot
    now: datetime
    sentence: list[Slot] = field(default_factory=list)  # EDITING: all slots of the sentence

    @property
    def is_ours(self) -> bool:
        """Whether the answer can count: nobody else has the slot, in time or not."""
        return self.study.state != Study.State.ENDED and (
            self.slot.state == Slot.State.OPEN
            or (
                self.slot.state == Slot.State.LEASED
                and self.slot.participant_id == self.participant.pk
            )
        )


# --- Out --------------------------------------------------------------------------------------


@transaction.atomic
def lease_next(participant_id: int) -> Assignment | None:
    """The task that this person has in hand, or else the next one for them; None if there is none.

    Raises NotNow when they may have none at all.
    """
    participant = _lock(participant_id)
    study = participant.study
    if participant.is_excluded or participant.state != Participant.State.WORKING:
        raise NotNow("your part in this study is over")
    held = _take_up(participant)
    if held is not None:
        return held
    if not study.is_running:
        raise NotNow("the study is not running at the moment", hint="Come back later.")
    conduct = study.the_conduct
    limit = conduct.tasks_per_participant
    if limit and tasks_done(participant) >= limit:
        return None
    expire(study.pk)
    slot = _lock_free(participant, conduct)
    if slot is None and not conduct.eval_follows and not unfinished_editing(study.pk).exists():
        # The last edits of two sentences may have come in the same moment (see `_open_eval_of`).
        slot = _lock_free(participant, conduct) if open_eval(study.pk) else None
    return None if slot is None else _assign(participant, slot, conduct)


def tasks_done(participant: Participant) -> int:
    """Answered, or given up: what a limit counts, and progress shows."""
    over = (Assignment.State.DONE, Assignment.State.PASSED)
    return Assignment.objects.filter(participant=participant, state__in=over).count()


def _lock(participant_id: int) -> Any:
    """The participant with their study, and `now` by the database's clock."""
    return (
        Participant.objects.select_for_update(of=("self",))
        .select_related("study")
        .defer("study__plan")
        .annotate(now=Now())
        .get(pk=participant_id)
    )


def _take_up(participant: Participant) -> Assignment | None:
    """What they were at, with its lease renewed: unless somebody else has it by now."""
    held = (
        Assignment.objects.filter(participant=participant, state=Assignment.State.HELD)
        .select_related("slot", "task")
        .first()
    )
    if held is None:
        return None
    if _renew(held, participant.study.the_conduct):
        return held
    Assignment.objects.filter(pk=held.pk).update(state=Assignment.State.LOST)
    return None


def _renew(held: Assignment, conduct: Conduct) -> bool:
    """Make the slot this person's (again) for a while, if it is theirs or free."""
    theirs = Q(state=Slot.State.LEASED, participant=held.participant_id)
    return bool(
        Slot.objects.filter(theirs | Q(state=Slot.State.OPEN), pk=held.slot_id).update(
            state=Slot.State.LEASED,
            participant=held.participant_id,
            expires_at=Now() + _patience(held.kind, conduct),
        )
    )


def _patience(kind: str, conduct: Conduct) -> timedelta:
    seconds = conduct.editing_seconds if kind == Kind.EDITING else conduct.eval_seconds
    return timedelta(seconds=seconds)


def _lock_free(participant: Participant, conduct: Conduct) -> Slot | None:
    for kind in kinds_to_try(participant.kind):
        free = free_slots(participant, kind, pairs_per_judge=conduct.pairs_per_judge)
        if connection.features.has_select_for_update_skip_locked:
            # Slots that others are just taking are passed over instead of waited for.
            free = free.select_for_update(skip_locked=True, of=("self",))
        slot = free.first()
        if slot is not None:
            return slot
    return None


def _assign(participant: Participant, slot: Slot, conduct: Conduct) -> Assignment:
    Slot.objects.filter(pk=slot.pk).update(
        state=Slot.State.LEASED,
        participant=participant,
        expires_at=Now() + _patience(slot.kind, conduct),
    )
    turn = 1
    if slot.kind == Kind.EVAL and conduct.pairs_per_judge > 1:
        met = Assignment.objects.filter(participant=participant, segment=slot.segment_id)
        turn += met.aggregate(last=Max("turn"))["last"] or 0
    if participant.kind != slot.kind:
        Participant.objects.filter(pk=participant.pk).update(kind=slot.kind)
    made = Assignment.objects.create(
        participant=participant,
        slot=slot,
        task_id=slot.task_id,
        kind=slot.kind,
        segment_id=slot.segment_id,
        turn=turn,
        assigned_at=Now(),
    )
    made.participant = participant
    return made


def expire(study_id: int) -> int:
    """Open what was leased to people who have not been heard of. How many."""
    if not run_out(study_id).exists():
        return 0
    with transaction.atomic():
        lost = run_out(study_id).order_by("pk")
        if connection.features.has_select_for_update_skip_locked:
            lost = lost.select_for_update(skip_locked=True)
        ids = [slot.pk for slot in lost.only("pk")[:_EXPIRED_AT_ONCE]]
        return Slot.objects.filter(pk__in=ids).update(
            state=Slot.State.OPEN, participant=None, expires_at=None
        )


# --- In ---------------------------------------------------------------------------------------


@transaction.atomic
def save_draft(participant_id: int, key: uuid.UUID, text: str) -> bool:
    """Keep what is being written, and the lease with it. False when somebody else has the task."""
    held = (
        Assignment.objects.filter(key=key, participant=participant_id, state=Assignment.State.HELD)
        .select_related("participant__study")
        .defer("participant__study__plan")
        .first()
    )
    if held is None:
        return False
    # The text is kept in any case.
    Assignment.objects.filter(pk=held.pk).update(draft=clean_edit(text), draft_at=Now())
    return _renew(held, held.participant.study.the_conduct)


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
    standing = _standing(held)
    Edit.objects.create(**_answer(held, key, standing), text=clean, **telemetry.of_edit)
    _settle(held, standing, Assignment.State.DONE)
    if standing == Edit.Standing.COUNTED:
        _fill(held)
        _open_eval_of(held)
    return Receipt(standing)


@transaction.atomic
def pass_task(participant_id: int, key: uuid.UUID, telemetry: Telemetry = Telemetry()) -> Receipt:
    """Somebody could make no sense of a task: kept, and others try; some such end the task."""
    held = _hold(participant_id, key, Kind.EDITING)
    if isinstance(held, Receipt):
        return held
    standing = Edit.Standing.PASSED if held.is_ours else Edit.Standing.LATE
    Edit.objects.create(**_answer(held, key, standing), made_no_sense=True, **telemetry.of_edit)
    _settle(held, standing, Assignment.State.PASSED)
    if standing == Edit.Standing.PASSED:
        passes = held.slot.passes + 1
        over = passes >= held.study.the_conduct.most_passes
        held.slot.state = Slot.State.VOID if over else Slot.State.OPEN
        Slot.objects.filter(pk=held.slot.pk).update(
            state=held.slot.state, participant=None, expires_at=None, passes=passes
        )
        if over:
            _open_eval_of(held)
    return Receipt(standing)


@transaction.atomic
def submit_judgment(
    participant_id: int, key: uuid.UUID, choice: str, telemetry: Telemetry = Telemetry()
) -> Receipt:
    """C5: ``choice`` is of the page: "a" is what was shown first, "b", or "same"."""
    held = _hold(participant_id, key, Kind.EVAL)
    if isinstance(held, Receipt):
        return held
    edits = edits_of(held.assignment.task)
    if edits is None:
        raise NotNow("one of the two sentences is no longer there", hint="Go on to the next task.")
    standing = _standing(held)
    Judgment.objects.create(
        **_answer(held, key, standing),
        choice=_of_pair(choice, held.slot.swapped),
        first=edits[0],
        second=edits[1],
        swapped=held.slot.swapped,
        saw_differences=telemetry.saw_differences,
        **telemetry.of_any,
    )
    _settle(held, standing, Assignment.State.DONE)
    if standing == Judgment.Standing.COUNTED:
        _fill(held)
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


@transaction.atomic
def revise_judgment(
    participant_id: int, replaced: uuid.UUID, key: uuid.UUID, choice: str
) -> Receipt:
    """Take the last judgment back and give another. Both are kept; the newer counts."""
    participant = _lock(participant_id)
    known = _received(Judgment, participant_id, key)
    if known is not None:
        return known
    old = last_judgment(participant)
    if old is None or old.form_key != replaced:
        raise NotNow("this answer can no longer be changed", hint="Go on to the next task.")
    Judgment.objects.filter(pk=old.pk).update(standing=Judgment.Standing.UNDONE)
    old.pk, old.form_key, old.choice = None, key, _of_pair(choice, old.swapped)
    old.answered_at = participant.now
    old.save(force_insert=True)
    return Receipt(old.standing)


def edits_of(task: Task) -> tuple[Edit, Edit] | None:
    """The two edits of a pair that count now, first and second."""
    found: dict[int | None, Edit] = {
        edit.task_id: edit
        for edit in Edit.objects.filter(
            task__in=[task.first_id, task.second_id], standing=Edit.Standing.COUNTED, erased=False
        )
    }
    if len(found) < 2:
        return None
    return found[task.first_id], found[task.second_id]


def _of_pair(choice: str, swapped: bool) -> str:
    """From what the page calls A and B to the pair's first and second."""
    shown = ("second", "first") if swapped else ("first", "second")
    try:
        return {"a": shown[0], "b": shown[1], "same": "same"}[choice]
    except KeyError:
        raise InputError("there was no choice", hint="Choose A, B or the same.") from None


def _received(
    answers: type[Edit | Judgment], participant_id: int, key: uuid.UUID
) -> Receipt | None:
    standing = (
        answers._default_manager.filter(form_key=key, participant=participant_id)
        .values_list("standing", flat=True)
        .first()
    )
    return None if standing is None else Receipt(standing, repeated=True)


def _hold(participant_id: int, key: uuid.UUID, kind: str) -> _Held | Receipt:
    """Lock what a form is about; a receipt if its twin was quicker."""
    participant = _lock(participant_id)
    known = _received(Edit if kind == Kind.EDITING else Judgment, participant_id, key)
    if known is not None:
        return known
    assignment = (
        Assignment.objects.filter(key=key, participant=participant, kind=kind)
        .select_related("task")
        .first()
    )
    if assignment is None:
        raise NotNow("this form is not yours, or its task is over", hint="Reload the page.")
    wanted = Slot.objects.filter(pk=assignment.slot_id)
    if kind == Kind.EDITING:
        # All slots of the sentence, or two who finish its last edits would each see the other
        # at work, and nobody would open it for judging.
        wanted = Slot.objects.filter(
            study=participant.study_id, kind=kind, segment=assignment.segment_id
        )
    sentence = list(wanted.order_by("pk").select_for_update())
    slot = next(one for one in sentence if one.pk == assignment.slot_id)
    return _Held(participant, participant.study, assignment, slot, participant.now, sentence)


def _standing(held: _Held) -> str:
    if held.participant.is_excluded:
        return Edit.Standing.EXCLUDED
    return Edit.Standing.COUNTED if held.is_ours else Edit.Standing.LATE


def _answer(held: _Held, key: uuid.UUID, standing: str) -> dict[str, object]:
    return {
        "slot": held.slot,
        "task_id": held.slot.task_id,
        "participant": held.participant,
        "assignment": held.assignment,
        "form_key": key,
        "standing": standing,
        "assigned_at": held.assignment.assigned_at,
        "answered_at": held.now,
        "seconds": (held.now - held.assignment.assigned_at).total_seconds(),
    }


def _settle(held: _Held, standing: str, state: str) -> None:
    """The form is done with; the draft of an answer that came is not needed any more."""
    Assignment.objects.filter(pk=held.assignment.pk).update(state=state, draft="")


def _fill(held: _Held) -> None:
    held.slot.state = Slot.State.FILLED
    Slot.objects.filter(pk=held.slot.pk).update(
        state=Slot.State.FILLED, participant=held.participant, expires_at=None
    )


def _open_eval_of(held: _Held) -> None:
    """Let a sentence be judged whose last edit has come (its slots are locked: see `_hold`)."""
    over = (Slot.State.FILLED, Slot.State.VOID)
    if not all(slot.state in over for slot in held.sentence):
        return
    if held.study.the_conduct.eval_follows:
        open_eval(held.study.pk, held.slot.segment_id)
    elif not unfinished_editing(held.study.pk).exists():
        open_eval(held.study.pk)


def open_eval(study_id: int, segment_id: int | None = None) -> int:
    """Open the EVAL slots of a sentence, or of all, whose two edits there are; how many."""
    waiting = Slot.objects.filter(study=study_id, kind=Kind.EVAL, state=Slot.State.WAITING)
    if segment_id is not None:
        waiting = waiting.filter(segment=segment_id)
    void = Slot.objects.filter(study=study_id, kind=Kind.EDITING, state=Slot.State.VOID)
    if segment_id is not None:
        void = void.filter(segment=segment_id)
    lost = void.values("task")
    waiting.filter(Q(task__first__in=lost) | Q(task__second__in=lost)).update(state=Slot.State.VOID)
    return waiting.update(state=Slot.State.OPEN)


__all__ = [
    "NotNow", "Receipt", "Telemetry", "edits_of", "expire", "last_judgment", "lease_next",
    "open_eval", "pass_task", "revise_judgment", "save_draft", "submit_edit", "submit_judgment",
    "tasks_done",
]  # fmt: skip
