from __future__ import annotations

from collections import Counter
from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from studies.core.chance import drawn, number, shuffled


@given(st.lists(st.integers()), st.integers())
def test_shuffling_keeps_everything_and_can_be_had_again(items, seed):
    assert sorted(shuffled(items, seed, "x")) == sorted(items)
    assert shuffled(items, seed, "x") == shuffled(items, seed, "x")
    assert drawn(items, 3, seed, "x") == shuffled(items, seed, "x")[:3]


def test_all_orders_are_equally_likely():
    seen = Counter("".join(shuffled("abc", seed, "order")) for seed in range(6000))
    assert set(seen) == {"".join(order) for order in permutations("abc")}
    assert all(abs(count - 1000) < 5 * 29 for count in seen.values())


def test_names_of_choices_do_not_run_together():
    assert number(1, "a", "bc") != number(1, "ab", "c")
    assert number(1, 23) != number(12, 3)
