from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.statistics.correlations import pearson, spearman
from evaluation.core.statistics.intervals import Bootstrap, Interval

QUICK = Bootstrap(seed=3, samples=100)
numbers = st.floats(-1e4, 1e4).map(lambda value: round(value, 2))
pairs = st.lists(st.tuples(numbers, numbers), min_size=3, max_size=30)


@pytest.mark.parametrize(
    ("ours", "theirs"), [(pearson, scipy.stats.pearsonr), (spearman, scipy.stats.spearmanr)]
)
@given(pairs=pairs)
def test_against_scipy(ours, theirs, pairs):
    x, y = np.array(pairs).T
    found = ours(x, y, QUICK)
    if len(set(x)) == 1 or len(set(y)) == 1:
        assert found.estimate is None
    else:
        assert found.estimate == pytest.approx(theirs(x, y).statistic, abs=1e-6)
        assert -1 <= found.estimate <= 1


def test_samples_are_correlations_of_drawn_sentences():
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    y = x + rng.normal(size=60)
    sentence = np.repeat(np.arange(20), 3)
    found = pearson(x, y, Bootstrap(4, samples=500, kind="percentile"), sentence=sentence)
    drawn = np.random.default_rng(4).integers(20, size=(500, 20))
    slow = []
    for sample in drawn:
        rows = np.concatenate([np.flatnonzero(sentence == s) for s in sample])
        slow.append(np.corrcoef(x[rows], y[rows])[0, 1])
    limits = np.quantile(slow, [0.025, 0.975], method="inverted_cdf")
    assert (found.low, found.high) == pytest.approx(tuple(limits))
    assert (found.count, found.clusters) == (60, 20)


def test_the_interval_of_normal_values_is_near_fisher_s():
    rng = np.random.default_rng(1)
    x = rng.normal(size=500)
    y = 0.5 * x + rng.normal(size=500)
    found = pearson(x, y, Bootstrap(4))
    fisher = scipy.stats.pearsonr(x, y).confidence_interval()
    assert (found.low, found.high) == pytest.approx((fisher.low, fisher.high), abs=0.02)


def test_unknown_values_are_left_out():
    found = pearson([1, 2, 3, np.nan], [2, 4, 7, 1], QUICK)
    assert found.count == 3
    assert pearson([], [], QUICK) == Interval(None, None, None, 0, 0)


def test_columns_must_be_as_long():
    with pytest.raises(InputError, match="3 values cannot be correlated with 2"):
        pearson([1, 2, 3], [1, 2], QUICK)
