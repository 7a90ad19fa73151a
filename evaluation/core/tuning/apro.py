"""APRO: pairwise ranking over all pairs (ALGORITHMS E6; Dreyer and Dong 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit

from evaluation.core.tuning.lists import FloatArray, KBestLists, model_scores
from evaluation.core.tuning.metric import BLEU, Brevity, Metric
from evaluation.core.tuning.minimise import Solver, even_steps, minimise
from evaluation.core.tuning.pairs import (
    PairSums,
    order_in_lists,
    rank_in_lists,
    sum_violating_pairs,
)
from evaluation.core.tuning.result import TuningResult


@dataclass(frozen=True, slots=True)
class AproOptions:
    """How APRO weighs errors and looks for their minimum."""

    # The weight of the loss against that of the regulariser. The excerpt names no value; on
    # features that are logarithms BLEU no longer changes from 1 upwards.
    C: float = 1.0
    solver: Solver = "newton"
    tolerance: float = 1e-5  # of the gradient's length, as a part of that at the origin
    iterations: int = 200
    brevity: Brevity = "smoothed"  # of the sentence scores; plain is BLEU+1


def tune_apro(
    lists: KBestLists,
    start: FloatArray,
    rng: np.random.Generator,
    options: AproOptions = AproOptions(),
    metric: Metric = BLEU,
) -> TuningResult:
    """The minimum of the squared hinge losses of all pairs (ALGORITHMS E6).

    The objective is convex: neither ``start`` nor ``rng`` has a say in where its minimum lies.
    """
    objective = RankingObjective(
        lists, metric.of_sentences(lists.statistics, options.brevity), options.C
    )
    weights, minimum = minimise(
        objective, start, options.solver, options.tolerance, options.iterations
    )
    return TuningResult(
        weights, metric.under(lists, weights), metric.under(lists, start), objective=minimum
    )


class RankingObjective:
    """R(w) = 1/2 w.w + (C/N) sum_s L_s (ALGORITHMS E6; Dreyer and Dong 2015, equation 3).

    Every evaluation takes O(k log k) for a list of k, though a list has k(k-1)/2 pairs.
    """

    def __init__(self, lists: KBestLists, quality: FloatArray, C: float) -> None:
        """``quality`` says which of two hypotheses is better: (H,), more is better."""
        # Only differences within a list count. Centred, large scores do not swamp them.
        means = (
            np.add.reduceat(lists.features, lists.offsets[:-1]) / np.diff(lists.offsets)[:, None]
        )
        centred = lists.features - np.repeat(means, np.diff(lists.offsets), axis=0)
        self.lists = KBestLists(lists.offsets, centred, lists.statistics)
        self.steps = even_steps(centred)
        self.ranks = rank_in_lists(quality, lists.offsets)
        self.share = C / len(lists.features)
        self._at = np.full(lists.features.shape[1], np.nan)

    def value(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """R and its gradient (equation 11 and its derivative)."""
        h = self._scores(weights)
        slopes = np.empty(len(h))
        loss = _loss_and_slopes(h, *self._sums(h), slopes)
        value = 0.5 * weights @ weights + self.share * loss
        return float(value), weights + self.share * _sum_rows(self.lists.features, slopes)

    def curvature(self, weights: FloatArray, vector: FloatArray) -> FloatArray:
        """The product of R's generalised Hessian, which has Q held fixed, with a vector."""
        self._scores(weights)
        z = model_scores(self.lists, vector)
        slopes = np.empty(len(z))
        _slope_changes(z, *self._sums(z), slopes)
        product: FloatArray = vector + self.share * _sum_rows(self.lists.features, slopes)
        return product

    def _scores(self, weights: FloatArray) -> FloatArray:
        """The scores h, and their order, which are kept: solvers ask for the same again."""
        if not np.array_equal(weights, self._at):
            self._at = weights.copy()
            self._h = model_scores(self.lists, weights)
            self._order = order_in_lists(self._h, self.lists.offsets)
        return self._h

    def _sums(self, values: FloatArray) -> PairSums:
        return sum_violating_pairs(self._h, self._order, self.ranks, self.lists.offsets, values)


@njit(cache=True, nogil=True)
def _loss_and_slopes(h, q, q_bar, r, r_bar, slopes):  # type: ignore[no-untyped-def]
    """The sum of L_s (equation 11); fill slopes with its derivatives by h."""
    loss = 0.0
    for i in range(len(h)):
        square = h[i] * h[i]
        loss += q[i] * (square - 2 * h[i] + 1) + q_bar[i] * (square + 2 * h[i]) - 2 * r[i] * h[i]
        slopes[i] = 2 * (q[i] * h[i] - q[i] - r[i] + q_bar[i] * h[i] + q_bar[i] - r_bar[i])
    return loss


@njit(cache=True, nogil=True)
def _slope_changes(z, q, q_bar, r, r_bar, changes):  # type: ignore[no-untyped-def]
    """Fill changes: how the slopes move when h moves along z, Q held fixed."""
    for i in range(len(z)):
        changes[i] = 2 * (q[i] * z[i] - r[i] + q_bar[i] * z[i] - r_bar[i])


@njit(cache=True, nogil=True)
def _sum_rows(rows, factors):  # type: ignore[no-untyped-def]
    """The sum of the rows, each times its factor; a matrix product would start threads for it."""
    total = np.zeros(rows.shape[1])
    for h in range(len(rows)):
        for d in range(len(total)):
            total[d] += factors[h] * rows[h, d]
    return total
