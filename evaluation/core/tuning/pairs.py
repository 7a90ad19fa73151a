"""Sums over all pairs of a list that violate the margin, in O(k log k) (ALGORITHMS E6).

P holds the pairs (i, j) of one list of which i is better. Q, its subset with 1 - h_i + h_j > 0,
is never written down: all that the loss, its gradient and its curvature need of it are, for each
hypothesis, how many partners it has in Q and the sum of some value over them (Airola et al. 2011;
Lee and Lin 2014; Dreyer and Dong 2015, equations 4-7).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from evaluation.core.metrics.words import OffsetArray
from evaluation.core.tuning.lists import FloatArray, IndexArray


class PairSums(NamedTuple):
    """For each hypothesis, of the pairs in Q of which it is the better or the worse one."""

    as_better: FloatArray  # (H,)  q_i = #{j : (i, j) in Q}
    as_worse: FloatArray  # (H,)  qbar_j = #{i : (i, j) in Q}
    of_worse: FloatArray  # (H,)  the sum of the values of {j : (i, j) in Q}; of h it is r_i
    of_better: FloatArray  # (H,)  the sum of the values of {i : (i, j) in Q}; of h it is rbar_j


def rank_in_lists(quality: FloatArray, offsets: OffsetArray) -> IndexArray:
    """Dense ranks within each list, the worst 1; equals share one: (H,).

    >>> rank_in_lists(np.array([5.0, 7.0, 5.0, 1.0]), np.array([0, 3, 4]))
    array([1, 2, 1, 1])
    """
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((quality, sentence))
    ordered, starts = quality[order], offsets[:-1]
    steps = np.concatenate(([1], (ordered[1:] > ordered[:-1]).astype(np.int64)))
    steps[starts] = 1
    counted = np.cumsum(steps)
    ranks = np.empty(len(quality), np.int64)
    ranks[order] = counted - np.repeat(counted[starts] - 1, np.diff(offsets))
    return ranks


def order_in_lists(scores: FloatArray, offsets: OffsetArray) -> IndexArray:
    """The rows of each list from its least to its greatest score: (H,)."""
    order = np.empty(len(scores), np.int64)
    _sort_lists(scores, offsets, order)
    return order


def sum_violating_pairs(
    scores: FloatArray,
    order: IndexArray,
    ranks: IndexArray,
    offsets: OffsetArray,
    values: FloatArray,
) -> PairSums:
    """Counts and sums of ``values`` over Q at these scores h; ``order`` sorts h in each list."""
    sums = PairSums(*(np.empty(len(scores)) for _ in range(4)))
    _sum_pairs(scores, order, ranks, offsets, values, *sums)
    return sums


@njit(cache=True, nogil=True)
def _sort_lists(scores, offsets, order):  # type: ignore[no-untyped-def]
    """Fill order."""
    for s in range(len(offsets) - 1):
        start, end = offsets[s], offsets[s + 1]
        order[start:end] = start + np.argsort(scores[start:end], kind="mergesort")


@njit(cache=True, nogil=True, inline="always")
def _add(counts, totals, rank, value):  # type: ignore[no-untyped-def]
    """Put a value at its rank into the Fenwick tree (1-based)."""
    while rank < len(counts):
        counts[rank] += 1
        totals[rank] += value
        rank += rank & -rank


@njit(cache=True, nogil=True, inline="always")
def _sum_up_to(counts, totals, rank):  # type: ignore[no-untyped-def]
    """How many values have this rank or a lower one, and their sum."""
    count = 0
    total = 0.0
    while rank > 0:
        count += counts[rank]
        total += totals[rank]
        rank -= rank & -rank
    return count, total


@njit(cache=True, nogil=True)
def _sum_pairs(scores, order, ranks, offsets, values, q, q_bar, r, r_bar):  # type: ignore[no-untyped-def]
    """Fill q, q_bar, r and r_bar (Dreyer and Dong 2015, equations 4-7).

    The margin is swept over the sorted scores twice. Downwards, the tree holds all j that are not
    a margin below i; those of a lower rank are i's partners. Upwards, it holds all i that are not
    a margin above j, with ranks reversed.
    """
    longest = np.diff(offsets).max()
    all_counts = np.empty(longest + 1, np.int64)
    all_totals = np.empty(longest + 1)
    for s in range(len(offsets) - 1):
        start, end = offsets[s], offsets[s + 1]
        top = ranks[start:end].max()
        counts = all_counts[: top + 1]
        totals = all_totals[: top + 1]

        counts[:] = 0
        totals[:] = 0.0
        at = end - 1
        for place in range(end - 1, start - 1, -1):
            i = order[place]
            while at >= start and 1.0 - scores[i] + scores[order[at]] > 0.0:
                _add(counts, totals, ranks[order[at]], values[order[at]])
                at -= 1
            q[i], r[i] = _sum_up_to(counts, totals, ranks[i] - 1)

        counts[:] = 0
        totals[:] = 0.0
        at = start
        for place in range(start, end):
            j = order[place]
            while at < end and 1.0 - scores[order[at]] + scores[j] > 0.0:
                _add(counts, totals, top + 1 - ranks[order[at]], values[order[at]])
                at += 1
            q_bar[j], r_bar[j] = _sum_up_to(counts, totals, top - ranks[j])
