"""Of many equal cells one looks best: is what is then said of the choice true?

The cells are all as good as each other and as the unique best lists, so what looks better is
luck. Twice: by what is told of all together, and by the interval of one comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.harness import Row
from evaluation.core.statistics.choosing import gains, may_be_best
from evaluation.core.statistics.intervals import Bootstrap, Interval, ratio_of
from evaluation.core.statistics.systems import differences

SENTENCES = 50
LIKENESS = 0.8  # of the variance of sentences' values: what all cells share
OPTIONS = Bootstrap(seed=0, samples=2_000)


def rows(data: Path | None) -> Iterator[Row]:
    """Small and large grids."""
    for cells, grids in ((2, 2_000), (6, 2_000), (40, 1_000)):
        yield from _grids(cells, grids)


def _grids(cells: int, grids: int) -> Iterator[Row]:
    rng = np.random.default_rng(2024)
    held = np.zeros(4)
    for grid in range(grids):
        options = replace(OPTIONS, seed=grid)
        shared = rng.normal(size=(1, SENTENCES))
        own = rng.normal(size=(cells + 1, SENTENCES))
        values = np.sqrt(LIKENESS) * shared + np.sqrt(1 - LIKENESS) * own
        added = np.stack([np.ones_like(values), values], axis=2)
        best = int(values[:-1].mean(axis=1).argmax())
        # All are the truly best, so any of them may stand for it: the first.
        less, more = differences(added, [(0, best), (best, cells)], ratio_of, options)
        held += (
            bool(may_be_best(added[:-1], ratio_of, options)[0]),
            _may_be_nothing(gains(added[:-1], added[-1], ratio_of, options)[best]),
            less.high is None or less.high >= 0,
            _may_be_nothing(more),
        )
    for name, count, aimed in zip(
        (
            "a truly best cell is not ruled out",
            "the best cell's gain may be nothing",
            "a truly best cell is not ruled out, comparisons alone",
            "the best cell's gain may be nothing, comparison alone",
        ),
        held.tolist(),
        (True, True, False, False),
        strict=True,
    ):
        rate = count / grids
        yield Row(
            name=f"{cells} equal cells: {name}",
            ratio=100 * rate,
            against="% of grids",
            aim="at least 93" if aimed else "",
            met=rate >= 0.93 if aimed else None,
            detail={"grids": grids, "sentences": SENTENCES},
        )


def _may_be_nothing(gain: Interval) -> bool:
    return gain.low is None or gain.high is None or gain.low <= 0 <= gain.high
