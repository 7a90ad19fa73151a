"""What a researcher sees of a study while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Avg, Count, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Now

from decoding.models.ownership import Visitor
from studies.models import Edit, Judgment, Kind, Participant, Slot, Study, Task
from studies.queries.slots import counts

_OF_LATE = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Stage:
    """How far one kind of task is."""

    kind: str
    label: str
    total: int
    filled: int
    leased: int
    open: int
    waiting: int
    void: int
    seconds: float | None  # an answer's time on average
    per_second: float | None  # answers, of late
    late: int  # surplus answers

    @property
    def duration(self) -> timedelta | None:
        return None if self.seconds is None else timedelta(seconds=self.seconds)

    @property
    def remaining(self) -> timedelta | None:
        """Until the last slot is filled, at the pace of late."""
        if not self.per_second:
            return None
        return timedelta(seconds=(self.total - self.void - self.filled) / self.per_second)


def studies_on_page(user: Visitor) -> QuerySet[Study]:
    """For cards and tables of studies: without their plans."""
    return Study.objects.visible_to(user).select_related("owner", "corpus").defer("plan")


def stages(study: Study) -> list[Stage]:
    """EDITING and EVAL, each in one line."""
    states = counts(study)
    made = []
    for kind, answers in ((Kind.EDITING, Edit), (Kind.EVAL, Judgment)):
        of_study = answers._default_manager.filter(slot__study=study)
        facts = of_study.aggregate(
            seconds=Avg("seconds", filter=Q(standing="counted")),
            recent=Count("pk", filter=Q(standing="counted", answered_at__gt=Now() - _OF_LATE)),
            late=Count("pk", filter=Q(standing="late")),
        )
        found = states[kind.value]
        made.append(
            Stage(
                kind=kind.value,
                label=str(kind.label),
                total=found["total"],
                filled=found["filled"],
                leased=found["leased"],
                open=found["open"],
                waiting=found["waiting"],
                void=found["void"],
                seconds=facts["seconds"],
                per_second=facts["recent"] / _OF_LATE.total_seconds() or None,
                late=facts["late"],
            )
        )
    return made


def sentences_complete(study: Study) -> tuple[int, int]:
    """Of how many sentences everything is answered, and how many there are."""
    rows = (
        Slot.objects.filter(study=study)
        .order_by()
        .values("segment")
        .annotate(left=Count("pk", filter=Q(state__in=["open", "leased", "waiting"])))
    )
    left = [row["left"] for row in rows]
    return left.count(0), len(left)


def participants_on_page(study: Study) -> QuerySet[Participant]:
    """With how much each has done, and how."""

    def of(answers, **what):
        rows = answers._default_manager.filter(participant=OuterRef("pk")).order_by()
        return Coalesce(Subquery(rows.values("participant").annotate(**what).values("n")), None)

    counted = Q(standing__in=["counted", "excluded"])
    return study.participants.annotate(
        edits_done=Coalesce(of(Edit, n=Count("pk", filter=counted)), 0),
        judgments_done=Coalesce(of(Judgment, n=Count("pk", filter=counted)), 0),
        edit_seconds=of(Edit, n=Avg("seconds")),
        judgment_seconds=of(Judgment, n=Avg("seconds")),
        characters_pasted=of(Edit, n=Sum("pasted_characters")),
        last_answer=Coalesce(of(Judgment, n=Max("answered_at")), of(Edit, n=Max("answered_at"))),
    ).order_by("pk")


def tasks_on_page(study: Study, kind: str) -> QuerySet[Task]:
    return (
        study.tasks.filter(kind=kind)
        .select_related("segment", "condition", "first__condition", "second__condition")
        .annotate(filled=Count("slots", filter=Q(slots__state="filled")), wanted=Count("slots"))
        .order_by("number")
    )


def simulated_too(study: Study) -> bool:
    """Whether any of its participants is simulated: then every page and file says so."""
    return study.participants.filter(is_simulated=True).exists()
