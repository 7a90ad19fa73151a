"""When a sentence's edits can be judged, and in which order what belongs to it is locked.

Everybody who writes takes locks in one order, so that nobody waits in a circle: a participant's
row; then slots by their ids (a study's EDITING slots were made before its EVAL slots); then
assignments and answers. Claims pass over what is locked and wait for nobody.

The first EVAL slot of a sentence is its gate: who finishes an edit or takes one back holds it while
they look whether the sentence is complete. Otherwise two who finish its last edits at once would
each see the other at work, and nobody would open it. Where judging waits for all edits, the first
EVAL slot of the study is the gate of all its sentences.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.db.models import Exists, OuterRef, Q

from studies.actions.handing_out_statements import EDITING_UNFINISHED, LOCK_GATE_OF_SENTENCE
from studies.core.conduct import Conduct
from studies.models import Kind, Slot
from studies.queries.slots import unfinished_editing


def lock_slots(study_id: int, which: Q, *, gates_of: Collection[int]) -> None:
    """Lock these slots and the gates of these sentences, by their ids, in one go."""
    of_study = Slot.objects.filter(study=study_id)
    evaluation = of_study.filter(kind=Kind.EVAL).order_by("pk").values_list("pk", flat=True)
    gates = {evaluation.filter(segment=segment).first() for segment in gates_of}
    if gates:
        gates.add(evaluation.first())
    wanted = of_study.filter(which | Q(pk__in=gates - {None})).order_by("pk")
    # The slots alone: their tasks, by which some are found, are pointed at by whoever claims.
    list(wanted.select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))


def open_if_complete(study_id: int, segment_id: int, conduct: Conduct) -> int:
    """Let a sentence be judged whose last edit has come; how many slots were opened."""
    if not conduct.eval_follows:
        evaluation = Slot.objects.filter(study=study_id, kind=Kind.EVAL).order_by("pk")
        evaluation.select_for_update(no_key=True).values_list("pk").first()
        return 0 if unfinished_editing(study_id).exists() else open_eval(study_id)
    LOCK_GATE_OF_SENTENCE.row(study=study_id, segment=segment_id)
    if EDITING_UNFINISHED.row(study=study_id, segment=segment_id):
        return 0
    return open_eval(study_id, segment_id)


def open_eval(study_id: int, segment_id: int | None = None) -> int:
    """Open the EVAL slots of a sentence, or of all, whose two edits there are; how many."""
    of: dict[str, Any] = {"study": study_id}
    if segment_id is not None:
        of["segment"] = segment_id
    waiting = Slot.objects.filter(kind=Kind.EVAL, state=Slot.State.WAITING, **of)
    lost = Slot.objects.filter(kind=Kind.EDITING, state=Slot.State.VOID, **of).values("task")
    waiting.filter(Q(task__first__in=lost) | Q(task__second__in=lost)).update(state=Slot.State.VOID)
    return waiting.update(state=Slot.State.OPEN)


def complete_but_closed(study_id: int, conduct: Conduct) -> list[int]:
    """Sentences whose edits are all there and that wait nevertheless: after an amendment, say."""
    if not conduct.eval_follows and unfinished_editing(study_id).exists():
        return []
    at_work = unfinished_editing(study_id).filter(segment=OuterRef("segment"))
    closed = Slot.objects.filter(study=study_id, kind=Kind.EVAL, state=Slot.State.WAITING)
    found = closed.filter(~Exists(at_work)).order_by("segment")
    return list(found.values_list("segment", flat=True).distinct())
