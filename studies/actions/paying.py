"""Approvals and bonuses: what is due, and lists of it on which nobody stands twice."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Least

from studies.core.pay import CENT, Work, bonus
from studies.models import Edit, Judgment, Participant, PayList, Payment, Study

Kind, State = PayList.Kind, Participant.State


@dataclass(frozen=True, slots=True)
class Due:
    """What a person is owed, and what of it stands on lists already."""

    participant: Participant
    work: Work
    approve: bool  # taking part is over, and not approved yet
    approved: bool
    bonus: Decimal  # in all
    listed: Decimal

    @property
    def rest(self) -> Decimal:
        return max(Decimal(0), self.bonus - self.listed)


def dues(study: Study, arrival: str = "") -> list[Due]:
    """Of everybody who has a name at a platform, whether they were excluded or not.

    What was sent is paid, whether it counts or came late. Simulated people are owed nothing.
    """
    conduct = study.the_conduct
    people = _people(study)
    if arrival:
        people = people.filter(arrival=arrival)
    found = []
    for one in people:
        work = Work(
            one.edits_sent,
            one.judgments_sent,
            (one.edit_seconds or 0) + (one.judgment_seconds or 0),
        )
        over = one.state == State.FINISHED or (
            one.state == State.LEFT and bool(work.edits or work.judgments)
        )
        found.append(
            Due(
                one,
                work,
                approve=over and not one.approvals,
                approved=bool(one.approvals),
                bonus=bonus(work, conduct),
                # SQLite sums decimals as floats.
                listed=(one.listed or Decimal(0)).quantize(CENT),
            )
        )
    return found


def _people(study: Study) -> QuerySet[Participant]:
    def of(answers, limit: int, **what):
        # An answer's time is at most what the task was allowed.
        used = Least(Coalesce("active_seconds", "seconds"), float(limit))
        rows = answers._default_manager.filter(participant=OuterRef("pk")).order_by()
        rows = rows.exclude(standing="undone").annotate(used=used)
        return Subquery(rows.values("participant").annotate(**what).values("n"))

    conduct = study.the_conduct
    sent, time = {"n": Count("pk")}, {"n": Sum("used")}
    editing, judging = conduct.editing_seconds, conduct.eval_seconds
    rows = Payment.objects.filter(participant=OuterRef("pk")).order_by().values("participant")
    return (
        study.participants.filter(is_simulated=False, identity__isnull=False)
        .exclude(state__in=[State.INVITED, State.ERASED])
        .annotate(
            edits_sent=Coalesce(of(Edit, editing, **sent), 0),
            judgments_sent=Coalesce(of(Judgment, judging, **sent), 0),
            edit_seconds=of(Edit, editing, **time),
            judgment_seconds=of(Judgment, judging, **time),
            approvals=Subquery(
                rows.filter(amount__isnull=True).annotate(n=Count("pk")).values("n")
            ),
            listed=Subquery(rows.annotate(n=Sum("amount")).values("n")),
        )
        .order_by("pk")
    )


@transaction.atomic
def make_pay_list(study: Study, kind: str, arrival: str, author: User) -> PayList | None:
    """A list of what is due and stands on no list yet; None when that is nothing."""
    locked = Study.objects.select_for_update().get(pk=study.pk)
    due = dues(locked, arrival)
    if kind == Kind.APPROVAL:
        rows = [(one.participant, None) for one in due if one.approve]
    else:
        rows = [(one.participant, one.rest) for one in due if one.rest]
    if not rows:
        return None
    made = PayList.objects.create(
        study=locked,
        number=locked.pay_lists.count() + 1,
        kind=kind,
        arrival=arrival,
        author=author,
    )
    Payment.objects.bulk_create(
        Payment(pay_list=made, participant=participant, amount=amount)
        for participant, amount in rows
    )
    return made


def bulk_lines(pay_list: PayList) -> str:
    """As Prolific takes it in bulk: an identity a line, with the amount behind a comma.

    The same list gives the same lines, but for people who had their data deleted.
    """
    rows = pay_list.payments.filter(participant__identity__isnull=False).select_related(
        "participant"
    )
    return "".join(
        f"{one.participant.identity}" + (f",{one.amount}" if one.amount is not None else "") + "\n"
        for one in rows.order_by("pk")
    )


def lists_so_far(study: Study) -> QuerySet[PayList]:
    return (
        study.pay_lists.annotate(people=Count("payments"), total=Sum("payments__amount"))
        .select_related("author")
        .order_by("-number")
    )
