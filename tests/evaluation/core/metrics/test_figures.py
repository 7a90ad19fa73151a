from itertools import chain
from statistics import mean, median

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from evaluation.core.errors import InputError
from evaluation.core.metrics.bleu import corpus_bleu, sentence_bleu1
from evaluation.core.metrics.figures import (
    METRICS,
    TOKENIZERS,
    FigureOptions,
    coverage_by_sentence,
    first_bleu1,
    oracle_by_sentence,
)
from evaluation.core.metrics.oracle import oracle_bleu
from evaluation.core.metrics.words import list_offsets
from evaluation.core.statistics.intervals import ratio_of
from evaluation.core.statistics.systems import bleu_of

from . import naive
from .strategies import corpus
from .test_bleu import statistics_of

LISTS = [["The cat sat, on a mat.", "A cat sat on the mat"], ["Hello world!"]]
REFERENCES = [["The cat sat on the mat.", "A cat is on a mat."], ["Hello, world!", "Hi world"]]
STREAMS = [list(stream) for stream in zip(*REFERENCES, strict=True)]
FIRST = [own[0] for own in LISTS]

options = st.builds(
    FigureOptions,
    tokenize=st.sampled_from(TOKENIZERS),
    lowercase=st.booleans(),
    pooling=st.sampled_from(["sum", "max"]),
)


def prepared(lists, chosen):
    """The texts as sacrebleu's tokenizer leaves them."""
    tokenizer = sacrebleu.BLEU(tokenize=chosen.tokenize).tokenizer
    lower = str.lower if chosen.lowercase else str
    return [[tokenizer(lower(line).rstrip()) for line in own] for own in lists]


@given(corpus(), options)
def test_figures_equal_their_definitions(lists, chosen):
    figures = {name: make(*lists, chosen) for name, make in METRICS.items()}
    translations, references = (prepared(own, chosen) for own in lists)
    firsts = [own[:1] for own in translations]
    scores = [
        [naive.bleu1(h, own) for h in hypotheses]
        for hypotheses, own in zip(translations, references, strict=True)
    ]
    expected = {
        "bleu": corpus_bleu(statistics_of(firsts, references)),
        "bleu1": mean(own[0] for own in scores),
        "coverage": mean(
            naive.coverage(t, r, chosen.pooling)
            for t, r in zip(translations, references, strict=True)
        ),
        "oracle": oracle_bleu(
            statistics_of(translations, references), list_offsets(map(len, translations))
        ),
        "chrf": figures["chrf"].score,
    }
    assert {n: f.score for n, f in figures.items()} == pytest.approx(expected, abs=1e-9)
    assert figures["bleu1"].spread.median == pytest.approx(mean(map(median, scores)), abs=1e-9)
    assert figures["bleu1"].spread.minimum == pytest.approx(mean(map(min, scores)), abs=1e-9)
    assert figures["bleu1"].spread.maximum == pytest.approx(mean(map(max, scores)), abs=1e-9)
    assert first_bleu1(*lists, chosen) == sentence_bleu1(statistics_of(firsts, references)).tolist()
    for figure in figures.values():
        assert figure.sentences == len(translations)
        assert figure.translations == len(list(chain.from_iterable(translations)))


@given(corpus(), options)
def test_what_sentences_add_adds_up_to_the_figure(lists, chosen):
    for measure, score in ((coverage_by_sentence, ratio_of), (oracle_by_sentence, bleu_of)):
        found = measure(*lists, chosen)
        assert len(found.rows) == found.figure.sentences
        assert score(found.rows.sum(axis=0)) == pytest.approx(found.figure.score, abs=1e-9)


def test_bleu_and_chrf_are_sacrebleus():
    for name, metric in [
        ("bleu", sacrebleu.BLEU(tokenize="13a", lowercase=True)),
        ("chrf", sacrebleu.CHRF(lowercase=True)),
    ]:
        figure = METRICS[name](LISTS, REFERENCES, FigureOptions("13a", lowercase=True))
        assert figure.score == metric.corpus_score(FIRST, STREAMS).score
        assert figure.signature == str(metric.get_signature())


@pytest.mark.parametrize(
    ("metric", "chosen", "signature"),
    [
        (
            "bleu1",
            FigureOptions(),
            "nrefs:2|case:mixed|eff:no|tok:none|smooth:add-k[1.00]|version:variorum-1",
        ),
        (
            "bleu1",
            FigureOptions("13a", lowercase=True),
            f"nrefs:2|case:lc|eff:no|tok:13a|smooth:add-k[1.00]|version:variorum-1+sacrebleu-{sacrebleu.__version__}",
        ),
        (
            "coverage",
            FigureOptions(pooling="max"),
            "nrefs:2|case:mixed|eff:no|tok:none|pool:max|smooth:add-k[1.00]|version:variorum-1",
        ),
        (
            "oracle",
            FigureOptions(),
            f"nrefs:2|case:mixed|eff:no|tok:none|smooth:exp|version:{sacrebleu.__version__}|select:bleu1|selector:variorum-1",
        ),
    ],
)
def test_signatures(metric, chosen, signature):
    assert METRICS[metric](LISTS, REFERENCES, chosen).signature == signature


def test_bleu1_has_the_signature_sacrebleu_would_give_but_for_the_version():
    theirs = sacrebleu.BLEU(tokenize="none", smooth_method="add-k", smooth_value=1)
    theirs.corpus_score(FIRST, STREAMS)
    ours = METRICS["bleu1"](LISTS, REFERENCES, FigureOptions()).signature
    assert ours.rpartition("|")[0] == str(theirs.get_signature()).rpartition("|")[0]


def test_sentences_may_have_different_numbers_of_references():
    references = [["a b c d e", "a b c"], ["f g h i"]]
    lists = [["a b c d e f"], ["f g h i"]]
    for name in ("bleu", "oracle"):
        figure = METRICS[name](lists, references, FigureOptions())
        assert figure.score == pytest.approx(
            corpus_bleu(statistics_of(lists, references)), abs=1e-9
        )
        assert figure.signature.startswith("nrefs:var|")
    assert METRICS["coverage"](lists, references, FigureOptions()).signature.startswith(
        "nrefs:var|"
    )


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("lists", "references", "problem"),
    [
        (LISTS[:1], REFERENCES, "sentence 2 has no translations"),
        (LISTS, REFERENCES[:1], "sentence 2 has no references"),
        ([*LISTS[:1], []], REFERENCES, "sentence 2 has no translation"),
        (LISTS, [*REFERENCES[:1], []], "sentence 2 has no reference"),
        (LISTS, [*REFERENCES[:1], ["", "a"]], "reference 1 of sentence 2 is empty"),
        ([], [], "there are no sentences"),
    ],
)
def test_bad_input_is_named(metric, lists, references, problem):
    with pytest.raises(InputError, match=problem):
        METRICS[metric](lists, references, FigureOptions())


def test_an_unknown_tokenizer():
    with pytest.raises(InputError, match="no tokenizer 'spm'"):
        METRICS["bleu1"](LISTS, REFERENCES, FigureOptions("spm"))
