"""What a list holds for somebody who knows the references: its oracle and its spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.core.errors import InputError
from evaluation.core.metrics.bleu import Smoothing, corpus_bleu, sentence_bleu1
from evaluation.core.metrics.words import OffsetArray, check_not_empty

FloatArray = NDArray[np.float64]


def check_scores(scores: FloatArray, offsets: OffsetArray) -> None:
    """Raise unless there is a number for each translation of each list, and no list is empty."""
    check_not_empty(offsets, "translation")
    if len(scores) != offsets[-1]:
        raise InputError(
            f"there are {len(scores)} scores for {offsets[-1]} translations",
            hint="Give one score for each translation of each list.",
        )
    missing = np.flatnonzero(np.isnan(scores))
    if len(missing):
        sentence = np.searchsorted(offsets, missing[0], side="right") - 1
        number = missing[0] - offsets[sentence] + 1
        raise InputError(
            f"translation {number} of sentence {sentence + 1} has no score (NaN)",
            hint="Score every translation, or leave it out of its list.",
        )


def best_of_lists(scores: FloatArray, offsets: OffsetArray) -> NDArray[np.int64]:
    """The index of each list's best-scored translation, the first of equals: (S,)."""
    check_scores(scores, offsets)
    best = np.maximum.reduceat(scores, offsets[:-1])
    is_best = np.flatnonzero(scores == np.repeat(best, np.diff(offsets)))
    return is_best[np.searchsorted(is_best, offsets[:-1])]


def oracle_translations(statistics: NDArray[np.integer], offsets: OffsetArray) -> NDArray[np.int64]:
    """The index of each list's translation with the best BLEU+1 (ALGORITHMS B4): (S,)."""
    return best_of_lists(sentence_bleu1(statistics), offsets)


def oracle_bleu(
    statistics: NDArray[np.integer], offsets: OffsetArray, smoothing: Smoothing = "exp"
) -> float:
    """Corpus BLEU of each list's best translation by BLEU+1 (ALGORITHMS B4)."""
    return corpus_bleu(statistics[oracle_translations(statistics, offsets)], smoothing)


@dataclass(frozen=True, slots=True)
class Spread:
    """The scores within each list: what the paper's Figure 1 averages over a quartile."""

    median: FloatArray  # (S,)  of an even number, the mean of the middle two
    minimum: FloatArray  # (S,)
    maximum: FloatArray  # (S,)


def list_spread(scores: FloatArray, offsets: OffsetArray) -> Spread:
    """Median, least and greatest score of each list (ALGORITHMS B5, Figure 1)."""
    check_scores(scores, offsets)
    lengths = np.diff(offsets)
    ordered = scores[np.lexsort((scores, np.repeat(np.arange(len(lengths)), lengths)))]
    lower = offsets[:-1] + (lengths - 1) // 2
    upper = offsets[:-1] + lengths // 2
    return Spread(
        median=(ordered[lower] + ordered[upper]) / 2.0,
        minimum=ordered[offsets[:-1]],
        maximum=ordered[offsets[1:] - 1],
    )
