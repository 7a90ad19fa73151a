"""Correlations with intervals that resample sentences (C6)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evaluation.core.errors import InputError
from evaluation.core.statistics.intervals import Bootstrap, Interval, resample
from evaluation.core.statistics.judgments import FloatArray, IntArray


def pearson(
    x: ArrayLike, y: ArrayLike, bootstrap: Bootstrap, *, sentence: IntArray | None = None
) -> Interval:
    """Pearson's r. Pairs with an unknown value (NaN) are left out; undefined without variance."""
    return _correlation(x, y, bootstrap, sentence, ranks=False)


def spearman(
    x: ArrayLike, y: ArrayLike, bootstrap: Bootstrap, *, sentence: IntArray | None = None
) -> Interval:
    """Spearman's rho: Pearson's r of the ranks, ties sharing theirs.

    Ranks are those of all the data; a bootstrap sample does not rank again.
    """
    return _correlation(x, y, bootstrap, sentence, ranks=True)


def _correlation(
    x: ArrayLike, y: ArrayLike, bootstrap: Bootstrap, sentence: IntArray | None, *, ranks: bool
) -> Interval:
    one, other = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if one.ndim != 1 or one.shape != other.shape:
        raise InputError(
            f"{one.size} values cannot be correlated with {other.size}",
            hint="Give both for every edit, NaN where one is unknown.",
        )
    if sentence is None:
        sentence = np.arange(len(one))
    known = np.isfinite(one) & np.isfinite(other)
    one, other, sentence = one[known], other[known], sentence[known]
    if ranks:
        one, other = _ranks(one), _ranks(other)
    a, b = _standardised(one), _standardised(other)
    rows = np.column_stack([np.ones(len(a)), a, b, a * a, b * b, a * b])
    return resample(rows, sentence, bootstrap).interval(_r, len(a))


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks from 1; equal values share the mean of theirs."""
    _, place, ties = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(ties) - (ties - 1) / 2)[place])


def _standardised(values: FloatArray) -> FloatArray:
    """Mean 0 and variance 1, as sums of squares need it; all 0 where the values are the same."""
    if not len(values) or values.min() == values.max():
        return np.zeros(len(values))
    return np.asarray((values - values.mean()) / values.std())


def _r(sums: FloatArray) -> FloatArray:
    """Pearson's r from n, sum x, sum y, sum xx, sum yy, sum xy, of standardised values."""
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    spread_x, spread_y = xx / n - (x / n) ** 2, yy / n - (y / n) ** 2
    known = (spread_x > 1e-12) & (spread_y > 1e-12)
    product = np.where(known, spread_x * spread_y, np.nan)
    return np.asarray(np.clip((xy / n - x * y / n**2) / np.sqrt(product), -1.0, 1.0))
