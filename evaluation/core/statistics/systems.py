"""Systems or lists on the same sentences, and how sure their differences are (ALGORITHMS C6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.errors import InputError
from evaluation.core.metrics.bleu import bleu
from evaluation.core.statistics.intervals import Bootstrap, Interval, Resamples, Score, resample

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BleuDifference:
    """The second system's BLEU less the first's."""

    first: float
    second: float
    difference: Interval  # drawing sentences, the same of both (Koehn 2004)
    p: float | None  # two-sided, of "there is none"; None if it cannot be told


def bleu_difference(
    first: NDArray[np.integer], second: NDArray[np.integer], options: Bootstrap
) -> BleuDifference:
    """Compare two systems by their sentences' statistics, (S, 2N+2) each (`figures`).

    Paired: a sample holds the same sentences of both, so what makes a sentence hard for both
    cancels out.
    """
    if first.shape != second.shape or not len(first):
        raise InputError(
            f"there are {len(first)} and {len(second)} sentences to compare",
            hint="Both systems must have translated the same sentences.",
        )
    K = first.shape[1]
    score = _difference(bleu_of, K, 1, 0)
    drawn = resample(np.hstack([first, second]), np.arange(len(first)), options)
    return BleuDifference(
        float(bleu_of(drawn.total[:K])),
        float(bleu_of(drawn.total[K:])),
        drawn.interval(score, len(first)),
        drawn.p_of_zero(score),
    )


def differences(
    rows: FloatArray, pairs: Sequence[tuple[int, int]], score: Score, options: Bootstrap
) -> tuple[Interval, ...]:
    """The score of each pair's one less the other's, of whose sentences are ``rows`` (C, S, K).

    Paired, as `bleu_difference`, and all from the same samples.
    """
    S, K = rows.shape[1:]
    drawn = resample_together(rows, options)
    return tuple(drawn.interval(_difference(score, K, one, other), S) for one, other in pairs)


def resample_together(rows: FloatArray, options: Bootstrap) -> Resamples:
    """Bootstrap the sums of rows (C, S, K) of C on the same sentences: K totals of each in turn."""
    C, S, K = rows.shape
    return resample(rows.transpose(1, 0, 2).reshape(S, C * K), np.arange(S), options)


def _difference(score: Score, width: int, one: int, other: int) -> Score:
    """Of totals (..., C * width) the score of one's less that of the other's."""

    def difference(sums: FloatArray) -> FloatArray:
        of = [sums[..., place * width : (place + 1) * width] for place in (one, other)]
        return score(of[0]) - score(of[1])

    return difference


def bleu_of(sums: FloatArray) -> FloatArray:
    """BLEU of sums of statistics, which are whole numbers that were added up as floats."""
    return bleu(np.rint(sums).astype(np.int64))
