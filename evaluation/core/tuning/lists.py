"""k-best lists as the tuners see them: features and sufficient statistics, no words.

One data set serves all methods (ALGORITHMS E). Lists grow by `merge` from round to round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evaluation.core.errors import InputError
from evaluation.core.metrics.oracle import best_of_lists
from evaluation.core.metrics.words import OffsetArray, check_not_empty, list_offsets

FloatArray = NDArray[np.float64]
IndexArray = NDArray[np.int64]

_FREE = -1  # a slot of the hash table that no row has
_MULTIPLIER = -7046029254386353131  # 2**64 / golden ratio, as a signed number


@dataclass(frozen=True, slots=True)
class KBestLists:
    """The k-best lists of S sentences, H hypotheses in all, each list best first (a CSR layout)."""

    offsets: OffsetArray  # (S+1,)  hypotheses of sentence s: offsets[s] to offsets[s+1] - 1
    features: FloatArray  # (H, D)
    statistics: NDArray[np.integer] | FloatArray  # (H, M)  rows that add up, such as BLEU's 2N+2

    def __post_init__(self) -> None:
        """Raise unless the arrays fit together, no list is empty and all features are finite."""
        check_not_empty(self.offsets, "hypothesis")
        hypotheses = int(self.offsets[-1])
        for what, array in (("features", self.features), ("statistics", self.statistics)):
            if array.ndim != 2 or len(array) != hypotheses:
                raise InputError(
                    f"there are {what} of shape {array.shape} for {hypotheses} hypotheses",
                    hint="Give a row for each hypothesis of each list.",
                )
        infinite = np.flatnonzero(~np.isfinite(self.features).all(axis=1))
        if len(infinite):
            sentence = int(np.searchsorted(self.offsets, infinite[0], side="right")) - 1
            raise InputError(
                f"hypothesis {infinite[0] - self.offsets[sentence] + 1} of sentence "
                f"{sentence + 1} has a feature that is no finite number",
                hint="Bound features such as logarithms of zero before tuning.",
            )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def sentence_of_rows(self) -> IndexArray:
        """The sentence that each hypothesis translates: (H,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def take(self, rows: IndexArray) -> KBestLists:
        """Only these hypotheses, given in the order of their sentences."""
        counts = np.bincount(self.sentence_of_rows()[rows], minlength=len(self))
        return KBestLists(list_offsets(counts), self.features[rows], self.statistics[rows])

    def sentences(self, chosen: Sequence[int] | IndexArray) -> KBestLists:
        """Only these sentences, in this order: to split data for tuning and test."""
        rows = [np.arange(self.offsets[s], self.offsets[s + 1]) for s in chosen]
        index = np.concatenate(rows)
        return KBestLists(
            list_offsets(map(len, rows)), self.features[index], self.statistics[index]
        )


def model_scores(lists: KBestLists, weights: FloatArray) -> FloatArray:
    """w.h of each hypothesis (ALGORITHMS A1): (H,).

    Equal features give equal scores to the last bit, which a matrix product does not promise; so
    ties are ties for all tuners.
    """
    if weights.shape != (lists.features.shape[1],):
        raise InputError(
            f"there are weights of shape {weights.shape} for {lists.features.shape[1]} features",
            hint="Give one weight for each feature.",
        )
    scores = np.empty(len(lists.features))
    _fill_scores(lists.features, np.ascontiguousarray(weights, np.float64), scores)
    return scores


def select(lists: KBestLists, weights: FloatArray) -> IndexArray:
    """The row of each list's best hypothesis under the weights, the first of equals: (S,)."""
    return best_of_lists(model_scores(lists, weights), lists.offsets)


def join(parts: Sequence[KBestLists]) -> tuple[KBestLists, IndexArray]:
    """One list a sentence of all its lists, one after the other, duplicates left out.

    A duplicate has the features and the statistics of an earlier hypothesis of its sentence: no
    tuner can tell them apart, and no metric either. Also returns which row of the concatenated
    parts each row was, for whoever keeps texts beside the lists.
    """
    sentences = {len(part) for part in parts}
    if len(sentences) != 1:
        raise InputError(
            f"lists of different numbers of sentences cannot be merged: {sorted(sentences)}",
            hint="All must be of the same sentences, in the same order.",
        )
    if len({(p.features.shape[1], p.statistics.shape[1]) for p in parts}) != 1:
        raise InputError(
            "lists with different numbers of features or statistics cannot be merged",
            hint="Use the same system and the same metric in every round.",
        )
    # By sentence, then by part: a stable sort of the concatenated rows.
    order = np.argsort(np.concatenate([p.sentence_of_rows() for p in parts]), kind="stable")
    offsets = np.sum([part.offsets for part in parts], axis=0)
    features = np.concatenate([part.features for part in parts])[order]
    statistics = np.concatenate([part.statistics for part in parts])[order]
    rows = np.flatnonzero(_first_of_equals(offsets, features, statistics))
    return KBestLists(offsets, features, statistics).take(rows), order[rows]


def merge(*parts: KBestLists) -> KBestLists:
    """One list a sentence of all its lists, duplicates left out: see `join`."""
    return join(parts)[0]


@njit(cache=True, nogil=True)
def _fill_scores(features, weights, scores):  # type: ignore[no-untyped-def]
    """Fill scores: each row's products are added from left to right."""
    for h in range(len(features)):
        total = 0.0
        for d in range(len(weights)):
            total += features[h, d] * weights[d]
        scores[h] = total


@njit(cache=True, nogil=True)
def _row_hash(features, statistics):  # type: ignore[no-untyped-def]
    """A number that equal rows share; 0.0 and -0.0 are equal."""
    mixed = np.int64(0)
    bits = np.empty(1)
    for value in features:
        bits[0] = value + 0.0
        mixed = ((mixed ^ bits.view(np.int64)[0]) * _MULTIPLIER) ^ (mixed >> 29)
    for value in statistics:
        bits[0] = value + 0.0
        mixed = ((mixed ^ bits.view(np.int64)[0]) * _MULTIPLIER) ^ (mixed >> 29)
    return (mixed ^ (mixed >> 32)) * _MULTIPLIER


@njit(cache=True, nogil=True)
def _same_row(rows, i, j):  # type: ignore[no-untyped-def]
    """Whether two rows are equal."""
    for d in range(rows.shape[1]):  # noqa: SIM110 - a kernel has no generators
        if rows[i, d] != rows[j, d]:
            return False
    return True


@njit(cache=True, nogil=True)
def _first_of_equals(offsets, features, statistics):  # type: ignore[no-untyped-def]
    """Whether a row is the first of its sentence with its features and statistics: (H,)."""
    first = np.zeros(len(features), np.bool_)
    room = 2
    while room < 2 * np.diff(offsets).max():
        room *= 2
    slots = np.empty(room, np.int64)
    for s in range(len(offsets) - 1):
        size = 2
        while size < 2 * (offsets[s + 1] - offsets[s]):
            size *= 2
        slots[:size] = _FREE
        for h in range(offsets[s], offsets[s + 1]):
            slot = (_row_hash(features[h], statistics[h]) >> 20) & (size - 1)
            while slots[slot] != _FREE and not (
                _same_row(features, slots[slot], h) and _same_row(statistics, slots[slot], h)
            ):
                slot = (slot + 1) & (size - 1)
            if slots[slot] == _FREE:
                slots[slot] = h
                first[h] = True
    return first
