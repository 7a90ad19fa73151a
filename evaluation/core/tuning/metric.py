"""What is tuned for: a metric that scores sums of statistics, and its form for one sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evaluation.core.metrics.bleu import apply_score, bleu1_score, bleu_score, brevity_penalty
from evaluation.core.tuning.lists import FloatArray, KBestLists, select

Kernel = Callable[..., float]
Brevity = Literal["smoothed", "plain"]


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric whose statistics add up; more is better, and 100 is best.

    All scores are numba kernels from a row of statistics to a number.
    """

    name: str
    corpus: Kernel  # of the sum over a corpus
    sentence: Kernel  # of one sentence
    size: int = -1  # the column that says how much text a row stands for
    smoothed: Kernel | None = None  # of one sentence, for methods that only see sentences

    def of_corpus(self, statistics: NDArray[np.integer] | FloatArray) -> float:
        """The score of a corpus whose sentences have these statistics."""
        return float(apply_score(statistics.sum(axis=0, dtype=np.float64), self.corpus))

    def of_sentences(
        self, statistics: NDArray[np.integer] | FloatArray, brevity: Brevity = "plain"
    ) -> FloatArray:
        """The score of each row as a sentence of its own."""
        smoothed = self.smoothed if brevity == "smoothed" else None
        return apply_score(statistics, smoothed or self.sentence)

    def under(self, lists: KBestLists, weights: FloatArray) -> float:
        """The corpus score of what the weights select from the lists."""
        return self.of_corpus(lists.statistics[select(lists, weights)])


@njit(cache=True, nogil=True)
def smoothed_bleu1_score(row):  # type: ignore[no-untyped-def]
    """BLEU+1 whose brevity penalty is smoothed too: the reference counts a word more.

    BLEU+1 adds matches but leaves the penalty as it is, and so favours short translations:
    what is tuned by it is too short (Nakov, Guzmán and Vogel 2012).
    """
    order = (len(row) - 2) // 2
    length, reference_length = row[2 * order], row[2 * order + 1]
    if row[0] == 0:
        return 0.0
    # The same precisions, and the other penalty for the one that is in the score.
    precisions = bleu1_score(row) / brevity_penalty(length, reference_length)
    return precisions * brevity_penalty(length, reference_length + 1.0)


BLEU = Metric("BLEU", corpus=bleu_score, sentence=bleu1_score, smoothed=smoothed_bleu1_score)
"""Corpus BLEU (ALGORITHMS B1) and BLEU+1 (B2), of `evaluation.core.metrics.bleu`'s statistics."""
