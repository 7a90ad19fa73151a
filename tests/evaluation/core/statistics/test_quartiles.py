from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.statistics.quartiles import equal_groups, groups_at, quartiles

values = st.lists(st.floats(-1e6, 1e6), max_size=40)


def equal_groups_slowly(covariate, count):
    """Sort pairs of (value, position); deal them out, one group after the other."""
    ranked = sorted((value, place) for place, value in enumerate(covariate))
    small, larger = divmod(len(ranked), count)
    group = [None] * len(ranked)
    start = 0
    for g in range(count):
        size = small + (1 if g < larger else 0)
        for _, place in ranked[start : start + size]:
            group[place] = g
        start += size
    return group


def test_quartiles_of_eight_sentences():
    groups = quartiles([30, 10, 50, 70, 20, 80, 60, 40])
    assert groups.group.tolist() == [1, 0, 2, 3, 0, 3, 2, 1]
    assert groups.sizes == (2, 2, 2, 2)
    assert groups.cuts == (25, 45, 65)
    assert groups.lowest == (10, 30, 50, 70)
    assert groups.highest == (20, 40, 60, 80)
    assert groups.mean == (15, 35, 55, 75)
    assert groups.members(1).tolist() == [0, 7]


def test_ties_keep_input_order():
    assert quartiles([5, 5, 5, 5]).group.tolist() == [0, 1, 2, 3]
    assert quartiles([5, 5, 5, 5]).cuts == (5, 5, 5)


def test_groups_that_stay_empty_are_undefined():
    groups = quartiles([2.0, 1.0])
    assert groups.sizes == (1, 1, 0, 0)
    assert groups.cuts == (1.5, None, None)
    assert groups.mean == (1.0, 2.0, None, None)
    assert groups.averages([10, 20]) == (20.0, 10.0, None, None)
    assert quartiles([]).sizes == (0, 0, 0, 0)


@given(values, st.integers(1, 7))
def test_equal_groups_against_the_slow_twin(covariate, count):
    groups = equal_groups(covariate, count)
    assert groups.group.tolist() == equal_groups_slowly(covariate, count)
    assert max(groups.sizes) - min(groups.sizes) <= 1
    assert groups.count == count
    assert len(groups.cuts) == count - 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=7, max_size=40, unique=True), st.integers(1, 7))
def test_the_cuts_give_the_same_groups_again(covariate, count):
    groups = equal_groups(covariate, count)
    again = groups_at(covariate, groups.cuts)
    assert again.group.tolist() == groups.group.tolist()
    assert again.mean == groups.mean


def test_neighbouring_floats_are_cut_apart():
    low = 0.1
    high = np.nextafter(low, 1)
    groups = equal_groups([low, high], 2)
    assert groups_at([low, high], groups.cuts).group.tolist() == [0, 1]


def test_given_cut_points():
    groups = groups_at([34.9, 35.0, 10.0], [20, 35])
    assert groups.group.tolist() == [1, 2, 0]
    assert groups_at([1.0], []).group.tolist() == [0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: quartiles([1.0, float("nan")]), "covariate of sentence 2 is nan"),
        (lambda: quartiles([[1.0], [2.0]]), "the covariates have 2 dimensions"),
        (lambda: equal_groups([1.0], 0), "cannot make 0 groups"),
        (lambda: groups_at([1.0], [3, 3]), "cut points 3, 3 do not rise"),
        (lambda: quartiles([1.0]).averages([1.0, 2.0]), "2 values for 1 sentences"),
    ],
)
def test_bad_input_says_what_is_wrong(call, message):
    with pytest.raises(InputError, match=message):
        call()
