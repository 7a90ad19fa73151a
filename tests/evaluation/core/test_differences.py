from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.differences import MOST_WORDS, differences

TEXTS = st.text(alphabet="ab  .\u0627", max_size=30)


@pytest.mark.parametrize(
    ("text", "other", "marked"),
    [
        ("the house", "the house", "the house"),
        ("the big house", "the house", "the [big] house"),
        ("a house", "the house", "[a] house"),
        ("the very big house", "the house", "the [very big] house"),
        ("it is", "they were", "[it is]"),
        ("", "the house", ""),
        ("the house", "", "[the house]"),
        ("house the", "the house", "house [the]"),
    ],
)
def test_what_is_new_is_marked(text, other, marked):
    spans = differences(text, other)
    assert "".join(s.text if s.shared else f"[{s.text}]" for s in spans) == marked


@given(TEXTS, TEXTS)
def test_spans_make_up_the_text(text, other):
    spans = differences(text, other)
    assert "".join(span.text for span in spans) == text
    shared = " ".join(span.text for span in spans if span.shared).split()
    words = iter(other.split())
    assert all(word in words for word in shared), "what is shared is a subsequence of the other"


@given(TEXTS)
def test_a_text_shares_all_of_itself(text):
    assert all(span.shared for span in differences(text, text))


@pytest.mark.parametrize("more", ["a b b " * MOST_WORDS, "b a a " * (MOST_WORDS // 3)])
def test_of_long_texts_only_the_ends_are_compared(more):
    # To compare all of these would take minutes.
    spans = differences(f"so then {more} in the end", f"so {'b a ' * MOST_WORDS} it came the end")
    assert [span.text for span in spans if span.shared] == ["so ", " the end"]
    assert [s.shared for s in differences(more, more)] == [True]
