"""Minimising a smooth convex objective: the two solvers that PRO and APRO share."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from scipy import optimize

from evaluation.core.tuning.lists import FloatArray

Solver = Literal["lbfgs", "newton"]


class Objective(Protocol):
    """A convex function of the weights."""

    steps: FloatArray
    """For each weight a change that matters about as much as those of the others: (D,)."""

    def value(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The function and its gradient."""

    def curvature(self, weights: FloatArray, vector: FloatArray) -> FloatArray:
        """The product of its Hessian with a vector."""


def minimise(
    objective: Objective, start: FloatArray, solver: Solver, tolerance: float, iterations: int
) -> tuple[FloatArray, float]:
    """Where the minimum is, and the minimum.

    "lbfgs" is the quasi-Newton method of Byrd et al. (1995); "newton" a truncated Newton method:
    conjugate gradients within a trust region (Steihaug 1983), as in Lee and Lin (2014). Both work
    on weights in units of the objective's steps, without which features of different sizes would
    cost them many iterations, and stop when the gradient is ``tolerance`` times as long as at the
    origin.
    """
    steps = objective.steps

    def value(scaled: FloatArray) -> tuple[float, FloatArray]:
        found, gradient = objective.value(scaled * steps)
        return found, gradient * steps

    def curvature(scaled: FloatArray, vector: FloatArray) -> FloatArray:
        return objective.curvature(scaled * steps, vector * steps) * steps

    begin, origin = start / steps, np.zeros_like(start)
    at_origin, gradient = value(origin)
    if at_origin < value(begin)[0]:  # weights tuned for something else can lie far off
        begin = origin
    least = tolerance * (float(np.linalg.norm(gradient)) or 1.0)
    if solver == "lbfgs":
        found = optimize.minimize(
            value,
            begin,
            jac=True,
            method="L-BFGS-B",
            options={"gtol": least, "ftol": 0.0, "maxiter": iterations, "maxcor": 20},
        )
    else:
        found = optimize.minimize(
            value,
            begin,
            jac=True,
            hessp=curvature,
            method="trust-ncg",
            options={"gtol": least, "maxiter": iterations, "max_trust_radius": 1e6},
        )
    return np.asarray(found.x, np.float64) * steps, float(found.fun)


def even_steps(features: FloatArray) -> FloatArray:
    """Steps by which each column of ``features`` changes scores by about 1."""
    size = np.sqrt((features**2).mean(axis=0)) if len(features) else np.zeros(features.shape[1])
    # A column that is zero but for rounding has no say.
    used = size > 1e-12 * max(float(np.abs(features).max(initial=0.0)), 1e-300)
    return 1.0 / np.where(used, size, 1.0)
