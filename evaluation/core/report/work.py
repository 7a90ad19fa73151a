"""Edits as texts and as work: automatic metrics, time, keys, origin (ALGORITHMS B2, C4, C6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from evaluation.core.report.figures import (
    EditDifference,
    EditFigures,
    EffortFigures,
    EffortPart,
    Grouping,
)
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import EditRow, Tables
from evaluation.core.statistics.effort import compare, ratio, summary
from evaluation.core.statistics.intervals import Interval, resample
from evaluation.core.statistics.judgments import FloatArray, IntArray

Column = Callable[[EditRow], float | None]

# A figure of edits is the sum of one column by that of another.
_METRICS: dict[str, tuple[Column, Column]] = {
    "bleu1": (lambda edit: edit.bleu1, lambda edit: 1.0),
    "chrf": (lambda edit: edit.chrf, lambda edit: 1.0),
    "hter": (
        lambda edit: None if edit.changes is None else 100.0 * edit.changes,
        lambda edit: edit.length,
    ),
}


def edit_figures(
    tables: Tables,
    edits: Sequence[EditRow],
    cut: Slice,
    grouping: Grouping | None,
    group_of: Mapping[str, int],
) -> tuple[EditFigures, ...]:
    """BLEU+1, chrF and HTER of the edits, by condition: of all, then of each group."""
    if not edits:
        return ()
    found = []
    for condition in tables.conditions:
        own = [edit for edit in edits if edit.condition == condition]
        for group in _groups(grouping):
            rows = _of_group(own, group, group_of)
            sentence = _sentences(rows)
            figures = (
                ratio(
                    _column(rows, amount), _column(rows, unit), cut.of_sentences, sentence=sentence
                )
                for amount, unit in _METRICS.values()
            )
            found.append(EditFigures(condition, group, *figures))
    return tuple(found)


def edit_differences(
    edits: Sequence[EditRow],
    cut: Slice,
    grouping: Grouping | None,
    group_of: Mapping[str, int],
) -> tuple[EditDifference, ...]:
    """The second condition's figures less the first's; a sentence is drawn with both its sides."""
    pair = [edit for edit in edits if edit.condition in (cut.first, cut.second)]
    if not pair:
        return ()
    found = []
    for group in _groups(grouping):
        rows = _of_group(pair, group, group_of)
        figures = (_difference(rows, metric, cut) for metric in _METRICS)
        found.append(EditDifference(group, *figures))
    return tuple(found)


def effort(tables: Tables, edits: Sequence[EditRow], cut: Slice) -> EffortPart | None:
    """Time, keys and origin by condition; None where there are no edits."""
    if not edits:
        return None
    pair = [edit for edit in edits if edit.condition in (cut.first, cut.second)]
    second, sentence = [edit.condition == cut.second for edit in pair], _sentences(pair)
    times, keys = (
        compare(_column(pair, column), second, cut.of_sentences, sentence=sentence)
        for column in (_seconds, _keystrokes)
    )
    return EffortPart(
        tuple(
            _effort(condition, [edit for edit in edits if edit.condition == condition], cut)
            for condition in tables.conditions
        ),
        times_as_long=times,
        times_the_keys=keys,
    )


def _effort(condition: str, edits: Sequence[EditRow], cut: Slice) -> EffortFigures:
    sentence, bootstrap = _sentences(edits), cut.of_sentences
    seconds, keys = _column(edits, _seconds), _column(edits, _keystrokes)
    first = _column(edits, lambda edit: edit.kept_first)
    others = _column(edits, lambda edit: edit.kept_others)
    one = np.ones(len(edits))

    def mean(values: FloatArray) -> Interval:
        return ratio(values, one, bootstrap, sentence=sentence)

    return EffortFigures(
        condition=condition,
        seconds=summary(seconds, bootstrap, sentence=sentence),
        keystrokes=summary(keys, bootstrap, sentence=sentence),
        seconds_per_word=ratio(
            seconds, _column(edits, lambda edit: edit.words), bootstrap, sentence=sentence
        ),
        keys_per_character=ratio(
            keys, _column(edits, lambda edit: edit.characters), bootstrap, sentence=sentence
        ),
        kept_first=mean(first),
        kept_others=mean(others),
        new=mean(1.0 - first - others),
    )


def _difference(rows: Sequence[EditRow], metric: str, cut: Slice) -> Interval:
    amount, unit = (_column(rows, column) for column in _METRICS[metric])
    known = np.isfinite(amount) & np.isfinite(unit)
    second = np.array([edit.condition == cut.second for edit in rows], dtype=bool)
    sides = [
        np.where(side[:, None], np.column_stack([unit, amount]), 0.0) for side in (~second, second)
    ]
    statistics = np.hstack(sides)[known]  # (E, 4) units and amounts of first, then of second
    drawn = resample(statistics, _sentences(rows)[known], cut.of_sentences)
    return drawn.interval(_less, int(known.sum()))


def _less(sums: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 3] / sums[..., 2] - sums[..., 1] / sums[..., 0])


def _groups(grouping: Grouping | None) -> list[int | None]:
    """All sentences (None), then each group."""
    return [None, *range(len(grouping.groups) if grouping else 0)]


def _of_group(
    edits: Sequence[EditRow], group: int | None, group_of: Mapping[str, int]
) -> list[EditRow]:
    return [edit for edit in edits if group is None or group_of.get(edit.sentence) == group]


def _sentences(edits: Sequence[EditRow]) -> IntArray:
    number = {name: n for n, name in enumerate(dict.fromkeys(edit.sentence for edit in edits))}
    return np.array([number[edit.sentence] for edit in edits], dtype=np.int64)


def _column(edits: Sequence[EditRow], column: Column) -> FloatArray:
    values = (column(edit) for edit in edits)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _seconds(edit: EditRow) -> float | None:
    return edit.seconds


def _keystrokes(edit: EditRow) -> float | None:
    return edit.keystrokes
