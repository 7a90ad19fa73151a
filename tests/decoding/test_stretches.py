"""Segments' numbers kept as stretches."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoding.stretches import holds, stretches_of


@pytest.mark.parametrize(
    ("segments", "stretches"),
    [
        ([], []),
        ([7, 1, 2, 3, 3], [[1, 3], [7, 7]]),
        ([[5, 9], [1, 4], 3, 20], [[1, 9], [20, 20]]),
        ([[1, 9], [2, 3]], [[1, 9]]),
        (range(1, 1_000_001), [[1, 1_000_000]]),
        (range(5, 5), []),
        (range(1, 6, 2), [[1, 1], [3, 3], [5, 5]]),
    ],
)
def test_the_fewest_stretches(segments, stretches):
    assert stretches_of(segments) == stretches


@given(st.sets(st.integers(1, 60)))
def test_stretches_hold_the_very_same_segments(numbers):
    stretches = stretches_of(numbers)
    held = [n for first, last in stretches for n in range(first, last + 1)]
    assert held == sorted(numbers)
    assert all(one[1] + 1 < other[0] for one, other in pairwise(stretches))
    assert stretches_of(stretches) == stretches
    assert [n for n in range(63) if holds(stretches, n)] == held
