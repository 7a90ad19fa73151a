"""Which of many may be the best, and what the one that is chosen has more than another.

Who takes the best of many on the very sentences on which they are compared takes luck too: of 40
that are equal about ten look worse than the luckiest by an interval that knows of two alone
(`systems.differences`). What is said here holds for all of them together (ALGORITHMS C6).

Differences are paired and drawn by the bootstrap; each is divided by its own spread, and the
largest of them in every sample says how large the largest is by chance (Westfall & Young 1993).
So nothing is assumed of how the many hang together. For few sentences the quantile is widened as
in `intervals`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from evaluation.core.statistics.intervals import Bootstrap, Interval, Score, widened_quantile
from evaluation.core.statistics.systems import FloatArray, resample_together

# Equal scores, which go to 100, come out of sums that were rounded in another order.
_ROUNDING = 1e-9


def may_be_best(rows: FloatArray, score: Score, options: Bootstrap) -> NDArray[np.bool_]:
    """Of C, whose sentences are ``rows`` (C, S, K), those that may have the highest score.

    Multiple comparisons with the best (Edwards & Hsu 1983): one is left out if the others'
    leads over it are more than chance gives to the largest of them. With the options' level the
    truly best one is among those that stay, however many there are.
    """
    estimates, deviations = _drawn(rows, score, options)
    stays = np.zeros(len(rows), dtype=bool)
    for one in range(len(rows)):
        leads = estimates - estimates[one]
        away = deviations - deviations[:, one : one + 1]
        spread = away.std(axis=0)
        reach = spread * _largest(away, spread, rows.shape[1], options.level)
        stays[one] = (leads <= reach + _ROUNDING).all()
    return stays


def gains(
    rows: FloatArray, base: FloatArray, score: Score, options: Bootstrap
) -> tuple[Interval, ...]:
    """The score of each of C less that of ``base`` (S, K), by intervals that hold together.

    As Dunnett (1955) compares many with one control: so it does not matter which of them is
    looked at, nor that it was chosen for its score.
    """
    S = rows.shape[1]
    estimates, deviations = _drawn(np.concatenate([rows, base[None]]), score, options)
    away = deviations[:, :-1] - deviations[:, -1:]
    spread = away.std(axis=0)
    reach = spread * _largest(np.abs(away), spread, S, options.level)
    return tuple(
        Interval(gain, gain - wide, gain + wide, S, S)
        for gain, wide in zip(
            (estimates[:-1] - estimates[-1]).tolist(), reach.tolist(), strict=True
        )
    )


def _drawn(rows: FloatArray, score: Score, options: Bootstrap) -> tuple[FloatArray, FloatArray]:
    """The scores (C,), and of all samples the scores less their means (B, C)."""
    C, _, K = rows.shape
    drawn = resample_together(rows, options)
    # One at a time: BLEU's statistics of all would be held twice more.
    scores = np.stack(
        [score(drawn.samples[:, K * one : K * (one + 1)]) for one in range(C)], axis=1
    )
    return score(drawn.total.reshape(C, K)), scores - scores.mean(axis=0)


def _largest(away: FloatArray, spread: FloatArray, sentences: int, level: float) -> float:
    """How many spreads the largest deviation of (B, C) keeps within, in ``level`` of samples."""
    differ = spread > _ROUNDING
    if not differ.any():
        return 0.0
    largest = float(np.quantile((away[:, differ] / spread[differ]).max(axis=1), level))
    return -widened_quantile(ndtr(-largest), sentences)
