"""Who takes part: coming, agreeing, leaving, being left out, being forgotten."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.db.models.functions import Now

from evaluation.core.errors import InputError
from studies.actions.handing_out import Telemetry, tasks_done
from studies.actions.notices import announce
from studies.actions.sentences import lock_slots, open_if_complete
from studies.models import Assignment, Edit, Judgment, Kind, Participant, Slot, Study

Arrival, State = Participant.Arrival, Participant.State
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a link says that somebody is."""

    arrival: str
    name: str | None = None  # None for an open link
    session: str = ""


def hash_token(token: str) -> str:
    """What the database knows of a browser's token: enough to recognise it, not to imitate it."""
    return sha256(token.encode()).hexdigest()


def _new_token() -> str:
    return secrets.token_urlsafe(32)


def _new_pseudonym() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(8))


def add_participant(
    study: Study, identity: Identity, *, is_simulated: bool = False, state: str = State.ARRIVED
) -> tuple[Participant, str]:
    """Somebody new, and the token for their browser. IntegrityError if the identity is known."""
    token = _new_token()
    with transaction.atomic():
        made = Participant.objects.create(
            study=study,
            pseudonym=_new_pseudonym(),
            arrival=identity.arrival,
            identity=identity.name,
            session=identity.session,
            token_hash=hash_token(token),
            state=state,
            is_simulated=is_simulated,
            seen_at=Now(),
        )
    return made, token


def invite(study: Study, count: int) -> list[Participant]:
    """People who may come, each by a link of their own."""
    if not 1 <= count <= 1000:
        raise InputError("make 1 to 1000 invitations at a time")
    return [
        add_participant(
            study, Identity(Arrival.INVITATION, secrets.token_urlsafe(18)), state=State.INVITED
        )[0]
        for _ in range(count)
    ]


def arrive(
    study: Study, identity: Identity, token: str, *, is_simulated: bool = False
) -> tuple[Participant, str] | None:
    """Who this is, and the token that their browser shall keep.

    None when the identity is at work in another browser: then the person is asked, and `move_here`
    answers (a link that somebody else got hold of takes nothing over in silence).
    """
    here = Participant.objects.filter(study=study, token_hash=hash_token(token)).first()
    if identity.name is None:
        # An open link names nobody: the browser goes on with whoever came by it before.
        if here is not None and here.arrival == Arrival.OPEN:
            return here, token
        return add_participant(study, identity, is_simulated=is_simulated)
    if here is not None and (here.arrival, here.identity) == (identity.arrival, identity.name):
        return here, token
    known = _known(study, identity)
    if known is None:
        if identity.arrival == Arrival.INVITATION:
            raise InputError("this invitation is not known", hint="Ask whoever sent it to you.")
        try:
            return add_participant(study, identity, is_simulated=is_simulated)
        except IntegrityError:  # the same link, opened twice at once
            return None
    if known.state == State.INVITED:
        return move_here(known, new=True)
    return None


def _known(study: Study, identity: Identity) -> Participant | None:
    return Participant.objects.filter(
        study=study, arrival=identity.arrival, identity=identity.name
    ).first()


def known_as(study: Study, identity: Identity) -> Participant:
    """Who has this identity already."""
    found = _known(study, identity)
    if found is None:
        raise InputError("nobody has begun with this link", hint="Open the link again.")
    return found


def move_here(participant: Participant, *, new: bool = False) -> tuple[Participant, str]:
    """A new token, with which the old browser's session ends; researchers see that it happened."""
    token = _new_token()
    with transaction.atomic():
        locked = _locked(participant)
        locked.token_hash = hash_token(token)
        if new:
            locked.state = State.ARRIVED
        else:
            locked.flags = [*locked.flags, "went on in another browser"]
        locked.save(update_fields=["token_hash", "flags", "state"])
    return locked, token


def _locked(participant: Participant) -> Participant:
    """Their row as it is now, and nobody else at it: what every change begins with."""
    rows = Participant.objects.select_for_update(of=("self",), no_key=True).select_related("study")
    return rows.defer("study__plan").get(pk=participant.pk)


def consent(participant: Participant, version: int) -> None:
    Participant.objects.filter(pk=participant.pk, state__in=[State.ARRIVED, State.LEFT]).update(
        state=State.WORKING, consent_version=version, consented_at=Now(), seen_at=Now()
    )


def instruct(participant: Participant, versions: dict[str, int] | None = None) -> None:
    """They have read the instructions: which versions, and when they first did."""
    rows = Participant.objects.filter(pk=participant.pk)
    rows.filter(instructed_at=None).update(instructed_at=Now())
    if versions:
        rows.update(instructed_by=versions)


@transaction.atomic
def finish(participant: Participant) -> None:
    """There is nothing more for them to do."""
    rows = Participant.objects.filter(pk=participant.pk, state=State.WORKING)
    if rows.update(state=State.FINISHED, ended_at=Now()):
        announce(participant, State.FINISHED, tasks=tasks_done(participant))


@transaction.atomic
def leave(participant: Participant) -> None:
    """They stop; what they gave stays, and what they had in hand goes to others."""
    locked = _locked(participant)
    if locked.state not in (State.ARRIVED, State.WORKING):
        return
    _let_go(locked)
    Participant.objects.filter(pk=locked.pk).update(state=State.LEFT, ended_at=Now())
    announce(locked, State.LEFT, tasks=tasks_done(locked))


def _let_go(participant: Participant) -> None:
    Slot.objects.filter(participant=participant, state=Slot.State.LEASED).update(
        state=Slot.State.OPEN, participant=None, expires_at=None
    )
    Assignment.objects.filter(participant=participant, state=Assignment.State.HELD).update(
        state=Assignment.State.LOST
    )


# --- Left out, and taken in again ---------------------------------------------------------------


@transaction.atomic
def exclude(participant: Participant, reason: str) -> None:
    """Their answers no longer count and their tasks open again; nothing is deleted."""
    if not reason.strip():
        raise InputError("an exclusion needs a reason", hint="The report will name it.")
    locked = _locked(participant)
    if locked.is_excluded:
        return
    _uncount(locked, Edit.Standing.EXCLUDED)
    Participant.objects.filter(pk=locked.pk).update(excluded_at=Now(), exclusion=reason.strip())


def _uncount(participant: Participant, standing: str) -> None:
    """Take the answers out of the slots that they fill."""
    theirs = Q(participant=participant)
    done = Slot.objects.filter(theirs, state=Slot.State.FILLED)
    edits = done.filter(kind=Kind.EDITING).values_list("task", "segment")
    edited = [task for task, _ in edits]
    lock_slots(
        participant.study_id,
        theirs | Q(task__first__in=edited) | Q(task__second__in=edited),
        gates_of={segment for _, segment in edits},
    )
    _let_go(participant)
    filled = Slot.objects.filter(theirs, state=Slot.State.FILLED)
    judged = list(filled.filter(kind=Kind.EVAL).values_list("pk", flat=True))
    Edit.objects.filter(participant=participant, standing=Edit.Standing.COUNTED).update(
        standing=standing
    )
    Judgment.objects.filter(participant=participant, standing=Judgment.Standing.COUNTED).update(
        standing=standing
    )
    nobody = {"participant": None, "expires_at": None}
    Slot.objects.filter(pk__in=judged).update(state=Slot.State.OPEN, **nobody)
    Slot.objects.filter(task__in=edited, kind=Kind.EDITING).update(state=Slot.State.OPEN, **nobody)
    _close_eval(participant.study_id, edited)


def _close_eval(study_id: int, edited: Iterable[int]) -> None:
    """Judgments about edits that no longer count are about nothing; the pairs wait for new ones."""
    of_pairs = Q(task__first__in=edited) | Q(task__second__in=edited)
    Judgment.objects.filter(of_pairs, standing=Judgment.Standing.COUNTED).update(
        standing=Judgment.Standing.STALE
    )
    slots = Slot.objects.filter(of_pairs, study=study_id, kind=Kind.EVAL)
    Assignment.objects.filter(slot__in=slots, state=Assignment.State.HELD).update(
        state=Assignment.State.LOST
    )
    slots.exclude(state=Slot.State.VOID).update(
        state=Slot.State.WAITING, participant=None, expires_at=None
    )


@transaction.atomic
def reinstate(participant: Participant) -> None:
    """Undo an exclusion. Where somebody else has answered meanwhile, the answer is kept as late."""
    locked = _locked(participant)
    if not locked.is_excluded:
        return
    Participant.objects.filter(pk=locked.pk).update(excluded_at=None, exclusion="")
    edits = locked.edits.filter(standing=Edit.Standing.EXCLUDED)
    judgments = locked.judgments.filter(standing=Judgment.Standing.EXCLUDED)
    edited = set(edits.values_list("slot__segment", flat=True))
    lock_slots(
        locked.study_id,
        Q(pk__in=judgments.values("slot")) | Q(segment__in=edited),
        gates_of=edited,
    )
    sentences = {edit.slot.segment_id for edit in edits.select_related("slot") if _refill(edit)}
    for judgment in judgments.select_related("slot", "first", "second"):
        _refill(judgment)
    for segment in sorted(sentences):
        if open_if_complete(locked.study_id, segment, locked.study.the_conduct):
            _revive_judgments(locked.study_id, segment)


def _refill(answer: Edit | Judgment) -> bool:
    """Give the answer its slot back if nobody has it; whether it counts again."""
    counted = {"standing": "counted"}
    if isinstance(answer, Judgment) and not (
        answer.first.standing == answer.second.standing == Edit.Standing.COUNTED
    ):
        taken = False
    else:
        taken = bool(
            Slot.objects.filter(
                pk=answer.slot_id, state__in=[Slot.State.OPEN, Slot.State.WAITING]
            ).update(state=Slot.State.FILLED, participant=answer.participant_id, expires_at=None)
        )
    type(answer)._default_manager.filter(pk=answer.pk).update(
        **(counted if taken else {"standing": "late"})
    )
    return taken


def _revive_judgments(study_id: int, segment_id: int) -> None:
    """Judgments of edits that count again count again, where their slots are still free."""
    stale = Judgment.objects.filter(
        slot__study=study_id,
        slot__segment=segment_id,
        standing=Judgment.Standing.STALE,
        first__standing=Edit.Standing.COUNTED,
        second__standing=Edit.Standing.COUNTED,
        participant__excluded_at=None,
    )
    for judgment in stale.select_related("slot", "first", "second"):
        _refill(judgment)


# --- Forgotten ----------------------------------------------------------------------------------


@transaction.atomic
def erase(participant: Participant) -> None:
    """Delete what a person gave, and who they are. Numbers that were published stay published.

    Their sentences and judgments go; their tasks open again while the study runs. What stays is a
    row that says that somebody was here, and which sentences others have judged against.
    """
    locked = _locked(participant)
    if locked.state == State.ERASED:
        return
    _uncount(locked, Edit.Standing.EXCLUDED)
    locked.judgments.all().delete()
    locked.checks.all().delete()
    locked.entry_answers.all().delete()
    locked.notices.all().delete()
    # An edit that somebody judged keeps its row, so that their judgment keeps its object.
    judged = Q(pk__in=Judgment.objects.values("first")) | Q(
        pk__in=Judgment.objects.values("second")
    )
    blank = dict.fromkeys(Telemetry().of_edit)
    locked.edits.filter(judged).update(text="", erased=True, **blank)
    locked.edits.exclude(judged).delete()
    # That they met a sentence matters no more: nobody can come back as them.
    locked.assignments.filter(edits__isnull=True).delete()
    locked.assignments.update(draft="", draft_at=None)
    Participant.objects.filter(pk=locked.pk).update(
        state=State.ERASED,
        pseudonym=_new_pseudonym(),
        identity=None,
        token_hash=None,
        session="",
        flags=[],
        exclusion="",
        excluded_at=None,
        consent_version=None,
        consented_at=None,
        screened_at=None,
        instructed_at=None,
        instructed_by={},
        trained_at=None,
        seen_at=None,
        ended_at=Now(),
    )
