"""The hidden Markov alignment model (Vogel, Ney and Tillmann 1996; Och and Ney 2003).

Where a predicted word links to depends on where the one before it did, by the width of the jump:

    p(a_j = k | a_{j-1} = i) = (1 - p0) ((1 - u) c(k - i) / sum_k' c(k' - i) + u / I)

A word that links to nothing (probability p0) remembers the last place: each place has a twin for
nothing. The chain's first jump starts from nowhere and is uniform.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from decoding.core.corpus.diagonal import ENTROPY, LOG_LIKELIHOOD, NULL
from decoding.core.corpus.lexicon import fill_slots

WIDEST = 40  # wider jumps share one count on either side
UNIFORM = 0.05  # u: the share of jumps of any width


@njit(cache=True, nogil=True)
def hmm_pass(
    source: Any, source_offsets: Any, target: Any, target_offsets: Any,
    keys: Any, probability: Any, count: Any,
    null_forward: Any, null_backward: Any, null_count_forward: Any, null_count_backward: Any,
    p0: float, jumps: Any, jump_counts: Any, choose: bool, forward: Any, backward: Any, sums: Any,
) -> None:  # fmt: skip
    """One E step over all sentence pairs, in both directions; like `diagonal_pass`.

    ``jumps`` (2, 2 WIDEST + 1): the weight c of each width of jump; ``jump_counts`` the expected
    counts. The best link of a word is the one with the highest posterior probability.
    """
    longest = 0
    for s in range(len(source_offsets) - 1):
        longest = max(
            longest,
            source_offsets[s + 1] - source_offsets[s],
            target_offsets[s + 1] - target_offsets[s],
        )
    all_slots = np.empty((longest, longest), np.int64)
    room = np.empty((7, max(longest, 2), max(longest, 2)))
    for s in range(len(source_offsets) - 1):
        e = source[source_offsets[s] : source_offsets[s + 1]]
        f = target[target_offsets[s] : target_offsets[s + 1]]
        fill_slots(e, f, keys, all_slots)
        slots = all_slots[: len(e), : len(f)]
        _expect(
            slots, f, probability, count, 0, null_forward, null_count_forward, p0,
            jumps[0], jump_counts[0], room, choose,
            forward[target_offsets[s] : target_offsets[s + 1]], sums[0],
        )  # fmt: skip
        _expect(
            slots.T, e, probability, count, 1, null_backward, null_count_backward, p0,
            jumps[1], jump_counts[1], room, choose,
            backward[source_offsets[s] : source_offsets[s + 1]], sums[1],
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _transitions(m: int, jumps: Any, into: Any) -> None:
    """p(k | i) without p0, into ``into[i, k]``."""
    for i in range(m):
        total = 0.0
        for k in range(m):
            into[i, k] = jumps[min(max(k - i, -WIDEST), WIDEST) + WIDEST]
            total += into[i, k]
        for k in range(m):
            into[i, k] = (1 - UNIFORM) * into[i, k] / total + UNIFORM / m


@njit(cache=True, nogil=True)
def _expect(
    slots: Any, predicted: Any, probability: Any, count: Any, direction: int,
    null: Any, null_count: Any, p0: float, jumps: Any, jump_counts: Any, room: Any,
    choose: bool, best: Any, sums: Any,
) -> None:  # fmt: skip
    """Forward and backward over one sentence pair, scaled to 1 at every word.

    Innermost loops run along rows, so that they become vector instructions; expected jumps are
    summed up over words before they are multiplied with the transitions.
    """
    m, n = slots.shape
    move, emit, real, nothing, future, passed = (
        room[0], room[1], room[2], room[3], room[4], room[5],
    )  # fmt: skip
    arriving, scale = room[6, 0], room[6, 1]
    _transitions(m, jumps, move)
    for j in range(n):
        silent = p0 * null[predicted[j]]
        for k in range(m):
            emit[j, k] = (1 - p0) * probability[slots[k, j], direction]
            arriving[k] = 1.0 / m if j == 0 else 0.0
        if j > 0:
            for i in range(m):
                before = real[j - 1, i] + nothing[j - 1, i]
                for k in range(m):
                    arriving[k] += before * move[i, k]
        total = 0.0
        for k in range(m):
            staying = 1.0 / m if j == 0 else real[j - 1, k] + nothing[j - 1, k]
            real[j, k] = arriving[k] * emit[j, k]
            nothing[j, k] = staying * silent
            total += real[j, k] + nothing[j, k]
        sums[LOG_LIKELIHOOD] += np.log(total)
        scale[j] = total
        for k in range(m):
            real[j, k] /= total
            nothing[j, k] /= total
    for k in range(m):
        future[n - 1, k] = 1.0
        for i in range(m):
            passed[i, k] = 0.0
    for j in range(n - 2, -1, -1):
        silent = p0 * null[predicted[j + 1]] / scale[j + 1]
        for k in range(m):
            emit[j + 1, k] *= future[j + 1, k] / scale[j + 1]  # from here on with what follows
        for i in range(m):
            leaving = real[j, i] + nothing[j, i]
            value = 0.0
            for k in range(m):
                value += move[i, k] * emit[j + 1, k]
                passed[i, k] += leaving * emit[j + 1, k]
            future[j, i] = value + silent * future[j + 1, i]
    for i in range(m):
        for k in range(m):
            width = min(max(k - i, -WIDEST), WIDEST)
            jump_counts[width + WIDEST] += passed[i, k] * move[i, k]
    for j in range(n):
        chosen, silent, highest = -1, 0.0, 0.0
        for k in range(m):
            silent += nothing[j, k] * future[j, k]
        for k in range(m):
            p = real[j, k] * future[j, k]
            count[slots[k, j], direction] += p
            if choose and p > 1e-12:
                sums[ENTROPY] -= p * np.log(p)
            if p > highest:
                highest, chosen = p, k
        if choose and silent > 1e-12:
            sums[ENTROPY] -= silent * np.log(silent)
        null_count[predicted[j]] += silent
        sums[NULL] += silent
        if choose:
            best[j] = chosen if highest > silent else -1
