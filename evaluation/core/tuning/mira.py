"""MIRA: large-margin tuning towards an oracle (ALGORITHMS E7).

Two forms share their epochs. `tune_mira` solves equation 7 exactly over the whole list of one
sentence after the other. `tune_batch_mira` is that of Cherry and Foster (2012): one hope and one
fear a sentence, and a pseudo-corpus that makes corpus BLEU of a single translation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numba import njit

from evaluation.core.metrics.oracle import best_of_lists
from evaluation.core.tuning.lists import FloatArray, IndexArray, KBestLists
from evaluation.core.tuning.margin import separate
from evaluation.core.tuning.metric import BLEU, Brevity, Metric
from evaluation.core.tuning.result import TuningResult

Epoch = Callable[[FloatArray, IndexArray], tuple[FloatArray, FloatArray]]


@dataclass(frozen=True, slots=True)
class MiraOptions:
    """How MIRA over whole lists learns."""

    C: float = 0.0001  # the most that one constraint may count; there is one for each hypothesis
    epochs: int = 20  # over all sentences
    tolerance: float = 1e-4  # of a sentence's programme, as a part of its largest loss
    sweeps: int = 1000
    brevity: Brevity = "smoothed"  # of the sentence scores; plain is BLEU+1


@dataclass(frozen=True, slots=True)
class BatchMiraOptions:
    """How batch MIRA learns; the defaults are those of Cherry and Foster (2012)."""

    C: float = 0.01  # the longest step
    epochs: int = 60
    decay: float = 0.999  # of the pseudo-corpus, at each sentence


def tune_mira(
    lists: KBestLists,
    start: FloatArray,
    rng: np.random.Generator,
    options: MiraOptions = MiraOptions(),
    metric: Metric = BLEU,
) -> TuningResult:
    """Online MIRA with each sentence's programme solved exactly (ALGORITHMS E7).

    The oracle is the hypothesis with the best sentence score, the loss the difference to it, in
    parts of the best possible score.
    """
    quality = metric.of_sentences(lists.statistics, options.brevity) / 100.0
    oracles = best_of_lists(quality, lists.offsets)

    def epoch(weights: FloatArray, order: IndexArray) -> tuple[FloatArray, FloatArray]:
        total = np.zeros_like(weights)
        for s in order:
            rows = slice(lists.offsets[s], lists.offsets[s + 1])
            step = separate(
                lists.features[oracles[s]] - lists.features[rows],
                quality[oracles[s]] - quality[rows],
                weights,
                options.C,
                options.tolerance,
                options.sweeps,
            )
            weights = step.weights
            total += weights
        return weights, total / len(order)

    return _best_epoch(lists, start, rng, options.epochs, metric, epoch)


def tune_batch_mira(
    lists: KBestLists,
    start: FloatArray,
    rng: np.random.Generator,
    options: BatchMiraOptions = BatchMiraOptions(),
    metric: Metric = BLEU,
) -> TuningResult:
    """Batch MIRA from hope to fear (ALGORITHMS E7; Cherry and Foster 2012, algorithm 1)."""
    background = np.ones(lists.statistics.shape[1])

    def epoch(weights: FloatArray, order: IndexArray) -> tuple[FloatArray, FloatArray]:
        weights = weights.copy()
        average = _hope_and_fear_epoch(
            lists.offsets,
            lists.features,
            lists.statistics,
            order,
            options.C,
            options.decay,
            metric.corpus,
            metric.size,
            weights,
            background,
        )
        return weights, average

    return _best_epoch(lists, start, rng, options.epochs, metric, epoch)


def _best_epoch(
    lists: KBestLists,
    start: FloatArray,
    rng: np.random.Generator,
    epochs: int,
    metric: Metric,
    epoch: Epoch,
) -> TuningResult:
    """Run epochs in random orders; of their average weights, those best for the corpus score."""
    weights = np.asarray(start, np.float64)
    start_score = metric.under(lists, weights)
    best, best_score = weights, start_score
    total = np.zeros_like(weights)
    for done in range(1, epochs + 1):
        weights, average = epoch(weights, rng.permutation(len(lists)))
        total += average
        score = metric.under(lists, total / done)
        if score > best_score:
            best, best_score = total / done, score
    return TuningResult(best, best_score, start_score)


@njit(nogil=True)  # not cached, as `_score_rows` of evaluation.core.metrics.bleu
def _hope_and_fear_epoch(  # type: ignore[no-untyped-def]
    offsets, features, statistics, order, C, decay, corpus, size, weights, background
):
    """One pass over the sentences; moves weights and background, returns the average weights.

    The metric of a hypothesis is that of the pseudo-corpus with it, times the size of both: so
    differences are in the unit of the whole text, as in Chiang et al. (2008).
    """
    average = np.zeros(len(weights))
    row = np.empty(len(background))
    for s in order:
        hope = fear = offsets[s]
        hope_sum = fear_difference = -np.inf
        hope_gain = fear_gain = hope_score = fear_score = 0.0
        for h in range(offsets[s], offsets[s + 1]):
            score = 0.0
            for d in range(len(weights)):
                score += weights[d] * features[h, d]
            for m in range(len(row)):
                row[m] = background[m] + statistics[h, m]
            gain = corpus(row) / 100.0 * row[size]
            if score + gain > hope_sum:
                hope, hope_sum, hope_gain, hope_score = h, score + gain, gain, score
            if score - gain > fear_difference:
                fear, fear_difference, fear_gain, fear_score = h, score - gain, gain, score
        violation = (hope_gain - fear_gain) - (hope_score - fear_score)
        if violation > 0.0:
            square = 0.0
            for d in range(len(weights)):
                square += (features[hope, d] - features[fear, d]) ** 2
            if square > 0.0:
                step = min(C, violation / square)
                for d in range(len(weights)):
                    weights[d] += step * (features[hope, d] - features[fear, d])
        for m in range(len(row)):
            background[m] = decay * background[m] + statistics[hope, m]
        for d in range(len(weights)):
            average[d] += weights[d] / len(order)
    return average
