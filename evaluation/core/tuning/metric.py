"""What is tuned for: a metric that scores sums of statistics, and its form for one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.metrics.bleu import apply_score, bleu1_score, bleu_score
from evaluation.core.tuning.lists import FloatArray, KBestLists, select

Kernel = Callable[..., float]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric whose statistics add up; more is better, and 100 is best.

    Both scores are numba kernels from a row of statistics to a number.
    """

    name: str
    corpus: Kernel  # of the sum over a corpus
    sentence: Kernel  # of one sentence
    size: int = -1  # the column that says how much text a row stands for

    def of_corpus(self, statistics: NDArray[np.integer] | FloatArray) -> float:
        """The score of a corpus whose sentences have these statistics."""
        return float(apply_score(statistics.sum(axis=0, dtype=np.float64), self.corpus))

    def of_sentences(self, statistics: NDArray[np.integer] | FloatArray) -> FloatArray:
        """The score of each row as a sentence of its own."""
        return apply_score(statistics, self.sentence)

    def under(self, lists: KBestLists, weights: FloatArray) -> float:
        """The corpus score of what the weights select from the lists."""
        return self.of_corpus(lists.statistics[select(lists, weights)])


BLEU = Metric("BLEU", corpus=bleu_score, sentence=bleu1_score)
"""Corpus BLEU (ALGORITHMS B1) and BLEU+1 (B2), of `evaluation.core.metrics.bleu`'s statistics."""
