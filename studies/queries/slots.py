"""How far the answering is. What is claimed for whom: actions/handing_out_statements.py."""

from __future__ import annotations

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from studies.models import Kind, Slot


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
