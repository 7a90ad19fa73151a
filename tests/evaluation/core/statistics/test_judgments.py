from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given

from evaluation.core.errors import InputError
from evaluation.core.statistics.judgments import LEFT, RIGHT, SAME, Judgment, Judgments, tally
from tests.evaluation.core.statistics.studies import judgments, study

ROWS = [
    Judgment("s1", ("a", "b"), "anna", "best", "diverse", LEFT, 12.0),
    Judgment("s1", ("a", "b"), "bert", "diverse", "best", LEFT),
    Judgment("s3", ("a", "b"), "anna", "diverse", "best", SAME),
    Judgment("s3", ("a", "c"), "anna", "best", "diverse", RIGHT),
]


def from_rows(rows):
    return Judgments.from_rows(
        rows, sentences=["s1", "s2", "s3"], conditions=["best", "diverse", "none"]
    )


def test_rows_are_numbered_and_counted():
    made = from_rows(ROWS)
    assert made.sentence.tolist() == [0, 0, 2, 2]
    assert made.item.tolist() == [0, 0, 1, 2]  # an item belongs to its sentence
    assert made.workers == ("anna", "bert")
    assert made.worker.tolist() == [0, 1, 0, 0]
    assert made.favour(0).tolist() == [1, -1, 0, -1]
    assert made.seconds[0] == 12
    assert np.isnan(made.seconds[1:]).all()
    assert tally(made).tolist() == [[1, 0, 1], [0, 0, 0], [0, 1, 1]]
    assert len(made.where(made.worker == 1)) == 1


def test_no_rows_are_a_study_too():
    made = from_rows([])
    assert len(made) == 0
    assert made.seconds is None
    assert tally(made).tolist() == [[0, 0, 0]] * 3


def test_a_name_that_the_study_does_not_have():
    with pytest.raises(InputError, match="judgment 2 speaks of 's9', which the study"):
        from_rows([ROWS[0], dataclasses.replace(ROWS[1], sentence="s9")])


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("sentence", 40, "judgment 1 has sentence 40"),
        ("worker", -1, "judgment 1 has worker -1"),
        ("left", 2, "judgment 1 has left 2"),
        ("outcome", 5, "judgment 1 has outcome 5"),
    ],
)
def test_what_cannot_be_is_refused(column, value, message):
    made = study()
    wrong = getattr(made, column).copy()
    wrong[0] = value
    with pytest.raises(InputError, match=message):
        dataclasses.replace(made, **{column: wrong})


def test_columns_of_different_length_are_refused():
    with pytest.raises(InputError, match="1080 judgments, but 3 values of outcome"):
        dataclasses.replace(study(sentences=40), outcome=np.zeros(3, dtype=np.int64))


@given(judgments(conditions=3))
def test_tally_counts_by_hand(made):
    counts = np.zeros((6, 3), dtype=int)
    for s, left, right, outcome in zip(
        made.sentence, made.left, made.right, made.outcome, strict=True
    ):
        if {left, right} == {0, 2}:
            winner = {LEFT: left, SAME: None, RIGHT: right}[outcome]
            counts[s, {0: 0, None: 1, 2: 2}[winner]] += 1
    assert tally(made, 0, 2).tolist() == counts.tolist()
    assert tally(made, 2, 0).tolist() == counts[:, ::-1].tolist()
