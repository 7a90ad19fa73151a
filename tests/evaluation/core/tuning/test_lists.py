import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.tuning.lists import KBestLists, join, merge, model_scores, select
from evaluation.core.tuning.metric import BLEU
from tests.evaluation.core.tuning import naive
from tests.evaluation.core.tuning.strategies import random_lists

seeds = st.integers(0, 10**6)


def as_tuples(lists):
    return [
        [
            (tuple(lists.features[h] + 0.0), tuple(lists.statistics[h]))
            for h in naive.rows_of(lists, s)
        ]
        for s in range(len(lists))
    ]


@given(seeds, seeds)
def test_merging_keeps_the_first_of_equals_in_order(first, second):
    parts = [random_lists(seed, features=2, ties=True) for seed in (first, second, first)]
    assert as_tuples(merge(*parts)) == naive.merge(*parts)


def test_zero_and_minus_zero_are_equal():
    lists = KBestLists(np.array([0, 2]), np.array([[0.0], [-0.0]]), np.zeros((2, 10), np.int32))
    assert len(merge(lists).features) == 1


def test_joining_says_where_each_row_came_from():
    parts = [random_lists(1, ties=True), random_lists(2, ties=True)]
    joined, rows = join(parts)
    every = np.concatenate([part.features for part in parts])
    assert np.array_equal(every[rows], joined.features)


def test_equal_features_give_equal_scores_wherever_they_stand():
    row = np.random.default_rng(0).standard_normal(37)
    lists = KBestLists(np.array([0, 101]), np.tile(row, (101, 1)), np.zeros((101, 10), np.int32))
    assert len(set(model_scores(lists, np.cos(np.arange(37.0))))) == 1


@given(seeds, st.booleans())
def test_selection_is_the_first_best(seed, ties):
    lists = random_lists(seed, ties=ties)
    weights = np.round(np.random.default_rng(seed).standard_normal(4))
    assert select(lists, weights).tolist() == naive.select(lists, weights)
    assert BLEU.under(lists, weights) == naive.corpus_score(
        lists, naive.select(lists, weights), BLEU
    )


def test_sentences_can_be_taken_in_any_order():
    lists = random_lists(3)
    chosen = lists.sentences([4, 0])
    assert as_tuples(chosen) == [as_tuples(lists)[4], as_tuples(lists)[0]]


@pytest.mark.parametrize(
    ("offsets", "features", "statistics", "problem"),
    [
        ([0, 1, 1], np.ones((1, 2)), np.ones((1, 10)), "sentence 2 has no hypothesis"),
        ([0, 2], np.ones((1, 2)), np.ones((2, 10)), "features of shape (1, 2) for 2 hypotheses"),
        ([0, 2], np.ones((2, 2)), np.ones(2), "statistics of shape (2,) for 2 hypotheses"),
        (
            [0, 1, 3],
            np.array([[0.0], [0.0], [-np.inf]]),
            np.ones((3, 10)),
            "hypothesis 2 of sentence 2 has a feature that is no finite number",
        ),
    ],
)
def test_lists_that_do_not_fit_are_refused(offsets, features, statistics, problem):
    with pytest.raises(InputError) as caught:
        KBestLists(np.array(offsets), features, statistics)
    assert problem in str(caught.value)


def test_lists_of_different_data_are_not_merged():
    with pytest.raises(InputError, match="different numbers of sentences"):
        merge(random_lists(1, sentences=3), random_lists(1, sentences=4))
    with pytest.raises(InputError, match="different numbers of features"):
        merge(random_lists(1, features=3), random_lists(1, features=4))


def test_weights_must_fit():
    with pytest.raises(InputError, match="one weight for each feature"):
        select(random_lists(1), np.ones(3))
