from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoding.core.diversity.lists import DiversityOptions, dissimilarity
from decoding.core.diversity.pool import select_best, select_diverse
from evaluation.core.errors import InputError

texts = st.lists(st.sampled_from("ab"), max_size=6).map(" ".join)
scored = st.lists(st.tuples(texts, st.integers(-8, 8)), min_size=1, max_size=9)


def naive_selection(pool, options):
    """ALGORITHMS A3 word for word over a list: for each entry, look at every translation."""
    classes = options.classes or {}

    def words(place):
        return [classes.get(word, word) for word in pool[place][0].split()]

    chosen = []
    while len(chosen) < options.size:
        best = None
        for place, (text, score) in enumerate(pool):
            if any(pool[other][0].split() == text.split() for other in chosen):
                continue
            total = score + sum(
                options.strength_of(j) * dissimilarity(words(other), words(place), options.order)
                for j, other in enumerate(chosen)
            )
            if best is None or (total, score) > best[:2]:
                best = (total, score, place)
        if best is None:
            break
        chosen.append(best[2])
    return chosen


@given(scored, st.integers(1, 6), st.integers(1, 3), st.booleans())
@settings(deadline=None)
def test_the_selection_is_a3_word_for_word(pool, size, order, with_classes):
    # Powers of two keep the sums exact, so ties are ties on both sides.
    strengths = tuple(0.25 * 2**j for j in range(size))
    classes = {"a": "letter", "b": "letter"} if with_classes else None
    options = DiversityOptions(size, order, strengths, classes)
    names, scores = zip(*pool, strict=True)
    assert select_diverse(names, scores, options) == naive_selection(pool, options)


@given(scored, st.integers(1, 6))
@settings(deadline=None)
def test_without_a_penalty_the_best_are_chosen(pool, size):
    names, scores = zip(*pool, strict=True)
    best = select_best(names, scores, size)
    assert select_diverse(names, scores, DiversityOptions(size, 4, 0.0)) == best
    assert len({tuple(names[place].split()) for place in best}) == len(best)
    assert sorted((scores[place] for place in best), reverse=True) == [scores[p] for p in best]


def test_a_diverse_list_shares_fewer_ngrams():
    pool = ["the talks broke up on monday", "the talks broke up at monday", "negotiations failed"]
    assert select_diverse(pool, [-1.0, -1.1, -2.0], DiversityOptions(2, 2, 0.5)) == [0, 2]
    assert select_best(pool, [-1.0, -1.1, -2.0], 2) == [0, 1]


def test_translations_are_the_same_when_their_words_are():
    assert select_best(["a  b", "a b ", "c"], [1, 2, 0], 5) == [1, 2]


@pytest.mark.parametrize("score", [np.nan, np.inf])
def test_a_score_that_is_no_number_is_named(score):
    with pytest.raises(InputError, match="translation 2 has the score"):
        select_best(["a", "b"], [1.0, score], 2)


def test_as_many_scores_as_translations():
    with pytest.raises(InputError, match="2 translations and 1 scores"):
        select_diverse(["a", "b"], [1.0], DiversityOptions())
