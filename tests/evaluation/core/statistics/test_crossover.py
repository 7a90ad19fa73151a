from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from evaluation.core.errors import InputError
from evaluation.core.statistics.crossover import (
    _local_linear,
    _logistic,
    _monotone_crossing,
    _smooth,
    crossover,
)
from evaluation.core.statistics.intervals import Bootstrap
from evaluation.core.statistics.judgments import tally
from evaluation.core.statistics.simulation import Assumptions
from tests.evaluation.core.statistics.studies import study

EVEN = Assumptions(first=0.4, second=0.4, agreement=0.55, likeness=0.42)
QUICK = Bootstrap(seed=5, samples=1000)


def leaning_study(slope, sentences=200, at=35.0, seed=2):
    bleu = np.random.default_rng(seed).gamma(4, 9, sentences)
    made = study(sentences, assumptions=EVEN, seed=seed, shift=slope * (bleu - at))
    return tally(made), bleu


def test_where_the_preference_changes_sides():
    counts, bleu = leaning_study(0.03)
    found = crossover(counts, bleu, QUICK)
    for crossing in (found.logistic, found.local):
        assert crossing.rising
        assert crossing.at.low < 35 < crossing.at.high
        assert crossing.at.high - crossing.at.low < 12
        assert crossing.certainty > 0.99
        assert (crossing.at.count, crossing.at.clusters) == (5400, 200)
    assert 0.02 < found.slope.low < found.slope.estimate < found.slope.high < 0.09
    assert crossover(counts, bleu, QUICK) == found
    falling = crossover(counts[:, ::-1], bleu, QUICK)
    assert falling.logistic.rising is False
    for one, other in ((falling.logistic, found.logistic), (falling.local, found.local)):
        assert one.at.estimate == pytest.approx(other.at.estimate)
        assert (one.at.low, one.at.high) == pytest.approx((other.at.low, other.at.high))


def test_no_crossing_within_the_data():
    found = crossover(*leaning_study(0.03, at=500.0), QUICK)
    for crossing in (found.logistic, found.local):
        assert crossing.at.estimate is None
        assert crossing.certainty is None
    assert found.curve is not None


def test_an_uncertain_crossing_is_open():
    found = crossover(*leaning_study(0.0, sentences=60), QUICK).logistic
    if found.at.estimate is not None:
        assert found.at.low is None or found.at.high is None
        assert found.certainty < 0.95


@pytest.mark.parametrize(
    ("counts", "x"),
    [
        (np.zeros((0, 3), dtype=int), []),
        (np.zeros((5, 3), dtype=int), [1, 2, 3, 4, 5]),
        (np.ones((5, 3), dtype=int), [7, 7, 7, 7, 7]),
    ],
)
def test_too_little_data_is_undefined(counts, x):
    found = crossover(counts, x, QUICK)
    assert found.logistic.at.estimate is None
    assert found.curve is None


def test_only_ties_are_undefined():
    found = crossover(np.array([[0, 5, 0]] * 9), np.arange(9.0), QUICK)
    assert found.logistic.at.estimate is None
    assert found.local.at.estimate is None
    assert found.slope.estimate is None


def test_logistic_against_statsmodels():
    counts, bleu = leaning_study(0.02, sentences=50)
    weights = np.random.default_rng(0).integers(4, size=(5, 50)).astype(float)
    intercept, slope = _logistic(counts.astype(float), bleu, weights)
    for b in range(5):
        rows = weights[b][:, None] * counts[:, [0, 2]]
        keep = rows.sum(axis=1) > 0
        model = sm.GLM(rows[keep], sm.add_constant(bleu[keep]), family=sm.families.Binomial())
        assert [intercept[b], slope[b]] == pytest.approx(model.fit().params, rel=1e-6)


def test_separated_data_cross_between_the_two_sides():
    counts = np.array([[0, 0, 9]] * 5 + [[9, 0, 0]] * 5)
    found = crossover(counts, np.arange(10.0), QUICK)
    assert 4 <= found.logistic.at.estimate <= 5
    assert 4 <= found.local.at.estimate <= 5


def test_local_linear_is_a_weighted_straight_line():
    counts, x = leaning_study(0.02, sentences=40)
    weights = np.random.default_rng(2).integers(3, size=40)
    grid = np.linspace(15, 60, 7)
    fit = _smooth(_local_linear(x, grid, 9.0), counts.astype(float), weights[None, :])[0]
    y = (counts[:, 0] - counts[:, 2]) / 27
    for g, value in zip(grid, fit, strict=True):
        kernel = weights * np.exp(-(((x - g) / 9.0) ** 2) / 2)
        line = np.polynomial.Polynomial.fit(x, y, 1, w=np.sqrt(kernel))
        assert value == pytest.approx(line(g), abs=1e-9)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=12), st.booleans())
def test_the_crossing_is_that_of_the_isotonic_regression(curve, rising):
    grid = np.arange(float(len(curve)))
    at = _monotone_crossing(grid, np.array([curve]), rising)[0]
    fit = isotonic_regression(curve, increasing=rising).x * (1 if rising else -1)
    below, above = grid[fit < -1e-9], grid[fit > 1e-9]
    assert at >= below.max(initial=-np.inf)
    assert at <= above.min(initial=np.inf)


def test_covariates_that_do_not_fit():
    with pytest.raises(InputError, match="2 sentences need as many finite covariates, found 1"):
        crossover(np.ones((2, 3), dtype=int), [1.0], QUICK)
