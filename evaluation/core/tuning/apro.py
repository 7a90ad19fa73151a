"""APRO: pairwise ranking over all pairs (ALGORITHMS E6; Dreyer and Dong 2015)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.core.tuning.lists import FloatArray, KBestLists, model_scores
from evaluation.core.tuning.metric import BLEU, Metric
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
    objective = RankingObjective(lists, metric.of_sentences(lists.statistics), options.C)
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
        q, q_bar, r, r_bar = self._sums(h)
        loss = (q * (h**2 - 2 * h + 1) + q_bar * (h**2 + 2 * h) - 2 * r * h).sum()
        slope = 2 * (q * h - q - r + q_bar * h + q_bar - r_bar)
        value = 0.5 * weights @ weights + self.share * loss
        return float(value), weights + self.share * (slope @ self.lists.features)

    def curvature(self, weights: FloatArray, vector: FloatArray) -> FloatArray:
        """The product of R's generalised Hessian, which has Q held fixed, with a vector."""
        self._scores(weights)
        z = model_scores(self.lists, vector)
        q, q_bar, r, r_bar = self._sums(z)
        product: FloatArray = 2 * (q * z - r + q_bar * z - r_bar) @ self.lists.features
        return vector + self.share * product

    def _scores(self, weights: FloatArray) -> FloatArray:
        """The scores h, and their order, which are kept: solvers ask for the same again."""
        if not np.array_equal(weights, self._at):
            self._at = weights.copy()
            self._h = model_scores(self.lists, weights)
            self._order = order_in_lists(self._h, self.lists.offsets)
        return self._h

    def _sums(self, values: FloatArray) -> PairSums:
        return sum_violating_pairs(self._h, self._order, self.ranks, self.lists.offsets, values)
