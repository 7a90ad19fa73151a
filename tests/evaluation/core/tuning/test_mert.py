import numpy as np
import pytest
from numba import njit

from evaluation.core.tuning.lists import KBestLists
from evaluation.core.tuning.mert import MertOptions, tune_mert
from evaluation.core.tuning.metric import BLEU, Metric
from tests.evaluation.core.tuning.strategies import random_lists

START = np.full(4, 0.25)


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.mark.parametrize("directions", ["coordinate", "random", "powell"])
def test_it_reaches_the_best_of_a_grid(directions, rng):
    lists = random_lists(11, sentences=8, longest=10, features=2)
    result = tune_mert(lists, np.ones(2), rng, MertOptions(directions))
    angles = np.linspace(0, 2 * np.pi, 3000)
    best = max(BLEU.under(lists, np.array([np.cos(a), np.sin(a)])) for a in angles)
    assert result.score == pytest.approx(best, abs=1e-9)
    assert result.score == BLEU.under(lists, result.weights)


@pytest.mark.parametrize("directions", ["coordinate", "random", "powell"])
def test_it_never_ends_worse_than_it_started(directions):
    for seed in range(10):
        lists = random_lists(seed, ties=True)
        rng = np.random.default_rng(seed)
        result = tune_mert(lists, START, rng, MertOptions(directions, restarts=2))
        assert result.start_score == BLEU.under(lists, START)
        assert result.score >= result.start_score


def test_weights_are_scaled_to_absolute_values_of_sum_one(rng):
    assert np.abs(tune_mert(random_lists(4), START, rng).weights).sum() == pytest.approx(1)


def test_the_same_seed_gives_the_same_weights():
    lists = random_lists(4, sentences=30, longest=30)
    runs = [
        tune_mert(lists, START, np.random.default_rng(seed), MertOptions("random")).weights.tolist()
        for seed in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


def test_nothing_to_choose_leaves_the_start(rng):
    lists = random_lists(4, longest=1)
    result = tune_mert(lists, START, rng)
    assert result.weights.tolist() == START.tolist()
    assert result.score == result.start_score


def test_any_metric_whose_statistics_add_up_can_be_tuned_for(rng):
    @njit
    def share(row):
        return 100.0 * row[0] / row[1]

    draw = np.random.default_rng(3)
    right = draw.random(200)
    features = np.column_stack(
        [-right + 0.05 * draw.standard_normal(200), draw.standard_normal(200)]
    )
    lists = KBestLists(np.arange(0, 201, 20), features, np.column_stack([right, np.ones(200)]))
    metric = Metric("share", corpus=share, sentence=share)
    result = tune_mert(lists, np.ones(2), rng, metric=metric)
    oracle = 100 * np.maximum.reduceat(right, lists.offsets[:-1]).mean()
    assert result.start_score < result.score <= oracle
    assert result.score > 0.95 * oracle
    assert result.weights[0] < 0
