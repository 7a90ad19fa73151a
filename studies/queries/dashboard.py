"""What a researcher sees of a study while it runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Avg, Count, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from decoding.models.ownership import Visitor
from evaluation.core.statistics.quartiles import quartiles
from studies.models import Edit, Judgment, Kind, Participant, Slot, Study, Task
from studies.queries.planning import lists_of

State = Slot.State
_OF_LATE = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Counts:
    """Slots by their state."""

    total: int = 0
    filled: int = 0
    leased: int = 0
    open: int = 0
    waiting: int = 0
    void: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """How far one kind of task is."""

    kind: str
    label: str
    counts: Counts
    quartiles: tuple[Counts, ...]  # of the baseline's BLEU+1 (B5), the hardest sentences first
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
        slots = self.counts
        return timedelta(seconds=(slots.total - slots.void - slots.filled) / self.per_second)

    @property
    def end(self) -> datetime | None:
        """When the last slot is filled, at the pace of late."""
        remaining = self.remaining
        return timezone.now() + remaining if remaining else None


@dataclass(frozen=True, slots=True)
class Dashboard:
    """How far a study is: its two stages, and its sentences."""

    stages: tuple[Stage, ...]
    complete: int  # sentences of which everything is answered
    sentences: int


def studies_on_page(user: Visitor) -> QuerySet[Study]:
    """For cards and tables of studies: without their plans."""
    return Study.objects.visible_to(user).select_related("owner", "corpus").defer("plan")


def dashboard(study: Study) -> Dashboard:
    """EDITING and EVAL, whole and by quartile, from one count of the slots."""
    rows = list(
        Slot.objects.filter(study=study)
        .order_by()
        .values_list("kind", "segment", "state")
        .annotate(n=Count("pk"))
    )
    segments = sorted({segment for _, segment, _, _ in rows})
    quartile_of = _quartiles(study, segments)
    unfinished = {
        segment for _, segment, state, _ in rows if state not in (State.FILLED, State.VOID)
    }
    return Dashboard(
        tuple(
            _stage(study, kind, answers, [row for row in rows if row[0] == kind], quartile_of)
            for kind, answers in ((Kind.EDITING, Edit), (Kind.EVAL, Judgment))
        ),
        complete=len(segments) - len(unfinished),
        sentences=len(segments),
    )


def _stage(
    study: Study,
    kind: Kind,
    answers: type[Edit | Judgment],
    rows: list[tuple[str, int, str, int]],
    quartile_of: dict[int, int],
) -> Stage:
    facts = answers._default_manager.filter(slot__study=study).aggregate(
        seconds=Avg("seconds", filter=Q(standing="counted")),
        recent=Count("pk", filter=Q(standing="counted", answered_at__gt=Now() - _OF_LATE)),
        late=Count("pk", filter=Q(standing="late")),
    )
    return Stage(
        kind=kind.value,
        label=str(kind.label),
        counts=_counted((state, n) for _, _, state, n in rows),
        quartiles=tuple(
            _counted((state, n) for _, segment, state, n in rows if quartile_of[segment] == group)
            for group in range(4)
        )
        if quartile_of
        else (),
        seconds=facts["seconds"],
        per_second=facts["recent"] / _OF_LATE.total_seconds() or None,
        late=facts["late"],
    )


def _counted(states: Iterable[tuple[str, int]]) -> Counts:
    found = dict.fromkeys(State.values, 0)
    for state, count in states:
        found[state] += count
    return Counts(total=sum(found.values()), **found)


def _quartiles(study: Study, segments: list[int]) -> dict[int, int]:
    """The quartile of each sentence by the BLEU+1 of the baseline's 1-best, as in the report.

    Empty where a sentence has no such figure.
    """
    baseline = study.conditions.select_related("study").order_by("place").first()
    if baseline is None or not segments:
        return {}
    scores = dict(
        lists_of(baseline, segments)
        .filter(first_bleu1__isnull=False)
        .values_list("segment", "first_bleu1")
    )
    if set(scores) != set(segments):
        return {}
    groups = quartiles([scores[segment] for segment in segments]).group
    return {segment: int(group) for segment, group in zip(segments, groups, strict=True)}


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
