"""How far the answers can be trusted: agreement, participants, exclusions (ALGORITHMS C6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from evaluation.core.report.figures import ParticipantRow, QualityPart
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import SURPLUS, JudgmentRow, Participant, Tables
from evaluation.core.statistics.agreement import agreement
from evaluation.core.statistics.judgments import Judgments
from evaluation.core.statistics.preferences import Preference, preferences
from evaluation.core.statistics.workers import workers


class Numberer(Protocol):
    """Rows of judgments to arrays; ``joined`` leaves systems of the same output together."""

    def __call__(
        self, tables: Tables, rows: Sequence[JudgmentRow], *, joined: bool
    ) -> Judgments: ...


# Enough for limits that are read to two digits; there may be hundreds of participants.
_SAMPLES = 1_000


def quality(
    tables: Tables,
    cut: Slice,
    number: Numberer,
    *,
    real: bool,
) -> QualityPart:
    """Agreement of what the slice counts; participants with all that they did."""
    with_excluded, without_excluded = replace(cut, excluded=True), replace(cut, excluded=False)

    def kept(by: Slice) -> list[JudgmentRow]:
        return [row for row in tables.judgments if by.keeps(row.marks, real=real)]

    def preference(by: Slice) -> Preference:
        judgments = number(tables, kept(by), joined=False)
        first, second = (judgments.conditions.index(name) for name in (cut.first, cut.second))
        return preferences(judgments, cut.bootstrap, first=first, second=second).overall

    before = preference(with_excluded)
    any_excluded = any(participant.exclusion for participant in tables.participants)
    return QualityPart(
        agreement=agreement(number(tables, kept(cut), joined=True), cut.of_sentences),
        participants=_participants(tables, cut, number),
        before=before,
        after=preference(without_excluded) if any_excluded else before,
    )


def _participants(tables: Tables, cut: Slice, number: Numberer) -> tuple[ParticipantRow, ...]:
    """Everybody who answered, the excluded too; not what came when no more was wanted."""
    rows = [row for row in tables.judgments if SURPLUS not in row.marks]
    judges = {
        found.name: found
        for found in workers(
            number(tables, rows, joined=True),
            replace(cut.of_sentences, samples=min(cut.samples, _SAMPLES)),
        )
    }
    edits = Counter(edit.worker for edit in tables.edits if SURPLUS not in edit.marks)
    known = {participant.name: participant for participant in tables.participants}
    # Who only edited has judged nothing: the figures of no judgments at all.
    nothing = replace(number(tables, (), joined=True), workers=("",))
    idle = workers(nothing, replace(cut.of_sentences, samples=100))
    found = []
    for name in sorted({*judges, *edits}):
        who = known.get(name, Participant(name))
        found.append(
            ParticipantRow(
                judge=judges.get(name) or replace(idle[0], name=name),
                edits=edits[name],
                flags=who.flags,
                exclusion=who.exclusion,
                simulated=who.simulated,
            )
        )
    return tuple(found)
