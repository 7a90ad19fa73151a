"""Which slots are free for whom. None of these looks at more than a person's part of a study."""

from __future__ import annotations

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from studies.models import Assignment, Kind, Participant, Slot


def free_slots(participant: Participant, kind: str, *, pairs_per_judge: int = 1) -> QuerySet[Slot]:
    """Open slots that this person may do, in the order of the plan.

    `studies.core.assignment.may_meet` says the same in plain words.
    """
    met = Assignment.objects.filter(participant=participant, segment=OuterRef("segment"))
    free = Slot.objects.filter(
        study_id=participant.study_id, kind=kind, state=Slot.State.OPEN
    ).order_by("position")
    if kind == Kind.EDITING or pairs_per_judge == 1:
        return free.filter(~Exists(met))
    judged = met.filter(kind=Kind.EVAL, turn__gte=pairs_per_judge)
    same_task = Assignment.objects.filter(participant=participant, task=OuterRef("task"))
    return free.filter(~Exists(met.filter(kind=Kind.EDITING)), ~Exists(judged), ~Exists(same_task))


def run_out(study_id: int) -> QuerySet[Slot]:
    """Leased, and not heard of for too long: by the database's clock alone."""
    return Slot.objects.filter(study_id=study_id, state=Slot.State.LEASED, expires_at__lt=Now())


def unfinished_editing(study_id: int, segment_id: int | None = None) -> QuerySet[Slot]:
    """EDITING slots that still may bring an edit, of one sentence or of the whole study."""
    slots = Slot.objects.filter(
        study_id=study_id,
        kind=Kind.EDITING,
        state__in=[Slot.State.WAITING, Slot.State.OPEN, Slot.State.LEASED],
    )
    return slots if segment_id is None else slots.filter(segment_id=segment_id)


def open_or_coming(study_id: int) -> QuerySet[Slot]:
    """What is not answered yet."""
    return Slot.objects.filter(study_id=study_id).exclude(
        Q(state=Slot.State.FILLED) | Q(state=Slot.State.VOID)
    )
