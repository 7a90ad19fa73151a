import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.metrics.coverage import coverage, coverage_statistics, list_coverage
from evaluation.core.metrics.references import index_references
from evaluation.core.metrics.words import Vocabulary

from . import naive
from .strategies import corpus, references, sentence, translations

poolings = st.sampled_from(["sum", "max"])


def coverages(lists, references, pooling="sum"):
    vocabulary = Vocabulary()
    index = index_references(vocabulary.encode_lists(references))
    return list_coverage(coverage_statistics(vocabulary.encode_lists(lists), index, pooling))


@given(corpus(), poolings)
def test_equals_the_textbook(lists, pooling):
    expected = [naive.coverage(t, r, pooling) for t, r in zip(*lists, strict=True)]
    assert coverages(*lists, pooling) == pytest.approx(expected, abs=1e-9)


@given(translations, sentence(), references, poolings)
def test_adding_a_translation_never_lowers_it(own, added, own_references, pooling):
    before, after = coverages([own, [*own, added]], [own_references] * 2, pooling)
    assert after >= before


@given(translations, references, poolings, st.randoms(use_true_random=False))
def test_the_order_of_a_list_does_not_matter(own, own_references, pooling, random):
    shuffled = random.sample(own, len(own))
    before, after = coverages([own, shuffled], [own_references] * 2, pooling)
    assert before == after


@given(translations, sentence(min_size=1), poolings)
def test_a_list_that_holds_the_sole_reference_covers_100(own, reference, pooling):
    assert coverages([[*own, reference]], [[reference]], pooling).tolist() == [100.0]


def test_any_translation_contributes_when_counts_are_summed():
    # Two of the four "a"s from each: together all four, the most of one only two.
    lists, wanted = [["a a", "a a"]], [["a a a a"]]
    assert coverages(lists, wanted, "sum") == pytest.approx(
        100 * (1 * 3 / 4 * 1 / 3 * 1 / 2) ** 0.25
    )
    assert coverages(lists, wanted, "max") == pytest.approx(
        100 * (2 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25
    )


def test_an_empty_translation_covers_0():
    assert coverages([[""]], [["a b"]]).tolist() == [0.0]


def test_of_a_data_set_is_the_mean_over_sentences():
    vocabulary = Vocabulary()
    index = index_references(vocabulary.encode_lists([["a b"], ["c"]]))
    assert coverage(vocabulary.encode_lists([["a b"], ["d"]]), index) == 50.0


def test_an_unknown_pooling():
    with pytest.raises(InputError, match="no pooling 'mean'"):
        coverages([["a"]], [["a"]], "mean")
