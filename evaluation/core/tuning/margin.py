"""MIRA's step: the nearest weights that separate an oracle from its list (ALGORITHMS E7)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from evaluation.core.tuning.lists import FloatArray

_JOINT_EVERY = 10  # sweeps between joint steps
_SINGULAR = 1e-10  # singular values below this part of the largest are zeros but for rounding


class Step(NamedTuple):
    """The solution of one sentence's quadratic programme."""

    weights: FloatArray  # (D,)
    multipliers: FloatArray  # (K,)  of the constraints, 0 to C
    converged: bool


def separate(
    differences: FloatArray,
    losses: FloatArray,
    weights: FloatArray,
    C: float,
    tolerance: float = 1e-6,
    sweeps: int = 1000,
) -> Step:
    """The exact solution of equation 7 for one list (ALGORITHMS E7; Waite and Byrne 2015).

    argmin over w of 1/2 |w - ``weights``|^2 + C sum_j xi_j subject to xi_j >= 0 and
    w . ``differences``_j >= ``losses``_j - xi_j, where differences are features of the oracle less
    those of hypothesis j: (K, D), and losses what it loses against the oracle: (K,).

    By duality w = ``weights`` + sum_j alpha_j differences_j, 0 <= alpha_j <= C. Each xi_j is its
    constraint's own, so no equation ties the alphas, and sequential minimal optimisation may take
    them one by one, with a joint step of those off their bounds now and then. Converged means
    that no constraint is violated by more than ``tolerance`` of the largest loss beyond what its
    alpha allows.
    """
    moved = weights.astype(np.float64)  # a copy
    multipliers = np.zeros(len(losses))
    slack = tolerance * max(float(np.abs(losses).max(initial=0.0)), 1e-300)
    converged = False
    for done in range(0, sweeps, _JOINT_EVERY):
        many = min(_JOINT_EVERY, sweeps - done)
        converged = _ascend(differences, losses, C, slack, many, moved, multipliers)
        if converged:
            break
        _step_jointly(differences, losses, C, moved, multipliers)
    return Step(moved, multipliers, converged)


@njit(cache=True, nogil=True)
def _ascend(differences, losses, C, slack, sweeps, weights, multipliers):  # type: ignore[no-untyped-def]
    """Ascend the dual one multiplier after the other; write to weights and multipliers.

    Most hypotheses never matter. Those that a sweep finds settled at 0 are left out of the next
    sweeps, until the rest has converged and all are looked at again.
    """
    count, features = differences.shape
    squares = np.empty(count)
    for j in range(count):
        square = 0.0
        for d in range(features):
            square += differences[j, d] * differences[j, d]
        squares[j] = square
    active = np.arange(count)
    size = count
    for _ in range(sweeps):
        worst = 0.0
        kept = 0
        all_looked_at = size == count
        for place in range(size):
            j = active[place]
            if squares[j] == 0.0:  # as the oracle: no weights can tell it apart
                continue
            short = losses[j]
            for d in range(features):
                short -= weights[d] * differences[j, d]
            if multipliers[j] == 0.0 and short <= 0.0:
                continue
            active[kept] = j
            kept += 1
            old = multipliers[j]
            multipliers[j] = min(max(old + short / squares[j], 0.0), C)
            change = multipliers[j] - old
            if change != 0.0:
                worst = max(worst, abs(short))
                for d in range(features):
                    weights[d] += change * differences[j, d]
        size = kept
        if worst <= slack:
            if all_looked_at:
                return True
            for j in range(count):
                active[j] = j
            size = count
    return False


def _step_jointly(
    differences: FloatArray,
    losses: FloatArray,
    C: float,
    weights: FloatArray,
    multipliers: FloatArray,
) -> None:
    """Move all multipliers that lie between their bounds at once, as far as the bounds allow.

    One by one they approach the optimum slowly if their constraints point nearly the same way;
    but once they are the right ones, this step lands on it. Writes to weights and multipliers.
    """
    free = np.flatnonzero((multipliers > 0.0) & (multipliers < C))
    if len(free) < 2 or len(free) > 4 * len(weights):
        return
    chosen = differences[free]
    gram = chosen @ chosen.T
    short = losses[free] - chosen @ weights
    move = np.linalg.lstsq(gram, short, _SINGULAR)[0]
    share = 1.0
    beyond = short - gram @ move
    if beyond @ beyond > _SINGULAR * (short @ short):
        # More constraints than they span dimensions: this way the dual rises without bend.
        move, share = beyond, np.inf
    elif move @ short <= 0.0:
        return
    before = multipliers[free]
    moving = move != 0.0
    room = np.where(move > 0.0, C - before, -before)[moving] / move[moving]
    multipliers[free] = np.clip(before + min(share, room.min()) * move, 0.0, C)
    weights += (multipliers[free] - before) @ chosen
