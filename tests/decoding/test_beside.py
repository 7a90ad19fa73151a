from __future__ import annotations

import pytest

from decoding.beside import Beside, Side
from decoding.makers import Translation
from decoding.models import RecipeVersion, TranslationList


def side(*texts, **fields):
    return Side(RecipeVersion(), [Translation(text) for text in texts], **fields)


def beside(baseline, other):
    return Beside(baseline, other, str.upper, "en")


def new(line):
    return [span.text for span in line.spans if not span.shared]


def test_both_lists_are_marked_against_the_baseline_s_first():
    (_, best), (_, diverse) = beside(side("a b c", "a b d"), side("a x c", "a b c")).sides
    assert [new(line) for line in best] == [[], ["D"]]
    assert [new(line) for line in diverse] == [["X"], []]


def test_what_the_baseline_has_too_is_marked_and_counted_once():
    both = beside(side("a", "b", "c"), side("a", "a", "x", "c", "a", "x"))
    assert [line.in_baseline for line in both.sides[1][1]] == [True, True, False, True, True, False]
    assert (both.in_both, both.different) == (2, 3)


def test_a_gain_needs_two_figures():
    assert beside(side("a"), side("b")).gain is None
    assert beside(side("a", coverage=30.0), side("b", coverage=44.5)).gain == pytest.approx(14.5)


def test_nothing_against_nothing():
    both = beside(side(), side())
    assert [lines for _, lines in both.sides] == [[], []]
    assert (both.in_both, both.different) == (0, 0)


def test_settings_are_named_and_options_that_were_not_used_left_out():
    kept = {"order": 4, "penalty": 0.0, "penalties": "", "distinct": True, "from_graph": False}
    made = TranslationList(provenance={"recipe": kept})
    assert side("a", made=made).settings == {
        "n, order of the dissimilarity": 4,
        "λ, weight of the dissimilarity": 0.0,
        "no translation twice": "yes",
    }
    assert side("a").settings == {}
