"""Every test set with references, against sacrebleu and the textbook."""

import random

import pytest
import sacrebleu

from decoding.core.formats.text import read_lines
from evaluation.core.metrics.bleu import corpus_bleu, sentence_bleu1
from evaluation.core.metrics.coverage import coverage_statistics, list_coverage
from evaluation.core.metrics.references import index_references
from evaluation.core.metrics.words import Vocabulary

from . import naive
from .test_bleu import statistics_of

SETS = [
    *((f"quran-aren/{split}.en.ref{{}}.gz", 8) for split in ("tune1", "tune2", "test")),
    *((f"bible-aren/{split}.en.ref{{}}.gz", 6) for split in ("tune1", "tune2", "test")),
    *((f"wmt-deen/{split}.en.gz", 1) for split in ("tune1", "tune2", "test")),
    *((f"ted-zhen/{split}.en.gz", 1) for split in ("tune1", "tune2", "test", "dev2010")),
    ("moses-multi30k-deen/val.en", 1),
    ("moses-multi30k-deen/test_2016_flickr.en", 1),
    ("humaneval-wmt12-deen/reference.en.gz", 1),
    *((f"multi30k-deen/{split}.en.gz", 1) for split in ("val", "test2016")),
]
SENTENCES = 250  # of each set, evenly spread, so that all sets take seconds


def translations(sentences, rng):
    """Worse and worse copies of the sentences: words lost, doubled and moved."""
    for sentence in sentences:
        words = sentence.split()
        damage = rng.randrange(len(words))
        for _ in range(damage):
            taken = words.pop(rng.randrange(len(words)))
            words[rng.randrange(len(words) + 1) :][:0] = [taken]
            if rng.random() < 0.4 and words:
                words[rng.randrange(len(words))] = rng.choice(words)
        yield " ".join(words[: rng.randrange(len(words) + 1)] if rng.random() < 0.3 else words)


@pytest.mark.parametrize(("pattern", "number"), SETS)
def test_equal_to_sacrebleu_and_the_textbook(reference_data, pattern, number):
    streams = [list(read_lines(reference_data(pattern.format(r)))) for r in range(number)]
    step = max(1, len(streams[0]) // SENTENCES)
    streams = [stream[::step] for stream in streams]
    # The copied sentence is no reference of its copy, unless it is the only one.
    check(list(translations(streams[0], random.Random(7))), streams[1:] or streams)


@pytest.mark.parametrize("system", ["onlineB", "uedin-wmt12", "jhu-hiero"])
def test_systems_of_wmt12(reference_data, system):
    folder = reference_data("humaneval-wmt12-deen")
    hypotheses = list(read_lines(folder / "systems" / f"{system}.en.gz"))
    check(hypotheses[::10], [list(read_lines(folder / "reference.en.gz"))[::10]])


def test_the_one_best_of_moses(reference_data):
    folder = reference_data("moses-multi30k-deen")
    rows = (line.split("\t") for line in read_lines(folder / "onebest.test_2016_flickr.tsv"))
    hypotheses = [row[3] for row in rows if row[0] == "moses_s200"]
    references = list(read_lines(folder / "test_2016_flickr.en"))
    statistics = statistics_of([[h] for h in hypotheses], [[r] for r in references])
    assert round(corpus_bleu(statistics), 2) == 39.98  # as its README says


def check(hypotheses, streams):
    """All figures of hypotheses against sacrebleu's and the textbook's."""
    references = [list(lines) for lines in zip(*streams, strict=True)]
    statistics = statistics_of([[h] for h in hypotheses], references)
    theirs = sacrebleu.BLEU(tokenize="none", force=True).corpus_score(hypotheses, streams)
    assert corpus_bleu(statistics) == pytest.approx(theirs.score, abs=1e-9)
    single = sacrebleu.BLEU(
        tokenize="none", smooth_method="add-k", smooth_value=1, effective_order=True
    )
    expected = [
        single.sentence_score(h, r).score for h, r in zip(hypotheses, references, strict=True)
    ]
    assert sentence_bleu1(statistics) == pytest.approx(expected, abs=1e-9)

    vocabulary = Vocabulary()
    lists = [[h, r[-1]] for h, r in zip(hypotheses, references, strict=True)]
    index = index_references(vocabulary.encode_lists(references))
    found = list_coverage(coverage_statistics(vocabulary.encode_lists(lists), index))
    expected = [naive.coverage(*pair) for pair in zip(lists, references, strict=True)]
    assert found == pytest.approx(expected, abs=1e-9)
