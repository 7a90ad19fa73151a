from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from studies.core.assignment import (
    Meeting,
    Place,
    expense,
    fewest_participants,
    may_meet,
    next_place,
)
from studies.core.conduct import Conduct, conduct_from
from studies.core.design import Design
from studies.core.texts import LONGEST_EDIT, clean_edit

PAPER = Design(seed=1, conditions=("best", "diverse"))
places = st.builds(
    Place,
    st.sampled_from(["editing", "eval"]),
    st.integers(1, 3),
    st.integers(1, 6),
    st.integers(1, 99),
)


def meet(place: Place) -> Meeting:
    return Meeting(place.kind, place.segment, place.task)


@given(st.lists(places, max_size=30), st.integers(1, 3))
def test_whatever_is_handed_out_the_rules_hold(free, pairs):
    """Play one person to the end of what they may do, switching kinds as it comes."""
    met: list[Meeting] = []
    left = list(free)
    for kind in ("editing", "eval", "editing", "eval") * 10:
        place = next_place(left, met, kind, pairs_per_judge=pairs)
        if place is not None:
            left.remove(place)
            met.append(meet(place))
    for segment in {meeting.segment for meeting in met}:
        of = [meeting for meeting in met if meeting.segment == segment]
        edited = [meeting for meeting in of if meeting.kind == "editing"]
        assert not edited or len(of) == 1
        assert len(of) <= pairs
        assert len({meeting.task for meeting in of}) == len(of)
    # Nothing that was allowed is left over.
    assert not any(may_meet(place, met, pairs_per_judge=pairs) for place in left)


@given(st.lists(places, min_size=1, max_size=10))
def test_the_earliest_of_the_plan_comes_first(free):
    found = next_place(free, [], "editing")
    editing = [place for place in free if place.kind == "editing"]
    assert (found.position if found else None) == min(
        (place.position for place in editing), default=None
    )


def test_how_many_people_the_paper_needs():
    # 6 editors of a sentence, and 27 judgments of it by people who each judge one pair.
    assert fewest_participants(PAPER, Conduct()) == 6 + 27
    # Each judges all 9 pairs: 3 judges.
    assert fewest_participants(PAPER, Conduct(pairs_per_judge=9)) == 6 + 3
    assert fewest_participants(PAPER, Conduct(pairs_per_judge=100)) == 6 + 3


def test_what_the_paper_would_cost():
    found = expense(PAPER, Conduct(minutes_per_edit=2, minutes_per_judgment=0.5, pay_per_hour=12))
    assert found.hours == pytest.approx((1200 * 2 + 5400 * 0.5) / 60)
    assert found.cost == pytest.approx(found.hours * 12)


def test_a_conduct_survives_json():
    conduct = Conduct(eval_seconds=77, pay_per_hour=9.5)
    assert conduct_from(conduct.as_dict()) == conduct
    with pytest.raises(InputError, match="unknown parts: colour"):
        conduct_from({"colour": "red"})
    with pytest.raises(InputError, match="30 seconds"):
        Conduct(eval_seconds=3)
    with pytest.raises(InputError, match="Choose drop or keep or transliterate"):
        Conduct(non_ascii="translate")


@pytest.mark.parametrize(("ascii_only", "meant"), [(True, "drop"), (False, "keep")])
def test_a_conduct_that_knew_but_one_policy_can_be_read(ascii_only, meant):
    old = {"eval_seconds": 77, "detokenize": True, "truecase": True, "ascii_only": ascii_only}
    assert conduct_from(old) == Conduct(eval_seconds=77, non_ascii=meant)
    assert old["ascii_only"] is ascii_only, "what was given stays as it is"


@given(st.text(max_size=50))
def test_cleaning_again_changes_nothing(text):
    clean = clean_edit(text)
    assert clean_edit(clean) == clean
    assert not set(clean) & set("\x00\n\r\u202a\u202e\u2066\u200f\ufeff")


def test_words_of_every_script_stay():
    for text in ("Ça va?", "رفض الوزير می‌خواهم", "部長は拒否した。", "क्‍ष 👍"):
        assert clean_edit(text) == text


def test_a_sentence_has_an_end():
    with pytest.raises(InputError, match=f"{LONGEST_EDIT} characters are allowed"):
        clean_edit("a" * (LONGEST_EDIT + 1))
