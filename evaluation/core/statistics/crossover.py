"""Where the preference changes sides: the BLEU+1 that the paper reads off its chart (C6).

Two curves through the same points, the sentences with their covariate x and their judgments. Both
rise or both fall, so each changes sides at most once:

- logistic: the chance that a judgment which sees a difference prefers the first condition is
  1 / (1 + exp(-(a + b x))); it changes sides at -a / b;
- local: the difference of the shares, smoothed by a local linear fit with a Gaussian kernel, then
  made monotone by isotonic regression.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from evaluation.core.errors import InputError
from evaluation.core.statistics.intervals import (
    Bootstrap,
    Interval,
    percentile_limits,
    weight_chunks,
)
from evaluation.core.statistics.judgments import FloatArray, IntArray

_GRID = 200  # points of the local curve
_ROUNDS = 50  # of Newton's method; it needs about 6


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where one curve changes sides, in the covariate's unit.

    The estimate is None where the curve does not change sides within the data. A limit that is
    None although there is an estimate is open: from there on the data end. ``certainty`` is the
    share of the bootstrap's studies whose curve changes sides, the same way, within the data.
    """

    at: Interval
    certainty: float | None
    rising: bool | None  # whether the first condition is preferred above the crossing


@dataclass(frozen=True, slots=True)
class Curve:
    """The preference along the covariate, to draw it."""

    x: tuple[float, ...]
    difference: tuple[float, ...]  # share of the first condition less that of the second
    low: tuple[float, ...]  # pointwise limits
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Crossover:
    """Both answers to the one question, and how they were found."""

    logistic: Crossing
    local: Crossing
    slope: Interval  # b of the logistic curve: log-odds of the first condition per unit of x
    curve: Curve | None  # the local fit before it is made monotone; None with too little data
    bandwidth: float | None
    bootstrap: Bootstrap


def crossover(
    tallies: IntArray,
    covariate: ArrayLike,
    bootstrap: Bootstrap,
    *,
    bandwidth: float | None = None,
) -> Crossover:
    """Where the preference changes sides, from tallies (S, 3) first, same, second (C6).

    ``bandwidth`` is the kernel's standard deviation in the covariate's unit; by default 1.06 sd
    S^(-1/5), Silverman's rule. Intervals resample sentences: percentile, at widened levels, for
    a crossing may lie at infinity and then has no influence to speak of.
    """
    x = np.asarray(covariate, dtype=np.float64)
    if x.shape != (len(tallies),) or not np.isfinite(x).all():
        raise InputError(
            f"{len(tallies)} sentences need as many finite covariates, found {x.size}",
            hint="Leave sentences without a covariate out of both.",
        )
    judged = tallies.sum(axis=1) > 0
    counts, x = tallies[judged].astype(np.float64), x[judged]
    if len(x) < 3 or x.min() == x.max():
        unknown = Interval(None, None, None, int(counts.sum()), len(x))
        nowhere = Crossing(unknown, None, None)
        return Crossover(nowhere, nowhere, unknown, None, None, bootstrap)
    if bandwidth is None:
        bandwidth = float(1.06 * x.std(ddof=1) * len(x) ** -0.2)
    grid = np.linspace(x.min(), x.max(), _GRID)
    ones = np.ones((1, len(x)))
    fit = _logistic(counts, x, ones)
    slope = float(fit[1][0])
    rising = slope > 0 if slope != 0 else None
    kernel = _local_linear(x, grid, bandwidth)
    smooth = _smooth(kernel, counts, ones)
    rng = np.random.default_rng(bootstrap.seed)
    slopes, logistic, local, curves = [], [], [], []
    for weights in weight_chunks(rng, len(x), bootstrap.samples, width=5 * _GRID):
        drawn = _logistic(counts, x, weights)
        slopes.append(drawn[1])
        logistic.append(_logistic_crossing(*drawn, counts, weights, rising))
        curve = _smooth(kernel, counts, weights)
        curves.append(curve.astype(np.float32))
        local.append(_monotone_crossing(grid, curve, rising))
    found = (
        _logistic_crossing(*fit, counts, ones, rising),
        _monotone_crossing(grid, smooth, rising),
    )
    ends = (float(x.min()), float(x.max()))
    size = (int(counts.sum()), len(x))
    limits = percentile_limits(np.concatenate(slopes), bootstrap.level, clusters=len(x))
    decided = bool(counts[:, [0, 2]].any())
    return Crossover(
        logistic=_crossing(found[0], logistic, ends, size, rising, bootstrap),
        local=_crossing(found[1], local, ends, size, rising, bootstrap),
        slope=Interval(slope, *limits, *size) if decided else Interval(None, None, None, *size),
        curve=_curve(grid, smooth[0], np.concatenate(curves), bootstrap),
        bandwidth=bandwidth,
        bootstrap=bootstrap,
    )


def _crossing(
    found: FloatArray,
    draws: list[FloatArray],
    ends: tuple[float, float],
    size: tuple[int, int],
    rising: bool | None,
    bootstrap: Bootstrap,
) -> Crossing:
    """The estimate and its interval, both only as far as the data reach."""
    at = float(found[0])
    if rising is None or not ends[0] <= at <= ends[1]:
        return Crossing(Interval(None, None, None, *size), None, None)
    drawn = np.concatenate(draws)
    low, high = percentile_limits(drawn, bootstrap.level, clusters=size[1])
    inside = (drawn >= ends[0]) & (drawn <= ends[1])
    return Crossing(
        at=Interval(
            at,
            low if low is not None and low >= ends[0] else None,
            high if high is not None and high <= ends[1] else None,
            *size,
        ),
        certainty=float(inside.mean()),
        rising=rising,
    )


def _logistic(
    counts: FloatArray, x: FloatArray, weights: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Intercepts and slopes (B,) that maximise the likelihood of each row of weights (B, S).

    Newton's method on standardised x for all samples at once. Where one side of some x always
    wins the slope has no limit; it then stops growing at a value that is as good.
    """
    centre, scale = x.mean(), x.std()
    z = (x - centre) / scale  # (S,)
    wins = weights * counts[:, 0]  # (B, S)
    decided = weights * (counts[:, 0] + counts[:, 2])
    intercept, slope = np.zeros(len(weights)), np.zeros(len(weights))
    for _ in range(_ROUNDS):
        chance = 1 / (1 + np.exp(-(intercept[:, None] + slope[:, None] * z)))
        rest = wins - decided * chance
        spread = decided * chance * (1 - chance)
        g0, g1 = rest.sum(axis=1), rest @ z
        h0, h1, h2 = spread.sum(axis=1), spread @ z, spread @ (z * z)
        ridge = 1e-9 * (1 + h0)  # keeps a sample without a curvature where it is
        determinant = (h0 + ridge) * (h2 + ridge) - h1 * h1
        step0 = ((h2 + ridge) * g0 - h1 * g1) / determinant
        step1 = ((h0 + ridge) * g1 - h1 * g0) / determinant
        length = np.maximum(1.0, np.hypot(step0, step1) / 2)  # no leap where the curve is flat
        intercept = np.clip(intercept + step0 / length, -30, 30)
        slope = np.clip(slope + step1 / length, -30, 30)
        if max(np.abs(step0).max(), np.abs(step1).max()) < 1e-10:
            break
    return intercept - slope * centre / scale, slope / scale


def _logistic_crossing(
    intercept: FloatArray,
    slope: FloatArray,
    counts: FloatArray,
    weights: FloatArray,
    rising: bool | None,
) -> FloatArray:
    """(B,) where each curve changes sides.

    A sample whose slope has the other sign is best fitted, among the curves that go the right
    way, by a constant: it changes sides at infinity, or minus infinity, whichever leaves all of
    the data on the side that is preferred.
    """
    direction = 1.0 if rising else -1.0
    overall = np.sign(weights @ (counts[:, 0] - counts[:, 2]))
    beyond = -direction * np.where(overall == 0, 1, overall) * np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(slope * direction > 0, -intercept / slope, beyond)


def _local_linear(x: FloatArray, grid: FloatArray, bandwidth: float) -> FloatArray:
    """(3, S, G) the kernel K(x - g), times (x - g)^0, ^1 and ^2."""
    away = x[:, None] - grid
    kernel = np.exp(-0.5 * (away / bandwidth) ** 2)
    return np.stack([kernel, kernel * away, kernel * away**2])


def _smooth(kernel: FloatArray, counts: FloatArray, weights: FloatArray) -> FloatArray:
    """(B, G) the local linear fit to the difference of the shares; 0 where there are no data."""
    judgments = weights * counts.sum(axis=1)  # (B, S)
    gains = weights * (counts[:, 0] - counts[:, 2])
    s0, s1, s2 = (judgments @ part for part in kernel)
    t0, t1 = (gains @ part for part in kernel[:2])
    determinant = s0 * s2 - s1 * s1
    # With all of its data in one place a line is not to be had there, but a mean is.
    line = determinant > 1e-9 * s0 * s2
    with np.errstate(divide="ignore", invalid="ignore"):
        fit = np.where(line, (s2 * t0 - s1 * t1) / determinant, t0 / s0)
    return np.clip(np.where(np.isfinite(fit), fit, 0.0), -1.0, 1.0)


def _monotone_crossing(grid: FloatArray, curves: FloatArray, rising: bool | None) -> FloatArray:
    """(B,) where the isotonic regression of each curve changes sides.

    The regression need not be found: a rising fit is above 0 exactly right of where the curve's
    cumulative sum is least (the switch relation of Groeneboom 1985). There the curve itself
    changes sides too, and a straight line between two points of the grid says where.
    """
    up = curves if rising else -curves
    sums = np.cumsum(np.pad(up, ((0, 0), (1, 0))), axis=1)  # (B, G + 1) of the first 0..G points
    below = np.argmin(sums, axis=1)  # points left of the crossing
    rows = np.arange(len(up))
    inner = np.clip(below, 1, len(grid) - 1)
    left, right = up[rows, inner - 1], up[rows, inner]
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.where(right > left, -left / (right - left), 0.5)
    at = grid[inner - 1] + np.clip(part, 0, 1) * (grid[inner] - grid[inner - 1])
    return np.where(below == 0, -np.inf, np.where(below == len(grid), np.inf, at))


def _curve(grid: FloatArray, smooth: FloatArray, draws: FloatArray, bootstrap: Bootstrap) -> Curve:
    tail = (1 - bootstrap.level) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    return Curve(*(tuple(map(float, values)) for values in (grid, smooth, low, high)))
