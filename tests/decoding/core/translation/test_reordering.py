import pytest

from decoding.core.translation.reordering import (
    LEFT,
    MONOTONE,
    RIGHT,
    SWAP,
    ReorderingType,
    orientation,
    parse_reordering_type,
)
from evaluation.core.errors import InputError


@pytest.mark.parametrize(
    ("text", "expected", "scores"),
    [
        ("wbe-msd-bidirectional-fe-allff", ReorderingType("msd", True, True, True), 6),
        ("msd-bidirectional-fe", ReorderingType("msd", True, True, True), 6),
        ("phrase-mslr-backward-f", ReorderingType("mslr", True, False, False), 4),
        ("wbe-mslr-fe", ReorderingType("mslr", True, False, True), 4),
        ("monotonicity-forward-fe", ReorderingType("monotonicity", False, True, True), 2),
        ("leftright-unidirectional-f", ReorderingType("leftright", True, False, False), 2),
    ],
)
def test_types(text, expected, scores):
    assert parse_reordering_type(text) == expected
    assert expected.scores == scores


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("hier-msd-bidirectional-fe", "hier is not"),
        ("wbe-msd-bidirectional-fe-collapseff", "collapseff is not"),
        ("wbe-msd-both-fe", "unknown part, 'both'"),
        ("wbe-bidirectional-fe", "does not say enough"),
        ("wbe-msd-bidirectional", "does not say enough"),
        ("", "unknown part"),
    ],
)
def test_types_that_are_refused(text, problem):
    with pytest.raises(InputError, match=problem):
        parse_reordering_type(text)


@pytest.mark.parametrize(
    ("previous", "span", "expected"),
    [
        ((-1, -1), (0, 1), MONOTONE),
        ((-1, -1), (2, 2), RIGHT),
        ((0, 1), (2, 3), MONOTONE),
        ((2, 3), (0, 1), SWAP),
        ((0, 1), (3, 3), RIGHT),
        ((3, 3), (0, 1), LEFT),
    ],
)
def test_orientations(previous, span, expected):
    assert orientation(*previous, *span) == expected
