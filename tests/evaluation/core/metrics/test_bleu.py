import numpy as np
import pytest
import sacrebleu
from hypothesis import given

from evaluation.core.errors import InputError
from evaluation.core.metrics.bleu import (
    bleu,
    corpus_bleu,
    sentence_bleu1,
    sentence_statistics,
)
from evaluation.core.metrics.references import index_references
from evaluation.core.metrics.words import Vocabulary

from . import naive
from .strategies import corpus

sentence_metric = sacrebleu.BLEU(
    tokenize="none", smooth_method="add-k", smooth_value=1, effective_order=True
)


def statistics_of(lists, references, order=4):
    vocabulary = Vocabulary()
    return sentence_statistics(
        vocabulary.encode_lists(lists),
        index_references(vocabulary.encode_lists(references), order),
    )


def sacre_corpus(lists, references, **options):
    """sacrebleu's figure, when every translation of each list is a sentence of the corpus."""
    hypotheses = [h for own in lists for h in own]
    repeated = [r for own, r in zip(lists, references, strict=True) for _ in own]
    streams = [list(stream) for stream in zip(*repeated, strict=True)]
    return sacrebleu.BLEU(tokenize="none", **options).corpus_score(hypotheses, streams).score


@given(corpus())
def test_statistics_equal_the_textbook(lists):
    translations, references = lists
    expected = [
        naive.bleu_statistics(h, own)
        for hypotheses, own in zip(translations, references, strict=True)
        for h in hypotheses
    ]
    assert statistics_of(translations, references).tolist() == expected


@given(corpus())
def test_sentence_bleu1_equals_textbook_and_sacrebleu(lists):
    translations, references = lists
    scores = iter(sentence_bleu1(statistics_of(translations, references)))
    for hypotheses, own in zip(translations, references, strict=True):
        for hypothesis in hypotheses:
            score = next(scores)
            assert score == pytest.approx(naive.bleu1(hypothesis, own), abs=1e-9)
            theirs = sentence_metric.sentence_score(hypothesis, own).score
            assert score == pytest.approx(theirs, abs=1e-9)


@given(corpus())
def test_corpus_bleu_equals_sacrebleu(lists):
    statistics = statistics_of(*lists)
    assert corpus_bleu(statistics) == pytest.approx(sacre_corpus(*lists), abs=1e-9)
    assert corpus_bleu(statistics, "none") == pytest.approx(
        sacre_corpus(*lists, smooth_method="none"), abs=1e-9
    )


def test_other_orders():
    statistics = statistics_of([["a b c d"]], [["a b d c", "b c"]], order=2)
    assert statistics.tolist() == [[4, 2, 4, 3, 4, 4]]
    theirs = sacrebleu.BLEU(tokenize="none", max_ngram_order=2)
    assert corpus_bleu(statistics) == pytest.approx(
        theirs.corpus_score(["a b c d"], [["a b d c"], ["b c"]]).score, abs=1e-9
    )


def test_many_corpora_are_scored_at_once():
    statistics = statistics_of(
        [["a b c d e", "a b c d"], ["x y z w v"]], [["a b c d e"], ["x y z w v u"]]
    )
    sums = np.stack([statistics[[0, 2]].sum(axis=0), statistics[[1, 2]].sum(axis=0)])
    assert bleu(sums).tolist() == [corpus_bleu(statistics[[0, 2]]), corpus_bleu(statistics[[1, 2]])]
    assert bleu(sums.reshape(2, 1, -1)).shape == (2, 1)


def test_an_empty_hypothesis_scores_0():
    statistics = statistics_of([["", " \t"]], [["a b c d"]])
    assert statistics.tolist() == [[0] * 9 + [4]] * 2
    assert sentence_bleu1(statistics).tolist() == [0.0, 0.0]
    assert corpus_bleu(statistics) == 0.0


def test_a_perfect_hypothesis_scores_100():
    statistics = statistics_of([["a"], ["a b c d e"]], [["a"], ["a b c d e"]])
    assert sentence_bleu1(statistics).tolist() == [100.0, 100.0]
    assert corpus_bleu(statistics) == 100.0


@pytest.mark.parametrize(
    ("lists", "references", "problem"),
    [
        ([["a"], ["b"]], [["a"]], "sentence 2 has no references"),
        ([["a"]], [["a"], ["b"]], "sentence 2 has no translations"),
        ([["a"], []], [["a"], ["b"]], "sentence 2 has no translation"),
    ],
)
def test_lists_that_do_not_fit_are_named(lists, references, problem):
    with pytest.raises(InputError, match=problem):
        statistics_of(lists, references)


def test_an_unknown_smoothing():
    with pytest.raises(InputError, match="no smoothing 'floor'"):
        corpus_bleu(statistics_of([["a"]], [["a"]]), "floor")
