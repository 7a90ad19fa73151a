"""What a report is made from, out of the database."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)

from decoding.models import Job, ListEntry, Reference, Segment, TranslationList
from decoding.models.ownership import Visitor
from evaluation.models import Analysis, JudgmentFile, Peek
from studies.models import Edit, Judgment, Kind, Study, Task

# Whose answers are shown, or were counted once.
_TOLD = ("counted", "late", "excluded")


def studies_on_page(user: Visitor) -> QuerySet[Study]:
    """Studies whose plan stands, with the answer of the newest report of the usual slice."""
    newest = Analysis.objects.filter(study=OuterRef("pk"), is_usual=True).order_by("-pk")
    peeked = Peek.objects.filter(study=OuterRef("pk"), user=user.pk)
    return (
        Study.objects.visible_to(user)
        .exclude(state=Study.State.DRAFT)
        .select_related("corpus", "owner")
        .annotate(
            answer=Subquery(newest.values("report__answer")[:1]),
            has_peeked=Exists(peeked),
        )
        .order_by("-pk")
    )


def files_on_page(user: Visitor) -> QuerySet[JudgmentFile]:
    """Uploaded judgments, without their text."""
    return JudgmentFile.objects.visible_to(user).select_related("owner").defer("text")[:25]


def state_of(study: Study) -> str:
    """A checksum of all answers and participants: the same state gives the same report.

    Answers are never changed but for their standing, and erased ones are blanked, so sums of
    their ids by standing tell every change; the participants' marks are few and told one by one.
    """
    parts: list[Any] = [study.state, study.checksum, study.amendments.count()]
    for answers, erased in (
        (Edit.objects.filter(participant__study=study), Count("pk", filter=Q(erased=True))),
        (Judgment.objects.filter(participant__study=study), Value(0)),
    ):
        sums = answers.order_by("standing").values_list("standing")
        parts.append(list(sums.annotate(n=Count("pk"), ids=Sum("pk"), erased=erased)))
    marked = study.participants.filter(
        Q(excluded_at__isnull=False) | Q(is_simulated=True) | ~Q(flags=[]) | Q(state="erased")
    )
    parts.append(
        list(
            marked.order_by("pk").values_list(
                "pk", "pseudonym", "flags", "exclusion", "is_simulated", "state"
            )
        )
    )
    parts.append(Peek.objects.filter(study=study).count())
    return hashlib.sha256(json.dumps(parts, default=str).encode()).hexdigest()


def editing_tasks(study: Study) -> QuerySet[Task, Any]:
    """Of each EDITING task what was shown, in the order of the plan."""
    return (
        Task.objects.filter(study=study, kind=Kind.EDITING)
        .order_by("number")
        .values_list("pk", "segment__number", "condition__name", "ranks", "texts", named=True)
    )


def told_edits(study: Study) -> QuerySet[Edit]:
    """Edits that can be shown, with their figures, in the order of the plan."""
    return (
        Edit.objects.filter(
            participant__study=study, standing__in=_TOLD, erased=False, made_no_sense=False
        )
        .select_related("task__segment", "task__condition", "participant", "score")
        .order_by("task__number", "participant__pseudonym", "pk")
    )


def told_judgments(study: Study) -> QuerySet[Judgment, Any]:
    """Judgments as they were shown, in the order of the plan."""
    first, second = F("task__first__condition__name"), F("task__second__condition__name")
    return (
        Judgment.objects.filter(participant__study=study, standing__in=_TOLD)
        .annotate(
            left=Case(When(swapped=True, then=second), default=first),
            right=Case(When(swapped=True, then=first), default=second),
        )
        .order_by("task__number", "slot__number", "participant__pseudonym", "pk")
        .values_list(
            "task__number", "task__segment__number", "left", "right", "choice", "swapped",
            "seconds", "standing", "participant__pseudonym", named=True,
        )
    )  # fmt: skip


def segments_of(study: Study) -> QuerySet[Segment]:
    """The study's sentences, in the corpus's order."""
    tasks = Task.objects.filter(study=study, kind=Kind.EDITING)
    return Segment.objects.filter(pk__in=tasks.values("segment")).order_by("number")


def references_of(study: Study) -> dict[int, list[str]]:
    """All references of each sentence, by the segment's number."""
    found: dict[int, list[str]] = {}
    # In two steps: one statement, nested, took PostgreSQL minutes where it had no statistics yet.
    numbers = dict(segments_of(study).values_list("pk", "number"))
    rows = Reference.objects.filter(segment__in=numbers).order_by("segment_id", "number")
    for segment, text in rows.values_list("segment_id", "text"):
        found.setdefault(numbers[segment], []).append(text)
    return found


class Listed(NamedTuple):
    """An entry of a list."""

    text: str
    score: float | None
    features: dict[str, list[float]]
    bleu1: float | None = None


class Measured(NamedTuple):
    """The figures of a list, as they were when it was made: in the system's own words."""

    coverage: float
    statistics: dict[str, list[int]]


def lists_of(study: Study) -> dict[tuple[int, str], list[Listed]]:
    """The entries of each list that was drawn from, by segment's number and condition."""
    names = dict(
        Task.objects.filter(study=study, kind=Kind.EDITING, translation_list__isnull=False)
        .values_list("translation_list", "condition__name")
        .distinct()
    )
    shown = TranslationList.objects.filter(pk__in=names)
    found: dict[tuple[int, str], list[Listed]] = {}
    rows = ListEntry.objects.filter(translation_list__in=shown).order_by("translation_list", "rank")
    for made, segment, *entry in rows.values_list(
        "translation_list", "translation_list__segment__number",
        "text", "score", "features", "bleu1",
    ):  # fmt: skip
        found.setdefault((segment, names[made]), []).append(Listed(*entry))
    return found


def analyses_of(keys: Collection[str]) -> dict[str, Analysis]:
    """The kept reports of these keys, without their charts."""
    found = Analysis.objects.filter(key__in=keys).defer("charts")
    return {one.key: one for one in found}


def measured_lists(study: Study) -> dict[tuple[int, str], Measured]:
    """What is kept with the lists that were drawn from, by segment's number and condition."""
    rows = Task.objects.filter(
        study=study, kind=Kind.EDITING, translation_list__statistics__isnull=False
    ).values_list(
        "segment__number", "condition__name",
        "translation_list__coverage", "translation_list__statistics",
    )  # fmt: skip
    return {(number, name): Measured(*known) for number, name, *known in rows}


def newest_analysis(slice_key: str) -> Analysis | None:
    """The last report made for a slice, whatever the answers were then."""
    return Analysis.objects.filter(slice_key=slice_key).first()


def job_under_way(source: Study | JudgmentFile) -> Job | None:
    """The job that makes a report of this source now, if there is one."""
    name = "study" if isinstance(source, Study) else "file"
    return Job.objects.filter(
        kind="report",
        state__in=[Job.State.QUEUED, Job.State.RUNNING],
        **{f"parameters__{name}": source.pk},
    ).first()
