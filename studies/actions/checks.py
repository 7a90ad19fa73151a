"""Attention checks: shown like any EVAL task, and evidence only: nobody is rejected by them."""

from __future__ import annotations

import uuid

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from decoding.models import Reference
from evaluation.core.errors import InputError
from studies.core.checks import is_due, known_pair
from studies.models import Assignment, Check, Judgment, Kind, Participant

# So many references to choose from are enough.
_POOL = 200
MISSED = "missed an attention check"


def check_for(participant: Participant) -> Check | None:
    """The check that this person has before them, or meets now."""
    study = participant.study
    every = study.the_conduct.check_every
    if not every or participant.kind != Kind.EVAL or participant.state != "working":
        return None
    checks = list(participant.checks.order_by("number"))
    if checks and checks[-1].choice == "":
        return checks[-1]
    judged = Judgment.objects.filter(participant=participant).exclude(standing="undone").count()
    seed = study.the_design.seed
    if not is_due(seed, participant.pseudonym, judged=judged, checked=len(checks), every=every):
        return None
    if Assignment.objects.filter(participant=participant, state=Assignment.State.HELD).exists():
        return None
    texts = Reference.objects.filter(segment__corpus=study.corpus_id).exclude(
        segment__in=study.tasks.values("segment")
    )
    references = texts.order_by("pk").values_list("text", flat=True)[:_POOL]
    pair = known_pair(seed, participant.pseudonym, len(checks), list(references))
    if pair is None:
        return None
    try:
        with transaction.atomic():
            return Check.objects.create(
                participant=participant,
                number=len(checks) + 1,
                reference=pair.reference,
                texts=list(pair.texts),
                right=pair.right,
                assigned_at=Now(),
            )
    except IntegrityError:  # two tabs at once
        return participant.checks.get(number=len(checks) + 1)


@transaction.atomic
def answer_check(participant_id: int, key: uuid.UUID, choice: str) -> bool:
    """Whether the form was a check's. The first answer stands; a wrong one is flagged."""
    check = Check.objects.filter(key=key, participant=participant_id).first()
    if check is None:
        return False
    if choice not in ("a", "b", "same"):
        raise InputError("there was no choice", hint="Choose A, B or the same.")
    fresh = Check.objects.filter(pk=check.pk, choice="").update(choice=choice, answered_at=Now())
    if fresh and choice != check.right:
        locked = Participant.objects.select_for_update().get(pk=participant_id)
        locked.flags = [*locked.flags, MISSED]
        locked.save(update_fields=["flags"])
    return True
