import math
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.metrics.bleu import corpus_bleu, sentence_bleu1
from evaluation.core.metrics.oracle import (
    best_of_lists,
    list_spread,
    oracle_bleu,
    oracle_translations,
)
from evaluation.core.metrics.words import list_offsets

from .strategies import corpus
from .test_bleu import statistics_of

score_lists = st.lists(
    st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=6), min_size=1, max_size=6
)


def flat(lists):
    return np.array([score for own in lists for score in own]), list_offsets(map(len, lists))


@given(score_lists)
def test_best_of_lists_is_the_first_of_the_best(lists):
    scores, offsets = flat(lists)
    expected = [offsets[s] + own.index(max(own)) for s, own in enumerate(lists)]
    assert best_of_lists(scores, offsets).tolist() == expected


@given(score_lists)
def test_spread_equals_the_textbook(lists):
    spread = list_spread(*flat(lists))
    assert spread.median.tolist() == [median(own) for own in lists]
    assert spread.minimum.tolist() == [min(own) for own in lists]
    assert spread.maximum.tolist() == [max(own) for own in lists]


@given(corpus())
def test_the_oracle_is_best_in_every_list(lists):
    translations, references = lists
    statistics = statistics_of(translations, references)
    offsets = list_offsets(map(len, translations))
    chosen = oracle_translations(statistics, offsets)
    scores = sentence_bleu1(statistics)
    assert scores[chosen].tolist() == list_spread(scores, offsets).maximum.tolist()
    assert oracle_bleu(statistics, offsets) == corpus_bleu(statistics[chosen])


@pytest.mark.parametrize(
    ("lists", "problem"),
    [
        ([[1.0], [2.0, math.nan]], r"translation 2 of sentence 2 has no score \(NaN\)"),
        ([[1.0], []], "sentence 2 has no translation"),
    ],
)
@pytest.mark.parametrize("function", [best_of_lists, list_spread])
def test_scores_that_are_missing_are_named(function, lists, problem):
    with pytest.raises(InputError, match=problem):
        function(*flat(lists))


def test_as_many_scores_as_translations():
    with pytest.raises(InputError, match="2 scores for 3 translations"):
        best_of_lists(np.zeros(2), np.array([0, 3]))
