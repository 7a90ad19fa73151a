"""Coverage: how much of the references' n-grams a list of translations holds, taken together."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evaluation.core.errors import InputError
from evaluation.core.metrics.bleu import check_same_sentences, match_grams, matching_room
from evaluation.core.metrics.references import References
from evaluation.core.metrics.words import SentenceLists

FloatArray = NDArray[np.float64]

Pooling = Literal["sum", "max"]


def coverage_statistics(
    lists: SentenceLists, references: References, pooling: Pooling = "sum"
) -> NDArray[np.int64]:
    """Matches and totals of orders 1..N of each list (ALGORITHMS B3): (S, 2N) integers.

    The matches of order n are the sum over g of min(c_L(g), c_R(g)), where c_L(g) is, over the
    translations y of the list, the sum of c_y(g) or, with ``pooling="max"``, the largest.
    """
    check_same_sentences(lists.offsets, references.sentences)
    if pooling not in ("sum", "max"):
        raise InputError(f"there is no pooling {pooling!r}", hint='Choose "sum" or "max".')
    order = references.totals.shape[1]
    statistics = np.zeros((len(lists), 2 * order), np.int64)
    statistics[:, order:] = references.totals
    sentences = lists.sentences
    _fill_matches(
        sentences.words,
        sentences.offsets,
        lists.offsets,
        references,
        pooling == "max",
        statistics[:, :order],
    )
    return statistics


def list_coverage(statistics: NDArray[np.int64]) -> FloatArray:
    """Coverage of each row of statistics, 0..100 (ALGORITHMS B3): the geometric mean of recalls.

    Order 1 is matches / total; higher orders add one to both, as BLEU+1 does.
    """
    scores = np.empty(len(statistics))
    _score_lists(statistics, scores)
    return scores


def coverage(lists: SentenceLists, references: References, pooling: Pooling = "sum") -> float:
    """A data set's coverage, 0..100: the mean over its sentences (ALGORITHMS B3)."""
    return float(list_coverage(coverage_statistics(lists, references, pooling)).mean())


@njit(cache=True, nogil=True)
def coverage_score(row):  # type: ignore[no-untyped-def]
    """Coverage of one row of matches and totals, 0..100; for kernels (ALGORITHMS B3)."""
    order = len(row) // 2
    product = row[0] / row[order]
    for n in range(1, order):
        product *= (row[n] + 1.0) / (row[order + n] + 1.0)
    return 100.0 * product ** (1.0 / order)


@njit(cache=True, nogil=True)
def _score_lists(statistics, scores):  # type: ignore[no-untyped-def]
    """Fill scores."""
    for s in range(len(statistics)):
        scores[s] = coverage_score(statistics[s])


@njit(cache=True, nogil=True)
def _fill_matches(words, offsets, lists, references, largest, matches):  # type: ignore[no-untyped-def]
    """Fill matches (S, N).

    Under "sum" what one translation matched stays ``seen`` for the next. Under "max" each starts
    afresh and counts only what it has beyond ``pooled``, the most that one before it had.
    """
    seen, grams, orders = matching_room(offsets, references)
    pooled = np.zeros_like(seen)
    for s in range(len(lists) - 1):
        own = references.gram_offsets[s + 1] - references.gram_offsets[s]
        seen[:own] = 0
        pooled[:own] = 0
        for h in range(lists[s], lists[s + 1]):
            met = match_grams(words, offsets[h], offsets[h + 1], references, s, seen, grams, orders)
            for i in range(met):
                gram = grams[i]
                if not largest:
                    matches[s, orders[i]] += 1
                    continue
                if seen[gram] > pooled[gram]:
                    matches[s, orders[i]] += seen[gram] - pooled[gram]
                    pooled[gram] = seen[gram]
            if largest:
                for i in range(met):
                    seen[grams[i]] = 0
