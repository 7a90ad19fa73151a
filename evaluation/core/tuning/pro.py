"""PRO: pairwise ranking over sampled pairs (ALGORITHMS E5; Hopkins and May 2011)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from evaluation.core.metrics.words import OffsetArray
from evaluation.core.tuning.lists import FloatArray, IndexArray, KBestLists
from evaluation.core.tuning.metric import BLEU, Brevity, Metric
from evaluation.core.tuning.minimise import Solver, even_steps, minimise
from evaluation.core.tuning.result import TuningResult


@dataclass(frozen=True, slots=True)
class ProOptions:
    """How PRO samples and learns; the defaults are the paper's."""

    drawn: int = 5000  # pairs of each list, called Gamma in the paper
    kept: int = 50  # those of them with the largest differences, Xi
    threshold: float = 5.0  # the least difference in BLEU+1 of 0..100, alpha
    precision: float = 1.0  # of the prior on the weights; MegaM's, which the paper used
    solver: Solver = "newton"
    tolerance: float = 1e-5
    iterations: int = 200
    brevity: Brevity = "smoothed"  # of the sentence scores; plain is BLEU+1


def tune_pro(
    lists: KBestLists,
    start: FloatArray,
    rng: np.random.Generator,
    options: ProOptions = ProOptions(),
    metric: Metric = BLEU,
) -> TuningResult:
    """Weights that tell the better from the worse of sampled pairs (ALGORITHMS E5)."""
    better, worse = sample_pairs(
        lists.offsets, metric.of_sentences(lists.statistics, options.brevity), rng, options
    )
    objective = LogisticObjective(lists.features[better] - lists.features[worse], options.precision)
    weights, minimum = minimise(
        objective, start, options.solver, options.tolerance, options.iterations
    )
    return TuningResult(
        weights, metric.under(lists, weights), metric.under(lists, start), objective=minimum
    )


def sample_pairs(
    offsets: OffsetArray, quality: FloatArray, rng: np.random.Generator, options: ProOptions
) -> tuple[IndexArray, IndexArray]:
    """The rows of the better and of the worse of each pair (Hopkins and May 2011, figure 4)."""
    better, worse = [], []
    for start, end in itertools.pairwise(offsets):
        pairs = rng.integers(start, end, (options.drawn, 2))
        difference = quality[pairs[:, 0]] - quality[pairs[:, 1]]
        candidates = np.flatnonzero(np.abs(difference) > options.threshold)
        largest = np.argsort(-np.abs(difference[candidates]), kind="stable")[: options.kept]
        chosen = candidates[largest]
        swapped = difference[chosen] < 0
        better.append(np.where(swapped, pairs[chosen, 1], pairs[chosen, 0]))
        worse.append(np.where(swapped, pairs[chosen, 0], pairs[chosen, 1]))
    return np.concatenate(better), np.concatenate(worse)


class LogisticObjective:
    """The negative log-probability of pairs under a logistic classifier with a normal prior.

    Each pair is an example twice, as (better - worse, +) and as (worse - better, -). Without a
    constant feature the two have equal probabilities.
    """

    def __init__(self, differences: FloatArray, precision: float) -> None:
        """``differences`` of features, better less worse: (P, D)."""
        self.differences = differences
        self.steps = even_steps(differences)
        self.precision = precision

    def value(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The function and its gradient."""
        margins = self.differences @ weights
        value = 0.5 * self.precision * weights @ weights + 2 * np.logaddexp(0, -margins).sum()
        return float(value), self.precision * weights - 2 * expit(-margins) @ self.differences

    def curvature(self, weights: FloatArray, vector: FloatArray) -> FloatArray:
        """The product of its Hessian with a vector."""
        right = expit(self.differences @ weights)
        product: FloatArray = (
            2 * right * (1 - right) * (self.differences @ vector)
        ) @ self.differences
        return self.precision * vector + product
