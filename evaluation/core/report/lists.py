"""The lists that people were shown: Figure 1, coverage, Table 1 (ALGORITHMS B3, B4, B5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from evaluation.core.metrics.bleu import bleu
from evaluation.core.report.figures import Grouping, ListFigures
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import ListRow, Tables
from evaluation.core.statistics.intervals import Interval, resample
from evaluation.core.statistics.judgments import FloatArray


def list_figures(
    tables: Tables, cut: Slice, grouping: Grouping | None, group_of: Mapping[str, int]
) -> tuple[ListFigures, ...]:
    """The lists of each condition: of all sentences, then of each group."""
    if not tables.lists:
        return ()
    found = []
    for condition in tables.conditions:
        own = [row for row in tables.lists if row.condition == condition]
        for group in [None, *range(len(grouping.groups) if grouping else 0)]:
            rows = [row for row in own if group is None or group_of.get(row.sentence) == group]
            found.append(_figures(condition, group, rows, cut))
    return tuple(found)


def _figures(condition: str, group: int | None, rows: Sequence[ListRow], cut: Slice) -> ListFigures:
    def mean(value: Callable[[ListRow], float]) -> Interval:
        return _mean([value(row) for row in rows], cut)

    return ListFigures(
        condition=condition,
        group=group,
        lists=len(rows),
        mean_size=float(np.mean([row.size for row in rows])) if rows else None,
        median=mean(lambda row: row.median),
        minimum=mean(lambda row: row.minimum),
        maximum=mean(lambda row: row.maximum),
        coverage=mean(lambda row: row.coverage),
        first_bleu=_corpus_bleu([row.first for row in rows], cut),
        oracle_bleu=_corpus_bleu([row.oracle for row in rows], cut),
    )


def _mean(values: Sequence[float], cut: Slice) -> Interval:
    rows = np.column_stack([np.ones(len(values)), values])
    drawn = resample(rows, np.arange(len(values)), cut.of_sentences)
    return drawn.interval(lambda sums: np.asarray(sums[..., 1] / sums[..., 0]), len(values))


def _corpus_bleu(statistics: Sequence[tuple[int, ...]], cut: Slice) -> Interval:
    """Corpus BLEU (ALGORITHMS B1) of sums of statistics; undefined without a sentence."""
    if not statistics:
        return Interval(None, None, None, 0, 0)

    def score(sums: FloatArray) -> FloatArray:
        return np.asarray(bleu(np.rint(sums).astype(np.int64)))

    rows = np.array(statistics, dtype=np.float64)
    return resample(rows, np.arange(len(rows)), cut.of_sentences).interval(score, len(rows))
