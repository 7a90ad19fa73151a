"""How fast lists are scored, against sacrebleu and against the textbook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import sacrebleu

from benchmarks.harness import Row, seconds
from evaluation.core.metrics.bleu import sentence_bleu1, sentence_statistics
from evaluation.core.metrics.coverage import coverage
from evaluation.core.metrics.references import index_references
from evaluation.core.metrics.words import Vocabulary
from tests.evaluation.core.metrics import naive

WORDS = 20_000
LISTS, LIST_SIZE = 1_000, 1_000
SAMPLE = 400  # sentences that sacrebleu scores


class _Corpus:
    """Sentences of 5 to 45 words, drawn by Zipf's law, with worse copies of them.

    Made up, so that every machine measures the same.
    """

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        frequency = 1.0 / np.arange(1, WORDS + 1)
        self.cumulative = np.cumsum(frequency / frequency.sum())
        letters = np.array(list("etaoinshrdlucmfw"))
        self.words = ["".join(letters[list(map(int, str(i)))]) for i in range(WORDS)]

    def draw(self, count: int) -> np.ndarray:
        return np.searchsorted(self.cumulative, self.rng.random(count))

    def sentence(self) -> np.ndarray:
        return self.draw(int(self.rng.integers(5, 46)))

    def worse(self, sentence: np.ndarray, changes: int) -> np.ndarray:
        copy = sentence.copy()
        copy[self.rng.integers(0, len(copy), changes)] = self.draw(changes)
        return copy

    def text(self, sentence: np.ndarray) -> str:
        return " ".join([self.words[i] for i in sentence])

    def lists(
        self, sentences: int, size: int, references: int
    ) -> tuple[list[list[str]], list[list[str]]]:
        """Lists whose entries differ from one another in up to four words, and references."""
        lists, referenced = [], []
        for _ in range(sentences):
            meant = self.sentence()
            third = len(meant) // 3 + 1
            referenced.append([self.text(self.worse(meant, third)) for _ in range(references)])
            base = self.worse(meant, third)
            changes = self.rng.integers(0, 5, size).tolist()
            lists.append([self.text(self.worse(base, count)) for count in changes])
        return lists, referenced


def rows(data: Path | None) -> Iterator[Row]:
    """The benchmark's rows; it needs no reference data."""
    for references in (1, 4):
        yield from _bleu1(references)
    yield _coverage()


def _bleu1(number: int) -> Iterator[Row]:
    lists, references = _Corpus(seed=number).lists(LISTS, LIST_SIZE, number)
    count = LISTS * LIST_SIZE

    def from_strings() -> np.ndarray:
        vocabulary = Vocabulary()
        index = index_references(vocabulary.encode_lists(references))
        return sentence_bleu1(sentence_statistics(vocabulary.encode_lists(lists), index))

    scores = from_strings()  # compiles
    vocabulary = Vocabulary()
    index = index_references(vocabulary.encode_lists(references))
    encoded = vocabulary.encode_lists(lists)

    sample = np.random.default_rng(0).choice(count, SAMPLE, replace=False).tolist()
    theirs: list[float] = []

    def by_sacrebleu() -> None:
        theirs[:] = [
            sacrebleu.sentence_bleu(
                lists[i // LIST_SIZE][i % LIST_SIZE],
                references[i // LIST_SIZE],
                smooth_method="add-k",
                smooth_value=1,
                tokenize="none",
                use_effective_order=True,  # no difference here, but it warns without
            ).score
            for i in sample
        ]

    sacre = seconds(by_sacrebleu, cpu=True) / SAMPLE
    strings = seconds(from_strings, repeat=2, cpu=True) / count
    ids = seconds(lambda: sentence_bleu1(sentence_statistics(encoded, index)), cpu=True) / count
    difference = float(np.abs(scores[sample] - theirs).max())
    assert difference < 1e-9, difference
    detail = {
        "hypotheses": count,
        "references": number,
        "sacrebleu_microseconds": sacre * 1e6,
        "largest_difference": difference,
    }
    refs = "1 reference" if number == 1 else f"{number} references"
    for name, ours, aim in (("strings", strings, 100), ("ids", ids, 300)):
        yield Row(
            f"BLEU+1 of 1,000 x 1,000-best, {refs}, from {name}",
            sacre / ours,
            "sacrebleu.sentence_bleu's CPU time / ours",
            f"at least {aim}",
            sacre / ours >= aim,
            {**detail, "our_microseconds": ours * 1e6},
        )


def _coverage() -> Row:
    lists, references = _Corpus(seed=5).lists(200 * 40, 5, 4)

    def ours() -> float:
        vocabulary = Vocabulary()
        index = index_references(vocabulary.encode_lists(references))
        return coverage(vocabulary.encode_lists(lists), index)

    found = ours()  # compiles
    few = len(lists) // 20
    expected = np.mean([naive.coverage(*own) for own in zip(lists, references, strict=True)])
    assert abs(found - expected) < 1e-9
    plain = 20 * seconds(
        lambda: [naive.coverage(*own) for own in zip(lists[:few], references, strict=False)],
        repeat=2,
        cpu=True,
    )
    fast = seconds(ours, cpu=True)
    return Row(
        "coverage of 200 x 40 lists of 5, from strings",
        plain / fast,
        "plain Python's CPU time / ours",
        detail={"plain_seconds": plain, "our_seconds": fast},
    )
