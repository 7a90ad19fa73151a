import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.corpus.links import collect_links
from decoding.core.corpus.symmetrize import SymmetryOptions, symmetrize

from . import naive

HEURISTICS = [
    "intersect",
    "union",
    "grow",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
    "forward",
    "backward",
]


@st.composite
def directed(draw):
    """What two directions may say of one sentence pair: each word is linked once at most."""
    m, n = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    forward = {j: draw(st.integers(-1, m - 1)) for j in range(n)}
    backward = {i: draw(st.integers(-1, n - 1)) for i in range(m)}
    return (
        sorted((i, j) for j, i in forward.items() if i >= 0),
        sorted((i, j) for i, j in backward.items() if j >= 0),
    )


@pytest.mark.parametrize("heuristic", HEURISTICS)
@pytest.mark.parametrize("order", ["atools", "symal"])
@settings(max_examples=60, deadline=None)
@given(st.lists(directed(), min_size=1, max_size=3))
def test_equals_the_plain_twin(heuristic, order, pairs):
    ours = symmetrize(
        collect_links(forward for forward, _ in pairs),
        collect_links(backward for _, backward in pairs),
        SymmetryOptions(heuristic, order),
    )
    for s, (forward, backward) in enumerate(pairs):
        assert ours.of(s) == sorted(naive.symmetrize(forward, backward, heuristic, order))


@settings(max_examples=60, deadline=None)
@given(directed())
def test_heuristics_lie_between_intersection_and_union(pair):
    sides = [collect_links([points]) for points in pair]
    grown = [
        set(symmetrize(*sides, SymmetryOptions(heuristic)).of(0))
        for heuristic in ("intersect", "grow-diag", "grow-diag-final-and", "union")
    ]
    assert grown[0] <= grown[1] <= grown[2] <= grown[3]


def test_the_two_orders_differ_where_points_compete():
    # (0, 0) and (0, 1) both neighbour (1, 1). Taking (0, 0) first covers source word 0, and then
    # nothing is left for (0, 1) to cover; the other way round target word 0 is left.
    sides = collect_links([[(0, 0), (1, 1)]]), collect_links([[(0, 1), (1, 1)]])
    assert symmetrize(*sides, SymmetryOptions("grow-diag", "atools")).of(0) == [(0, 0), (1, 1)]
    assert symmetrize(*sides, SymmetryOptions("grow-diag", "symal")).of(0) == [
        (0, 0),
        (0, 1),
        (1, 1),
    ]
