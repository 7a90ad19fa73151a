import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from evaluation.core.tuning.margin import separate


def programme(seed, constraints, features=3, ties=False):
    rng = np.random.default_rng(seed)
    differences = rng.standard_normal((constraints, features))
    losses = rng.random(constraints)
    if ties:
        differences, losses = np.round(differences), np.round(2 * losses) / 2
    differences[0], losses[0] = 0, 0  # the oracle itself
    return differences, losses, rng.standard_normal(features)


def general_solver(differences, losses, weights, C):
    """The minimum of equation 7 as it stands, over w and xi together, by an interior-point method."""
    K, D = differences.shape
    found = optimize.minimize(
        lambda x: 0.5 * ((x[:D] - weights) ** 2).sum() + C * x[D:].sum(),
        np.concatenate([weights, np.maximum(0, losses - differences @ weights) + 1]),
        jac=lambda x: np.concatenate([x[:D] - weights, np.full(K, C)]),
        hess=lambda x: np.diag([1.0] * D + [0.0] * K),
        bounds=optimize.Bounds([-np.inf] * D + [0] * K, np.inf),
        constraints=optimize.LinearConstraint(np.hstack([differences, np.eye(K)]), losses, np.inf),
        method="trust-constr",
        options={"maxiter": 3000, "gtol": 1e-10, "xtol": 1e-12, "barrier_tol": 1e-10},
    )
    return found.x[:D]


def primal(differences, losses, weights, C, w):
    return 0.5 * ((w - weights) ** 2).sum() + C * np.maximum(0, losses - differences @ w).sum()


@settings(max_examples=15)
@given(
    st.integers(0, 10**6),
    st.integers(1, 25),
    st.sampled_from([1e-3, 0.05, 1.0, 100.0]),
    st.booleans(),
)
def test_the_solution_is_a_general_solvers(seed, constraints, C, ties):
    differences, losses, weights = programme(seed, constraints, ties=ties)
    step = separate(differences, losses, weights, C, tolerance=1e-10, sweeps=10**6)
    assert step.converged
    expected = general_solver(differences, losses, weights, C)
    assert step.weights == pytest.approx(expected, abs=1e-3)
    ours, theirs = (primal(differences, losses, weights, C, w) for w in (step.weights, expected))
    assert ours <= theirs + 1e-7


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.sampled_from([1e-4, 1e-2, 1.0]))
def test_primal_and_dual_meet_on_long_lists(seed, C):
    """No gap between the two proves the optimum, with no other solver in between."""
    differences, losses, weights = programme(seed, 500, features=8)
    step = separate(differences, losses, weights, C, tolerance=1e-8, sweeps=10**5)
    assert step.converged
    assert (step.multipliers >= 0).all()
    assert (step.multipliers <= C).all()
    assert step.weights == pytest.approx(weights + step.multipliers @ differences, abs=1e-9)
    moved = step.weights - weights
    dual = step.multipliers @ (losses - differences @ weights) - 0.5 * moved @ moved
    assert primal(differences, losses, weights, C, step.weights) == pytest.approx(
        dual, rel=1e-5, abs=1e-9
    )


def test_weights_that_separate_already_stay():
    weights = np.array([2.0, 0.0])
    step = separate(np.array([[1.0, 5.0], [3.0, 1.0]]), np.array([1.0, 2.0]), weights, 1.0)
    assert step.weights.tolist() == weights.tolist()
    assert step.weights is not weights
    assert step.converged


def test_one_constraint_is_the_step_of_crammer_and_others():
    difference, weights = np.array([[3.0, 4.0]]), np.array([0.1, -0.1])
    violation = 2.0 - difference[0] @ weights
    for C, size in ((100.0, violation / 25), (0.01, 0.01)):
        step = separate(difference, np.array([2.0]), weights, C)
        assert step.weights == pytest.approx(weights + size * difference[0])


def test_too_few_sweeps_are_said():
    differences, losses, weights = programme(5, 200, features=20)
    assert not separate(differences, losses, weights, 1.0, tolerance=1e-12, sweeps=2).converged
