import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.core.tuning.apro import AproOptions, RankingObjective, tune_apro
from evaluation.core.tuning.metric import BLEU
from evaluation.core.tuning.pairs import (
    order_in_lists,
    rank_in_lists,
    sum_violating_pairs,
)
from tests.evaluation.core.tuning import naive
from tests.evaluation.core.tuning.strategies import random_lists

seeds = st.integers(0, 10**6)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@given(seeds)
def test_ranks_are_dense_and_equals_share_one(seed):
    draw = np.random.default_rng(seed)
    offsets = np.cumsum([0, *draw.integers(1, 9, 5)])
    quality = np.round(3 * draw.standard_normal(offsets[-1])) / 2
    ranks = rank_in_lists(quality, offsets)
    for start, end in itertools.pairwise(offsets):
        distinct = sorted(set(quality[start:end]))
        assert [distinct.index(value) + 1 for value in quality[start:end]] == ranks[
            start:end
        ].tolist()


@given(seeds, st.booleans())
def test_counts_and_sums_of_violating_pairs(seed, ties):
    lists = random_lists(seed, ties=ties)
    draw = np.random.default_rng(seed)
    quality = BLEU.of_sentences(lists.statistics)
    h = (
        np.round(2 * draw.standard_normal(len(quality))) / 2
        if ties
        else draw.standard_normal(len(quality))
    )
    values = draw.standard_normal(len(quality))
    sums = sum_violating_pairs(
        h,
        order_in_lists(h, lists.offsets),
        rank_in_lists(quality, lists.offsets),
        lists.offsets,
        values,
    )
    q, q_bar, r, r_bar = np.zeros((4, len(quality)))
    for s in range(len(lists)):
        for i, j in naive.pairs(lists, s, quality):
            if 1 - h[i] + h[j] > 0:
                q[i] += 1
                q_bar[j] += 1
                r[i] += values[j]
                r_bar[j] += values[i]
    assert sums.as_better.tolist() == q.tolist()
    assert sums.as_worse.tolist() == q_bar.tolist()
    assert sums.of_worse == pytest.approx(r, abs=1e-12)
    assert sums.of_better == pytest.approx(r_bar, abs=1e-12)


@given(seeds, st.booleans(), st.sampled_from([1e-3, 1.0, 1e3]))
def test_value_gradient_and_curvature_are_those_of_two_loops_over_all_pairs(seed, ties, C):
    lists = random_lists(seed, ties=ties)
    quality = BLEU.of_sentences(lists.statistics)
    weights, vector = np.random.default_rng(seed).standard_normal((2, 4))
    if ties:
        weights = np.round(weights)
    objective = RankingObjective(lists, quality, C)
    value, gradient = objective.value(weights)
    expected, slope = naive.ranking_loss(lists, weights, quality, C)
    assert value == pytest.approx(expected, rel=1e-9)
    assert np.abs(gradient - slope).max() <= 1e-9 * max(1, np.abs(slope).max())
    if not ties:  # where a pair just meets its margin, R has no second derivative
        expected = naive.ranking_curvature(lists, weights, vector, quality, C)
        product = objective.curvature(weights, vector)
        assert np.abs(product - expected).max() <= 1e-9 * max(1, np.abs(expected).max())


@pytest.mark.parametrize("offset", [0.0, -1e4])
def test_long_lists_with_large_features(offset):
    """The sums' rounding stays below 1e-9 where scores are far from 0, too."""
    lists = random_lists(2, sentences=3, longest=200)
    lists.features[:] += offset
    quality = BLEU.of_sentences(lists.statistics)
    weights = np.random.default_rng(2).standard_normal(4)
    value, gradient = RankingObjective(lists, quality, 1.0).value(weights)
    expected, slope = naive.ranking_loss(lists, weights, quality, 1.0)
    assert value == pytest.approx(expected, rel=1e-9)
    assert gradient == pytest.approx(slope, rel=1e-9)


@settings(max_examples=30)
@given(seeds)
def test_gradient_and_curvature_are_finite_differences(seed):
    lists = random_lists(seed)
    objective = RankingObjective(lists, BLEU.of_sentences(lists.statistics), 10.0)
    weights, vector = np.random.default_rng(seed).standard_normal((2, 4))
    step = 1e-6
    (above, slope_above), (below, slope_below) = (
        objective.value(weights + sign * step * vector) for sign in (1, -1)
    )
    _, gradient = objective.value(weights)
    assert (above - below) / (2 * step) == pytest.approx(gradient @ vector, rel=1e-5, abs=1e-6)
    # The curvature jumps where a pair meets its margin, which few do within a step.
    curvature = (slope_above - slope_below) / (2 * step)
    assert curvature == pytest.approx(objective.curvature(weights, vector), rel=1e-2, abs=1e-2)


def test_the_minimum_depends_on_neither_start_nor_solver_nor_seed():
    lists = random_lists(8, sentences=20, longest=30)
    found = [
        tune_apro(
            lists, start, np.random.default_rng(seed), AproOptions(1.0, solver, tolerance=1e-9)
        )
        for solver in ("lbfgs", "newton")
        for seed, start in enumerate([np.zeros(4), np.full(4, 5.0), np.array([-3.0, 1, 0, 2])])
    ]
    for result in found:
        assert result.weights == pytest.approx(found[0].weights, rel=1e-5, abs=1e-6)
        assert result.objective == pytest.approx(found[0].objective, rel=1e-9)


def test_no_point_nearby_is_lower(rng):
    lists = random_lists(8, sentences=20, longest=30)
    result = tune_apro(lists, np.ones(4), rng, AproOptions(1.0, brevity="plain"))
    quality = BLEU.of_sentences(lists.statistics)
    for step in 0.1 * rng.standard_normal((50, 4)):
        assert naive.ranking_loss(lists, result.weights + step, quality, 1.0)[0] > result.objective


def test_it_learns_what_tells_good_from_bad(rng):
    lists = random_lists(9, sentences=40, longest=20)
    result = tune_apro(lists, np.array([-1.0, 1, 1, 1]), rng, AproOptions(1.0, brevity="plain"))
    assert result.weights[0] > 10 * np.abs(result.weights[1:]).max()
    assert result.score > result.start_score + 5


def test_lists_without_pairs_leave_only_the_regulariser(rng):
    assert tune_apro(random_lists(3, longest=1), np.ones(4), rng).weights == pytest.approx(
        np.zeros(4), abs=1e-9
    )
