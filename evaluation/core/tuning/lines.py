"""Exact line search: how a corpus score changes along a line of weights (ALGORITHMS E1).

Along w0 + gamma d each hypothesis is a line in gamma, with intercept w0.h and slope d.h. What a
sentence selects is the upper envelope of its lines, so the corpus score is constant between the
breakpoints of all envelopes together, and one sweep over these finds its maximum (Och 2003).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from evaluation.core.tuning.lists import FloatArray, KBestLists
from evaluation.core.tuning.metric import Kernel

# An interval of gamma narrower than this part of its ends is an artefact of rounding.
_NARROW = 1e-11


class Peak(NamedTuple):
    """The best interval of a line search."""

    gamma: float  # its middle; for an unbounded one, the bound and 1 more
    score: float  # of the corpus, anywhere in the interval


def search_line(
    lists: KBestLists, intercepts: FloatArray, slopes: FloatArray, score: Kernel
) -> Peak:
    """The best corpus score on a line (ALGORITHMS E1), exactly.

    ``intercepts`` are w0.h and ``slopes`` d.h of each hypothesis: (H,). Of intervals with equal
    scores the widest wins, then the leftmost: what lies far from any breakpoint generalises.
    """
    first, breaks, leaving, entering = _envelopes(lists.offsets, intercepts, slopes)
    order = np.argsort(breaks, kind="stable")
    gamma, best = _sweep(
        lists.statistics, first, breaks[order], leaving[order], entering[order], score
    )
    return Peak(float(gamma), float(best))


@njit(cache=True, nogil=True)
def _envelopes(offsets, intercepts, slopes):  # type: ignore[no-untyped-def]
    """The upper envelope of each sentence's lines.

    Returns each sentence's hypothesis at gamma = -infinity (S,) and, for all sentences together,
    the breakpoints, and which hypothesis leaves and enters the envelope there. A hypothesis that
    equals an earlier one in both numbers never enters.

    The envelope is walked from left to right: the next line is the one of greater slope that is
    crossed first. Lines of no greater slope are dropped at each step, so that no sorting is
    needed and a list costs little more than a look at each hypothesis for each breakpoint.
    """
    sentences = len(offsets) - 1
    first = np.empty(sentences, np.int64)
    room = max(offsets[-1] - sentences, 1)  # an envelope has fewer breakpoints than lines
    breaks = np.empty(room)
    leaving = np.empty(room, np.int64)
    entering = np.empty(room, np.int64)
    rows = np.empty(np.diff(offsets).max(), np.int64)  # those still ahead, with their lines
    a = np.empty(len(rows))
    b = np.empty(len(rows))
    found = 0
    for s in range(sentences):
        now = offsets[s]
        ahead = offsets[s + 1] - now
        for i in range(ahead):
            h = offsets[s] + i
            rows[i] = h
            a[i] = intercepts[h]
            b[i] = slopes[h]
            if b[i] < slopes[now] or (b[i] == slopes[now] and a[i] > intercepts[now]):
                now = h
        first[s] = now
        at = -np.inf
        while True:
            kept = 0
            following = -1
            nearest = np.inf
            for i in range(ahead):
                steeper = b[i] - slopes[now]
                if steeper <= 0.0:
                    continue
                crossing = (intercepts[now] - a[i]) / steeper
                if crossing < nearest or (
                    crossing == nearest
                    and following >= 0
                    and (b[i] > b[following] or (b[i] == b[following] and a[i] > a[following]))
                ):
                    nearest = crossing
                    following = kept
                rows[kept] = rows[i]
                a[kept] = a[i]
                b[kept] = b[i]
                kept += 1
            if following < 0:
                break
            at = max(at, nearest)  # rounding must not turn the walk back
            breaks[found] = at
            leaving[found] = now
            now = rows[following]
            entering[found] = now
            found += 1
            ahead = kept
    return first, breaks[:found], leaving[:found], entering[:found]


@njit(nogil=True)  # not cached, as `_score_rows` of evaluation.core.metrics.bleu
def _sweep(statistics, first, breaks, leaving, entering, score):  # type: ignore[no-untyped-def]
    """The best interval between sorted breakpoints: a gamma inside, and its score."""
    sums = np.zeros(statistics.shape[1])
    for s in range(len(first)):
        for m in range(len(sums)):
            sums[m] += statistics[first[s], m]
    best_score = score(sums)
    if len(breaks) == 0:
        return 0.0, best_score
    best_gamma = breaks[0] - 1.0
    best_width = 2.0  # an unbounded interval counts as this wide
    for i in range(len(breaks)):
        for m in range(len(sums)):
            sums[m] += statistics[entering[i], m] - statistics[leaving[i], m]
        start = breaks[i]
        end = breaks[i + 1] if i + 1 < len(breaks) else start + 2.0
        if end - start <= _NARROW * (abs(start) + abs(end)):
            continue
        here = score(sums)
        if here > best_score or (here == best_score and end - start > best_width):
            best_score = here
            best_gamma = (start + end) / 2.0
            best_width = end - start
    return best_gamma, best_score
