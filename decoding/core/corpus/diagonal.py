"""The reparametrised IBM model 2 of Dyer, Chahuneau and Smith (2013), and IBM model 1.

Target word j of n links to source word i of m with a probability that falls off exponentially
from the diagonal, or to nothing (equation 2 there):

    p(a_j = 0) = p0,    p(a_j = i) = (1 - p0) exp(tension * h(i, j)) / Z_j,   h = -|i/m - j/n|

With tension 0 every source word is as likely as another, which is IBM model 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.lexicon import fill_slots

# What a pass sums up for a direction, in this order.
LOG_LIKELIHOOD, FEATURE, NULL, ENTROPY = range(4)
TENSION_RANGE = 0.1, 20.0


@njit(cache=True, nogil=True)
def diagonal_pass(
    source: Any, source_offsets: Any, target: Any, target_offsets: Any,
    keys: Any, probability: Any, count: Any,
    null_forward: Any, null_backward: Any, null_count_forward: Any, null_count_backward: Any,
    p0: float, tensions: Any, choose: bool, forward: Any, backward: Any, sums: Any,
) -> None:  # fmt: skip
    """One E step over all sentence pairs, in both directions.

    Adds to the counts and to ``sums`` (2, 4). With ``choose`` also writes the best link of every
    word: ``forward`` a source position for every target word, ``backward`` the other way, -1 for
    none.
    """
    longest = 0
    for s in range(len(source_offsets) - 1):
        longest = max(
            longest,
            source_offsets[s + 1] - source_offsets[s],
            target_offsets[s + 1] - target_offsets[s],
        )
    posterior = np.empty(longest + 1)
    all_slots = np.empty((longest, longest), np.int64)
    for s in range(len(source_offsets) - 1):
        e = source[source_offsets[s] : source_offsets[s + 1]]
        f = target[target_offsets[s] : target_offsets[s + 1]]
        fill_slots(e, f, keys, all_slots)
        slots = all_slots[: len(e), : len(f)]
        _expect(
            slots, f, probability, count, 0, null_forward, null_count_forward, p0, tensions[0],
            posterior, choose, forward[target_offsets[s] : target_offsets[s + 1]], sums[0],
        )  # fmt: skip
        _expect(
            slots.T, e, probability, count, 1, null_backward, null_count_backward, p0, tensions[1],
            posterior, choose, backward[source_offsets[s] : source_offsets[s + 1]], sums[1],
        )  # fmt: skip


@njit(cache=True, nogil=True)
def _expect(
    slots: Any, predicted: Any, probability: Any, count: Any, direction: int,
    null: Any, null_count: Any, p0: float, tension: float,
    posterior: Any, choose: bool, best: Any, sums: Any,
) -> None:  # fmt: skip
    """The E step of one direction in one sentence pair; ``slots[i, j]``, i given, j predicted."""
    m, n = slots.shape
    step = np.exp(-tension / m)
    for j in range(n):
        scale = (1 - p0) / _prior(m, n, j, tension, step, posterior)
        total = p0 * null[predicted[j]]
        posterior[m] = total
        for i in range(m):
            posterior[i] *= scale * probability[slots[i, j], direction]
            total += posterior[i]
        sums[LOG_LIKELIHOOD] += np.log(total)
        chosen, highest = -1, posterior[m]
        for i in range(m + 1):
            p = posterior[i] / total
            if choose and p > 1e-12:  # in the last pass only, for logarithms take time
                sums[ENTROPY] -= p * np.log(p)
            if i < m:
                count[slots[i, j], direction] += p
                sums[FEATURE] -= p * abs((i + 1) / m - (j + 1) / n)
                if posterior[i] > highest:
                    chosen, highest = i, posterior[i]
            else:
                null_count[predicted[j]] += p
                sums[NULL] += p
        if choose:
            best[j] = chosen


@njit(cache=True, nogil=True)
def _prior(m: int, n: int, j: int, tension: float, step: float, into: Any) -> float:
    """exp(tension * h(i, j)) for every i, and their sum Z.

    From the diagonal outwards in both directions each is ``step`` = exp(-tension / m) times the
    one before, which saves the exponentials.
    """
    below = (j + 1) * m // n  # so many words lie at or before the diagonal
    total = 0.0
    weight = np.exp(tension * (below / m - (j + 1) / n))
    for i in range(below - 1, -1, -1):
        into[i] = weight
        total += weight
        weight *= step
    weight = np.exp(tension * ((j + 1) / n - (below + 1) / m))
    for i in range(below, m):
        into[i] = weight
        total += weight
        weight *= step
    return total


@njit(cache=True, nogil=True)
def _moments(given: Any, predicted: Any, times: Any, tension: float) -> tuple[float, float]:
    """The sums over all predicted words of E[h] and Var[h] under the prior."""
    mean = variance = 0.0
    for k in range(len(times)):
        m, n = given[k], predicted[k]
        for j in range(n):
            z = first = second = 0.0
            for i in range(m):
                h = -abs((i + 1) / m - (j + 1) / n)
                weight = np.exp(tension * h)
                z += weight
                first += weight * h
                second += weight * h * h
            mean += times[k] * first / z
            variance += times[k] * (second / z - (first / z) ** 2)
    return mean, variance


def fit_tension(
    given: npt.NDArray[np.int64],
    predicted: npt.NDArray[np.int64],
    times: npt.NDArray[np.int64],
    feature: float,
    null_share: float,
    start: float,
) -> float:
    """The M step of the tension: the value at which the prior expects the feature as observed.

    ``given``, ``predicted``: sentence lengths, ``times`` how often that pair of lengths occurs;
    ``feature`` the expected sum of h under the posterior, to which words linked to nothing add
    none. The objective is concave, so Newton's steps, kept within TENSION_RANGE, find the one
    optimum; the paper takes a few gradient steps towards it.
    """
    low, high = TENSION_RANGE
    tension = start
    for _ in range(20):
        mean, variance = _moments(given, predicted, times, tension)
        step = (feature - (1 - null_share) * mean) / max((1 - null_share) * variance, 1e-9)
        last, tension = tension, min(max(tension + step, low), high)
        if abs(tension - last) < 1e-4:
            break
    return tension
