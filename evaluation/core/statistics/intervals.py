"""Estimates with intervals that respect what belongs together (ALGORITHMS C6).

Judgments of one sentence resemble each other, so what is drawn again in a bootstrap sample is
sentences, never judgments. Every figure is statistics -> sum -> score: K numbers a judgment that
add up, and a function from their totals to the figure. A bootstrap sample is then a sum of the
same statistics with other weights, and leaving a sentence out is a subtraction; so all samples
come from one matrix product, and the acceleration of the BCa interval costs next to nothing.

The interval is BCa (Efron 1987) at levels widened for few sentences, as Hesterberg (2015) does
for the percentile interval. `benchmarks/interval_coverage.py` measures how often it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from evaluation.core.errors import InputError
from evaluation.core.statistics.judgments import FloatArray, IntArray

Score = Callable[[FloatArray], FloatArray]  # totals (..., K) -> figures (...), NaN: undefined

# With fewer sentences no interval holds what it says (docs/statistics.md).
FEWEST_SENTENCES = 8

_CHUNK = 2_000_000  # weights held at a time: 16 MB


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate and between which limits the truth should lie; None is undefined, never 0."""

    estimate: float | None
    low: float | None
    high: float | None
    count: int  # what it rests on: judgments, edits, words
    clusters: int  # in how many sentences

    @property
    def defined(self) -> bool:
        """Whether there is a figure at all."""
        return self.estimate is not None


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are found. Stored with every result, so that it can be had again."""

    seed: int
    samples: int = 10_000
    level: float = 0.95
    resample: Literal["sentences", "sentences and workers"] = "sentences"
    kind: Literal["bca", "percentile"] = "bca"  # "percentile" only to compare with

    def __post_init__(self) -> None:
        """Refuse an interval that cannot be found."""
        if not 0 < self.level < 1 or self.samples < 100:
            raise InputError(
                f"no interval at level {self.level:g} from {self.samples} samples",
                hint="Give a level between 0 and 1 (0.95) and at least 100 samples.",
            )


@dataclass(frozen=True, slots=True, eq=False)
class Resamples:
    """The totals of a study, of its bootstrap samples, and of it without each cluster."""

    total: FloatArray  # (K,)
    samples: FloatArray  # (B, K)
    left_out: tuple[FloatArray, ...]  # (S, K) without a sentence; then worker; then both
    clusters: int  # S
    options: Bootstrap

    def interval(self, score: Score, count: int) -> Interval:
        """A figure of the totals with its interval; ``count`` is what the figure rests on."""
        with np.errstate(invalid="ignore", divide="ignore"):
            estimate = float(score(self.total))
            draws = score(self.samples)
            influences = self._influences(score)
        if not np.isfinite(estimate):
            return Interval(None, None, None, count, self.clusters)
        if len(influences) == 3:
            draws = _with_spread(draws, estimate, _variance(influences))
        if self.options.kind == "percentile":
            low, high = percentile_limits(draws, self.options.level)
        else:
            low, high = bca_limits(
                draws, estimate, influences[0], self.options.level, clusters=self.fewest
            )
        return Interval(estimate, low, high, count, self.clusters)

    def p_of_zero(self, score: Score) -> float | None:
        """The two-sided p of "the figure is 0", from the cluster-robust variance and Student's t.

        The degrees of freedom are one less than there are sentences, or workers if those are
        fewer and drawn too (Cameron, Gelbach & Miller 2011). Undefined without a variance.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            estimate = float(score(self.total))
            variance = _variance(self._influences(score))
        if not np.isfinite(estimate) or self.fewest < 2:
            return None
        if variance == 0:
            return 1.0 if estimate == 0 else None
        return float(2 * stdtr(self.fewest - 1, -abs(estimate) / np.sqrt(variance)))

    @property
    def fewest(self) -> int:
        """The number of sentences, or that of workers if it is smaller and they are drawn too."""
        return min(len(out) for out in self.left_out[:2])

    def _influences(self, score: Score) -> tuple[FloatArray, ...]:
        """The figure less the figure without each cluster, for each kind of cluster."""
        estimate = score(self.total)
        return tuple(estimate - score(out) for out in self.left_out)

    def share(self, part: int) -> Interval:
        """The share of total ``part`` in the sum of all totals.

        Where every sentence has the same share the bootstrap knows no spread, and an interval
        of no width would claim too much. Wilson's interval then stands in, with sentences for
        independent observations: an upper bound of the doubt.
        """
        count = int(self.total.sum())
        found = self.interval(lambda sums: sums[..., part] / sums.sum(axis=-1), count)
        if found.estimate is None or found.low is None or found.low != found.high:
            return found
        low, high = wilson_limits(found.estimate, self.clusters, self.options.level)
        return Interval(found.estimate, low, high, count, self.clusters)


def resample(
    statistics: ArrayLike,
    sentence: IntArray,
    options: Bootstrap,
    *,
    worker: IntArray | None = None,
) -> Resamples:
    """Bootstrap the sums of statistics (J, K) whose rows belong to sentences (ALGORITHMS C6).

    Only sentences that have a row are drawn. Drawing "sentences and workers" draws both
    independently and multiplies the weights (the pigeonhole bootstrap: Owen 2007). Its spread is
    too large, for chance within a cell counts three times; it is brought to the two-way
    cluster-robust variance of Cameron, Gelbach & Miller (2011).
    """
    rows = np.asarray(statistics, dtype=np.float64)
    by_sentence = _sums(rows, sentence)  # (S, K)
    total = rows.sum(axis=0)
    rng = np.random.default_rng(options.seed)
    S, K = by_sentence.shape
    if options.resample == "sentences":
        samples = np.concatenate(
            [weights @ by_sentence for weights in weight_chunks(rng, S, options.samples)]
        )
        return Resamples(total, samples, (total - by_sentence,), S, options)
    if worker is None:
        raise InputError(
            "workers cannot be drawn again, for these figures do not say whose they are",
            hint="Ask for intervals that resample sentences only.",
        )
    by_worker = _sums(rows, worker)
    W = len(by_worker)
    cell = np.unique(sentence, return_inverse=True)[1] * W
    cell += np.unique(worker, return_inverse=True)[1]
    table = np.zeros((S * W, K))
    np.add.at(table, cell, rows)
    table = table.reshape(S, W * K)
    samples = np.concatenate(
        [
            np.einsum(
                "bwk,bw->bk",
                (weights @ table).reshape(-1, W, K),
                np.concatenate(list(weight_chunks(rng, W, len(weights)))),
            )
            for weights in weight_chunks(rng, S, options.samples, width=W * K)
        ]
    )
    left_out = (total - by_sentence, total - by_worker, total - _sums(rows, cell))
    return Resamples(total, samples, left_out, S, options)


def ratio_of(sums: FloatArray) -> FloatArray:
    """The second total by the first: a mean, if the first counts."""
    return np.asarray(sums[..., 1] / sums[..., 0])


def weight_chunks(
    rng: np.random.Generator, clusters: int, samples: int, *, width: int = 0
) -> Iterator[FloatArray]:
    """How often each of ``clusters`` is drawn, for all samples, some rows (b, S) at a time.

    ``width`` is that of what the weights will be multiplied to, when it is larger.
    """
    if not clusters:
        yield np.zeros((samples, 0))
        return
    step = max(1, _CHUNK // max(clusters, width))
    for start in range(0, samples, step):
        rows = min(step, samples - start)
        drawn = rng.integers(clusters, size=(rows, clusters))
        drawn += np.arange(rows)[:, None] * clusters
        counts = np.bincount(drawn.ravel(), minlength=rows * clusters)
        yield counts.reshape(rows, clusters).astype(np.float64)


def bca_limits(
    draws: FloatArray, estimate: float, influence: FloatArray, level: float, *, clusters: int
) -> tuple[float | None, float | None]:
    """The BCa limits (Efron 1987), for few clusters at widened levels.

    ``influence`` (S,) is the estimate less the estimate without each cluster. Instead of the
    normal quantile z the levels use `widened_quantile`. Fewer than two clusters have no interval,
    nor has a figure that more than 1 - level of the samples leave undefined.
    """
    defined = np.sort(draws[np.isfinite(draws)])
    if clusters < 2 or len(defined) < level * len(draws):
        return None, None
    draws = defined
    z = widened_quantile((1 - level) / 2, clusters)
    below = float(((draws < estimate).mean() + (draws <= estimate).mean()) / 2)
    bias = float(ndtri(np.clip(below, 1 / len(draws), 1 - 1 / len(draws))))
    influence = influence[np.isfinite(influence)]
    squares = float((influence**2).sum())
    # The clip only matters for a handful of clusters, one of which is all.
    acceleration = float((influence**3).sum()) / (6 * squares**1.5) if squares > 0 else 0.0
    acceleration = float(np.clip(acceleration, -0.2, 0.2))

    def limit(z: float) -> float:
        shifted = bias + z
        room = 1 - acceleration * shifted
        if room <= 0:  # the transformation has no such quantile: the last one there is
            return float(draws[-1] if shifted > 0 else draws[0])
        return float(np.quantile(draws, ndtr(bias + shifted / room)))

    return limit(z), limit(-z)


def widened_quantile(tail: float, clusters: int) -> float:
    """What stands for the normal quantile of ``tail`` where there are few clusters.

    It is sqrt(S / (S - 1)) t, t of Student's distribution with S - 1 degrees of freedom
    (Hesterberg 2015): on its own the bootstrap forgets what small samples cost.
    """
    return float(np.sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, tail))


def percentile_limits(
    draws: FloatArray, level: float, *, clusters: int | None = None
) -> tuple[float | None, float | None]:
    """Quantiles of the draws, which may be infinite; levels widened if ``clusters`` is given."""
    if np.isnan(draws).sum() > (1 - level) * len(draws) or (clusters is not None and clusters < 2):
        return None, None
    tail = (1 - level) / 2
    if clusters is not None:
        tail = float(ndtr(widened_quantile(tail, clusters)))
    # "inverted_cdf" takes a draw as it is: between infinite ones nothing can be interpolated.
    low, high = np.quantile(
        draws[~np.isnan(draws)], [tail, 1 - tail], method="inverted_cdf"
    ).tolist()
    return low, high


def wilson_limits(share: float, count: int, level: float) -> tuple[float, float]:
    """Wilson's interval (1927) of a share of ``count`` independent observations."""
    z2 = float(ndtri((1 + level) / 2)) ** 2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = np.sqrt(z2 * share * (1 - share) / count + z2**2 / (4 * count**2)) / (1 + z2 / count)
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def median_interval(values: ArrayLike, sentence: IntArray, options: Bootstrap) -> Interval:
    """The median with an interval that resamples sentences; percentile, at widened levels.

    A median is no function of sums, so the samples are weighted medians; and the jackknife
    fails for it, so there is no acceleration.
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = np.isfinite(numbers)
    numbers, groups = numbers[known], np.asarray(sentence)[known]
    if not len(numbers):
        return Interval(None, None, None, 0, 0)
    names, cluster = np.unique(groups, return_inverse=True)
    order = np.argsort(numbers, kind="stable")
    numbers, cluster = numbers[order], cluster[order]
    rng = np.random.default_rng(options.seed)
    draws = []
    for weights in weight_chunks(rng, len(names), options.samples, width=len(numbers)):
        heap = np.cumsum(weights[:, cluster], axis=1)  # (b, n)
        half = heap[:, -1:] / 2
        lower = (heap < half).sum(axis=1)
        upper = np.minimum((heap <= half).sum(axis=1), len(numbers) - 1)
        draws.append((numbers[lower] + numbers[upper]) / 2)
    low, high = percentile_limits(np.concatenate(draws), options.level, clusters=len(names))
    return Interval(float(np.median(numbers)), low, high, len(numbers), len(names))


def _sums(rows: FloatArray, group: IntArray) -> FloatArray:
    """(G, K) the rows of each group that has any, added up."""
    names, index = np.unique(group, return_inverse=True)
    return np.stack(
        [np.bincount(index, weights=column, minlength=len(names)) for column in rows.T], axis=1
    )


def _variance(influences: tuple[FloatArray, ...]) -> float:
    """The jackknife's variance; of two ways V(sentences) + V(workers) - V(both), the larger of
    the first two where that fails.
    """
    parts = [
        float(((part - part.mean()) ** 2).sum()) * (len(part) - 1) / len(part) if len(part) else 0.0
        for part in (part[np.isfinite(part)] for part in influences)
    ]
    if len(parts) == 1:
        return parts[0]
    by_sentence, by_worker, by_cell = parts
    return max(by_sentence + by_worker - by_cell, by_sentence, by_worker)


def _with_spread(draws: FloatArray, estimate: float, variance: float) -> FloatArray:
    """The draws, drawn together around the estimate until they have the variance."""
    spread = float(np.nanvar(draws))
    if spread == 0:
        return draws
    return np.asarray(estimate + (draws - estimate) * min(1.0, np.sqrt(variance / spread)))
