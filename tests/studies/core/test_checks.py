from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studies.core.checks import is_due, known_pair


@given(st.integers(0, 99), st.text(min_size=1, max_size=8), st.integers(1, 12))
def test_there_is_one_check_in_each_block_of_judgments(seed, person, every):
    checked, places = 0, []
    for judged in range(5 * every):
        if is_due(seed, person, judged=judged, checked=checked, every=every):
            places.append(judged)
            checked += 1
    assert [place // every for place in places] == list(range(5))


def test_places_differ_between_people():
    places = {
        next(n for n in range(10) if is_due(1, person, judged=n, checked=0, every=10))
        for person in "abcdefgh"
    }
    assert len(places) > 2


def test_without_checks_none_is_due():
    assert not is_due(1, "a", judged=100, checked=0, every=0)


@given(st.integers(0, 99), st.lists(st.text(min_size=1), min_size=2, unique=True))
def test_the_right_one_is_the_reference(seed, references):
    pair = known_pair(seed, "a", 0, references)
    assert pair.texts["ab".index(pair.right)] == pair.reference
    assert pair.texts[0] != pair.texts[1]
    assert known_pair(seed, "a", 0, [references[0]] * 3) is None
