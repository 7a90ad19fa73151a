"""The difference of two systems' BLEU, against sacrebleu and a plain bootstrap."""

from __future__ import annotations

import random

import numpy as np
import pytest
import sacrebleu

from evaluation.core.errors import InputError
from evaluation.core.metrics.figures import FigureOptions, bleu_statistics
from evaluation.core.statistics.intervals import Bootstrap, ratio_of
from evaluation.core.statistics.systems import bleu_difference, bleu_of, differences

WORDS = [
    "the",
    "a",
    "house",
    "man",
    "dog",
    "sees",
    "reads",
    "old",
    "small",
    "green",
    "quickly",
    "today",
]


def texts(count: int, noise: float, seed: int) -> tuple[list[str], list[str]]:
    """References, and translations of which a share of words is another one."""
    rng = random.Random(seed)
    references = [" ".join(rng.choices(WORDS, k=rng.randrange(4, 15))) for _ in range(count)]
    own = random.Random(seed + 1)
    translations = [
        " ".join(own.choice(WORDS) if own.random() < noise else word for word in line.split())
        for line in references
    ]
    return references, translations


def statistics(references, translations):
    return bleu_statistics(
        [[one] for one in translations], [[one] for one in references], FigureOptions()
    )


@pytest.fixture(scope="module")
def compared():
    references, first = texts(200, 0.35, 5)
    second = [
        b if i % 3 else a
        for i, (a, b) in enumerate(zip(first, texts(200, 0.25, 5)[1], strict=True))
    ]
    return references, first, second


def test_the_estimate_is_sacrebleus_difference(compared):
    references, first, second = compared
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    bleus = [metric.corpus_score(own, [references]).score for own in (first, second)]
    found = bleu_difference(
        statistics(references, first), statistics(references, second), Bootstrap(1, samples=1000)
    )
    assert (found.first, found.second) == pytest.approx(tuple(bleus))
    assert found.difference.estimate == pytest.approx(bleus[1] - bleus[0])
    assert found.difference.clusters == 200


def test_the_interval_is_that_of_a_plain_paired_bootstrap(compared):
    references, first, second = compared
    metric = sacrebleu.BLEU(tokenize="none", force=True)
    rng = random.Random(3)
    draws = []
    for _ in range(400):
        places = [rng.randrange(200) for _ in range(200)]
        scores = [
            metric.corpus_score([own[p] for p in places], [[references[p] for p in places]]).score
            for own in (first, second)
        ]
        draws.append(scores[1] - scores[0])
    low, high = np.quantile(draws, [0.025, 0.975])
    found = bleu_difference(
        statistics(references, first), statistics(references, second), Bootstrap(1)
    )
    width = high - low
    assert found.difference.low == pytest.approx(low, abs=0.15 * width)
    assert found.difference.high == pytest.approx(high, abs=0.15 * width)
    assert (found.p < 0.05) == (found.difference.low > 0 or found.difference.high < 0)


def test_two_equal_systems(compared):
    references, first, _ = compared
    same = statistics(references, first)
    found = bleu_difference(same, same, Bootstrap(1, samples=500))
    assert (found.difference.estimate, found.difference.low, found.difference.high) == (0, 0, 0)
    assert found.p == 1


def test_turned_around_it_is_turned_around(compared):
    references, first, second = compared
    one, other = statistics(references, first), statistics(references, second)
    there = bleu_difference(one, other, Bootstrap(1, samples=2000))
    back = bleu_difference(other, one, Bootstrap(1, samples=2000))
    assert back.difference.estimate == pytest.approx(-there.difference.estimate)
    assert back.p == pytest.approx(there.p)


def test_other_sentences_cannot_be_compared(compared):
    references, first, _ = compared
    own = statistics(references, first)
    with pytest.raises(InputError, match="the same sentences"):
        bleu_difference(own, own[:-1], Bootstrap(1))


def test_many_systems_at_once_are_compared_as_two_are(compared):
    references, first, second = compared
    rows = np.array([statistics(references, own) for own in (first, second, references)])
    found = differences(rows.astype(float), [(1, 0), (2, 0), (1, 1)], bleu_of, Bootstrap(1))
    two = bleu_difference(rows[0], rows[1], Bootstrap(1))
    assert found[0] == two.difference
    assert found[1].low > found[0].high
    assert (found[2].estimate, found[2].low, found[2].high) == (0, 0, 0)


def test_the_interval_of_a_mean_is_that_of_the_differences_of_its_values():
    rng = np.random.default_rng(2)
    hard = rng.normal(50, 20, 60)  # of both lists alike
    values = np.array([hard, hard + rng.normal(1, 2, 60)])
    rows = np.stack([np.ones_like(values), values], axis=2)
    (found,) = differences(rows, [(1, 0)], ratio_of, Bootstrap(1))
    own = values[1] - values[0]
    assert found.estimate == pytest.approx(own.mean())
    half = 2 * own.std(ddof=1) / np.sqrt(60)  # Student's with 59 degrees of freedom
    assert (found.low, found.high) == pytest.approx(
        (own.mean() - half, own.mean() + half), abs=0.15 * half
    )
