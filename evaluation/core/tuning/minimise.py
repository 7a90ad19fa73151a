"""Minimising a smooth convex objective: the two solvers that PRO and APRO share."""

from __future__ import annotations

from typing import Literal, Protocol

import numpy as np
from scipy import optimize

from evaluation.core.tuning.lists import FloatArray

Solver = Literal["lbfgs", "newton"]


class Objective(Protocol):
    """A convex function of the weights."""

    def value(self, weights: FloatArray) -> tuple[float, FloatArray]:
        """The function and its gradient."""

    def curvature(self, weights: FloatArray, vector: FloatArray) -> FloatArray:
        """The product of its Hessian with a vector."""


def minimise(
    objective: Objective, start: FloatArray, solver: Solver, tolerance: float, iterations: int
) -> tuple[FloatArray, float]:
    """The minimum and where it is.

    "lbfgs" is the quasi-Newton method of Byrd et al. (1995); "newton" a truncated Newton method:
    conjugate gradients within a trust region (Steihaug 1983), as in Lee and Lin (2014). Both stop
    when the gradient is ``tolerance`` times as long as at the origin.
    """
    scale = float(np.linalg.norm(objective.value(np.zeros_like(start))[1])) or 1.0
    if solver == "lbfgs":
        found = optimize.minimize(
            objective.value,
            start,
            jac=True,
            method="L-BFGS-B",
            options={"gtol": tolerance * scale, "ftol": 0.0, "maxiter": iterations, "maxcor": 20},
        )
    else:
        found = optimize.minimize(
            objective.value,
            start,
            jac=True,
            hessp=objective.curvature,
            method="trust-ncg",
            options={"gtol": tolerance * scale, "maxiter": iterations, "max_trust_radius": 1e6},
        )
    return np.asarray(found.x, np.float64), float(found.fun)
