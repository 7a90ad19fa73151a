from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from evaluation.core.statistics.intervals import Interval
from evaluation.core.statistics.pooling import pool

# Thirteen trials of the BCG vaccine (Colditz et al. 1994), the example of the literature on
# random effects: log risk ratios and their variances.
BCG = (
    (-0.8893, 0.3256), (-1.5854, 0.1946), (-1.3481, 0.4154), (-1.4416, 0.0200),
    (-0.2175, 0.0512), (-0.7861, 0.0069), (-1.6209, 0.2230), (0.0120, 0.0040),
    (-0.4694, 0.0564), (-1.3713, 0.0730), (-0.3394, 0.0124), (0.4459, 0.5325),
    (-0.0173, 0.0714),
)  # fmt: skip
Z = norm.ppf(0.975)


def interval(estimate, error, count=100):
    return Interval(estimate, estimate - Z * error, estimate + Z * error, count, 50)


def test_a_published_example():
    found = pool([interval(value, variance**0.5) for value, variance in BCG])
    assert found.value.estimate == pytest.approx(-0.714, abs=0.001)
    assert found.between**2 == pytest.approx(0.309, abs=0.001)
    assert found.inconsistency == pytest.approx(0.921, abs=0.001)
    assert found.value.low < -0.714 - Z * 0.17 < -0.714 + Z * 0.17 < found.value.high < 0
    assert (found.value.count, found.value.clusters) == (1300, 13)


def test_studies_that_agree_share_their_weight_by_their_variance():
    found = pool([interval(0.1, 0.02), interval(0.1, 0.04)])
    assert found.value.estimate == pytest.approx(0.1)
    assert found.between == 0
    assert found.inconsistency == 0
    apart = pool([interval(0.10, 0.02), interval(0.11, 0.04)])
    assert apart.between == 0
    assert apart.value.estimate == pytest.approx((0.10 * 4 + 0.11) / 5)


def test_what_has_no_interval_tells_nothing():
    open_ended = Interval(0.4, None, 0.5, 10, 5)
    unknown = Interval(None, None, None, 0, 0)
    one = interval(0.1, 0.02)
    assert pool([open_ended, unknown]).value.estimate is None
    assert pool([one, open_ended, unknown]).value == Interval(
        one.estimate, one.low, one.high, 100, 1
    )
    both = pool([one, one])
    assert pool([one, one, open_ended]) == both


def test_limits_stay_where_the_truth_can_be():
    shares = [Interval(0.98, 0.90, 1.0, 50, 10), Interval(0.99, 0.91, 1.0, 50, 10)]
    assert pool(shares).value.high > 1
    assert pool(shares, within=(0.0, 1.0)).value.high == 1


def test_the_order_of_studies_does_not_matter():
    rng = np.random.default_rng(1)
    studies = [interval(value, 0.05) for value in rng.normal(0.1, 0.1, 6)]
    there, back = pool(studies), pool(studies[::-1])
    assert there.value.estimate == pytest.approx(back.value.estimate)
    assert there.value.low == pytest.approx(back.value.low)


@pytest.mark.parametrize("between", [0.0, 0.05, 0.2])
def test_intervals_hold_as_often_as_they_say(between):
    """Five to ten studies of different size, whose truths differ or not."""
    rng = np.random.default_rng(int(100 * between))
    held = 0
    for _ in range(1000):
        K = int(rng.integers(5, 11))
        errors = rng.uniform(0.03, 0.12, K)
        values = rng.normal(rng.normal(0.1, between, K), errors)
        found = pool([interval(*pair) for pair in zip(values, errors, strict=True)])
        held += found.value.low < 0.1 < found.value.high
    assert held >= 930  # of 1000 at 95%; the normal interval of the same weights holds in 900
