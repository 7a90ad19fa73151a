"""The best of many, against a plain bootstrap and Dunnett's test of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import dunnett

from evaluation.core.statistics.choosing import gains, may_be_best
from evaluation.core.statistics.intervals import Bootstrap, ratio_of
from evaluation.core.statistics.systems import bleu_of

OPTIONS = Bootstrap(1, samples=4_000)


def rows_of(values):
    """Of values (C, S) what a mean sums: 1 and the value."""
    values = np.asarray(values, dtype=float)
    return np.stack([np.ones_like(values), values], axis=2)


def independent(seed, means, sentences=400):
    rng = np.random.default_rng(seed)
    return np.asarray(means)[:, None] + rng.normal(size=(len(means), sentences))


def plain_may_be_best(values, drawn, level, widened):
    """One at a time, one pair at a time, one sample at a time."""
    means = values.mean(axis=1)
    again = np.array([[own[places].mean() for own in values] for places in drawn])
    found = []
    for one in range(len(values)):
        others = [other for other in range(len(values)) if other != one]
        spreads = {o: np.std([row[o] - row[one] for row in again]) for o in others}
        largest = []
        for row in again:
            off = row - again.mean(axis=0)
            largest.append(max((off[o] - off[one]) / spreads[o] for o in others))
        by_chance = widened(np.quantile(largest, level))
        found.append(all(means[o] - means[one] <= by_chance * spreads[o] for o in others))
    return found


def test_it_is_the_plain_one():
    def widened(quantile):
        from scipy.stats import norm, t

        return np.sqrt(40 / 39) * t.isf(norm.sf(quantile), 39)

    undecided = 0
    for seed in range(6):
        values = independent(seed, [0, 0.3, 0.5, 0.6, -0.5], 40)
        drawn = np.random.default_rng(seed).integers(40, size=(1_000, 40))
        found = may_be_best(rows_of(values), ratio_of, OPTIONS).tolist()
        exact = [plain_may_be_best(values, drawn, level, widened) for level in (0.93, 0.97)]
        # Other samples were drawn, so what lies at the border may fall on either side.
        for here, strict, lax in zip(found, *exact, strict=True):
            assert here in (strict, lax)
            undecided += strict != lax
    assert undecided <= 6


def test_of_independent_ones_it_is_dunnetts_test():
    """Each against all others as its control; theirs has one spread for all, so nearly."""
    for seed in range(5):
        values = independent(10 + seed, [0, 0.1, 0.2, 0.25, -0.3])
        found = may_be_best(rows_of(values), ratio_of, OPTIONS)
        for one, stays in enumerate(found):
            others = [own for other, own in enumerate(values) if other != one]
            least = dunnett(
                *others, control=values[one], alternative="greater", random_state=1
            ).pvalue.min()
            if not 0.03 < least < 0.08:
                assert stays == (least > 0.05)


def test_gains_are_dunnetts_intervals():
    values = independent(3, [0.4, 0.1, 0.2, 0.2, 0.3, 0.0, 0.0])
    found = gains(rows_of(values[:-1]), rows_of(values[-1:])[0], ratio_of, OPTIONS)
    theirs = dunnett(*values[:-1], control=values[-1], random_state=1).confidence_interval(0.95)
    assert [one.low for one in found] == pytest.approx(theirs.low, abs=0.02)
    assert [one.high for one in found] == pytest.approx(theirs.high, abs=0.02)
    assert {(one.count, one.clusters) for one in found} == {(400, 400)}


@settings(max_examples=25)
@given(
    seed=st.integers(0, 99), cells=st.integers(1, 12), sentences=st.integers(1, 30),
    shift=st.floats(-50, 50), level=st.sampled_from([0.8, 0.95]),
)  # fmt: skip
def test_properties(seed, cells, sentences, shift, level):
    values = independent(seed, np.linspace(0, 1, cells), sentences)
    few = Bootstrap(seed, samples=200, level=level)
    stays = may_be_best(rows_of(values), ratio_of, few)
    assert stays[values.mean(axis=1).argmax()]
    assert (may_be_best(rows_of(values + shift), ratio_of, few) == stays).all()
    assert (may_be_best(rows_of(values[::-1]), ratio_of, few) == stays[::-1]).all()
    # One that is the same as another one stays or goes with it.
    twice = may_be_best(rows_of(np.vstack([values, values])), ratio_of, few)
    assert (twice[:cells] == twice[cells:]).all()
    (alone,) = gains(rows_of(values[:1]), rows_of(values[:1])[0], ratio_of, few)
    assert (alone.low, alone.estimate, alone.high) == pytest.approx((0, 0, 0))


def test_the_more_there_are_the_more_stay():
    values = independent(4, [0, 0.18], 400)
    assert may_be_best(rows_of(values), ratio_of, OPTIONS).tolist() == [False, True]
    many = np.vstack([values, independent(5, [-1] * 38, 400)])
    assert may_be_best(rows_of(many), ratio_of, OPTIONS).tolist() == [True, True] + [False] * 38


@pytest.mark.parametrize("likeness", [0.0, 0.8])
def test_the_truly_best_is_seldom_left_out(likeness):
    """Twelve are equal: by single comparisons one in ten of these grids would lose this one."""
    rng, lost, gained, grids = np.random.default_rng(1), 0, 0, 200
    few = Bootstrap(1, samples=500)
    for _ in range(grids):
        shared, own = rng.normal(size=(1, 50)), rng.normal(size=(13, 50))
        rows = rows_of(np.sqrt(likeness) * shared + np.sqrt(1 - likeness) * own)
        # Any one of the equal ones may be called the best: it is the first.
        lost += not may_be_best(rows[:-1], ratio_of, few)[0]
        best = rows[:-1, :, 1].mean(axis=1).argmax()
        gain = gains(rows[:-1], rows[-1], ratio_of, few)[best]
        gained += gain.low > 0
    assert lost <= 0.05 * grids + 3 * np.sqrt(grids * 0.05 * 0.95)
    assert gained <= 0.05 * grids + 3 * np.sqrt(grids * 0.05 * 0.95)


def test_it_is_for_any_score_of_sums():
    rng = np.random.default_rng(2)
    good, bad = rng.integers(3, 9, size=(2, 60, 1)) * np.array([[[1]], [[0]]]) + 2
    totals = np.full((60, 4), 12)
    lengths = np.full((60, 2), 15)
    rows = np.stack(
        [np.hstack([np.repeat(own, 4, axis=1), totals, lengths]) for own in (good, bad)]
    ).astype(float)
    assert may_be_best(rows, bleu_of, OPTIONS).tolist() == [True, False]
