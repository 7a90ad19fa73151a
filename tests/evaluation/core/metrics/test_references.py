import numpy as np
import pytest
from hypothesis import given

from evaluation.core.errors import InputError
from evaluation.core.metrics.references import closest_length, find_gram, index_references
from evaluation.core.metrics.words import Vocabulary

from . import naive
from .strategies import corpus


def indexed(references, order=4):
    vocabulary = Vocabulary()
    return vocabulary, index_references(vocabulary.encode_lists(references), order)


def count(index, s, ids):
    first, end = index.slot_offsets[s : s + 2]
    gram = -1
    for word in ids:
        gram = find_gram(index.keys, index.grams, first, end - first - 1, gram, word)
        if gram < 0:
            return 0
    return index.counts[index.gram_offsets[s] + gram]


@given(corpus())
def test_every_ngram_is_found_with_the_largest_of_its_counts(lists):
    _, references = lists
    vocabulary, index = indexed(references)
    ids = {word: i for i, word in enumerate(vocabulary.words())}
    for s, own in enumerate(references):
        expected = naive.reference_counts(own)
        assert index.gram_offsets[s + 1] - index.gram_offsets[s] == len(expected)
        for gram, wanted in expected.items():
            assert count(index, s, [ids[word] for word in gram]) == wanted
        by_order = [sum(c for g, c in expected.items() if len(g) == n) for n in (1, 2, 3, 4)]
        assert index.totals[s].tolist() == by_order


def test_an_ngram_of_another_sentence_is_not_found():
    vocabulary, index = indexed([["a b"], ["b a"]])
    a, b = vocabulary.encode(["a b"]).words
    assert count(index, 0, [a, b]) == 1
    assert count(index, 1, [a, b]) == 0


@pytest.mark.parametrize(
    ("lengths", "length", "expected"),
    [([5], 9, 5), ([4, 6], 5, 4), ([6, 4], 5, 4), ([3, 10], 8, 10), ([3, 3], 0, 3)],
)
def test_closest_length(lengths, length, expected):
    _, index = indexed([[" ".join("a" * n) for n in lengths]])
    assert closest_length(index, 0, length) == expected


def test_references_of_different_number():
    assert indexed([["a"], ["b", "c"]])[1].per_sentence == "var"
    assert indexed([["a", "d"], ["b", "c"]])[1].per_sentence == "2"


def test_a_long_reference():
    words = np.random.default_rng(1).integers(0, 50, 5000)
    reference = " ".join(map(str, words))
    expected = naive.reference_counts([reference])
    _, index = indexed([[reference]])
    assert index.gram_offsets[1] == len(expected)
    assert index.counts.sum() == sum(expected.values())


@pytest.mark.parametrize(
    ("references", "problem"),
    [
        ([["a"], []], "sentence 2 has no reference"),
        ([["a", "b"], ["c", "  "]], "reference 2 of sentence 2 is empty"),
    ],
)
def test_bad_references_are_named(references, problem):
    with pytest.raises(InputError, match=problem):
        indexed(references)
