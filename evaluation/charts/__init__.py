"""The figures of a report: each a chart by Altair, its table, and what it shows in words."""

from __future__ import annotations

from collections.abc import Callable

from evaluation.charts.effort import agreement, origin, seconds
from evaluation.charts.lists import coverage, edits_bleu1, edits_hter, lists
from evaluation.charts.preferences import crossover, guessed, preferences, standings
from evaluation.core.report.figures import Report
from evaluation.drawn import Chart

_MAKERS: tuple[Callable[[Report], Chart | None], ...] = (
    preferences,
    crossover,
    standings,
    guessed,
    lists,
    coverage,
    edits_bleu1,
    edits_hter,
    seconds,
    origin,
    agreement,
)


def charts(report: Report) -> tuple[Chart, ...]:
    """The figures that this report has data for, in the order of its sections."""
    return tuple(chart for make in _MAKERS if (chart := make(report)) is not None)
