"""Counting the n-grams of a text by sorting: arrays only, no dictionaries.

An n-gram is a pair of its context's number, among the n-grams one word shorter, and its last
word. So each order costs one sort of as many 64-bit keys as the text has words. The peak of memory
is about 60 bytes for each word of the text, and what is kept 21 for each distinct n-gram.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.vocabulary import BEGIN, END


@dataclass(frozen=True, slots=True)
class NGramCounts:
    """The distinct n-grams of one order, sorted by context and word.

    Contexts and suffixes are indices among the n-grams one word shorter. The 1-grams, whose
    context and suffix are empty (0), are all words of the vocabulary, also those that never occur.
    """

    context: NDArray[np.int32]  # (count,)  without the last word
    suffix: NDArray[np.int32]  # (count,)  without the first word
    word: NDArray[np.int32]  # (count,)  the last word
    occurrences: NDArray[np.int64]  # (count,)  in the text; <s>, which is given, has none
    starts: NDArray[np.bool_]  # (count,)  whether the first word is <s>

    def __len__(self) -> int:
        return len(self.word)


def count_ngrams(
    ids: NDArray[np.int32], offsets: NDArray[np.int64], order: int, words: int
) -> list[NGramCounts]:
    """Count the n-grams of orders 1 to ``order`` of sentences, their boundaries included.

    Sentence i is ``ids[offsets[i]:offsets[i + 1]]``, of a vocabulary of so many ``words``. As in
    KenLM an empty line is a sentence without words.
    """
    tokens, place = _with_boundaries(ids, offsets)
    counted = tokens[place > 0]
    zeros = np.zeros(words, np.int32)
    unigrams = np.arange(words, dtype=np.int32)
    occurrences = np.bincount(counted, minlength=words)
    counts = [NGramCounts(zeros, zeros, unigrams, occurrences, unigrams == BEGIN)]
    numbers = tokens  # of the n-gram that ends at each place, where there is one
    for length in range(2, order + 1):
        ends = np.flatnonzero(place >= length - 1)
        keys = (numbers[ends - 1].astype(np.int64) << 32) | tokens[ends]
        by_key = np.argsort(keys)
        keys = keys[by_key]
        new = np.ones(len(keys), np.bool_)
        new[1:] = keys[1:] != keys[:-1]
        first = np.flatnonzero(new)
        sample = ends[by_key[first]]  # a place where each n-gram ends
        counts.append(
            NGramCounts(
                (keys[first] >> 32).astype(np.int32),
                numbers[sample],
                tokens[sample],
                np.diff(np.append(first, len(keys))),
                place[sample] == length - 1,
            )
        )
        longer = np.full(len(tokens), -1, np.int32)
        longer[ends[by_key]] = np.cumsum(new) - 1
        numbers = longer
    return counts


def continuations(counts: list[NGramCounts]) -> list[NDArray[np.int64]]:
    """The counts of modified Kneser-Ney: of how many different words stand before an n-gram.

    N-grams of the highest order and those that begin a sentence have nothing before them, and
    keep their number of occurrences (Chen & Goodman 1998).
    """
    adjusted = []
    for shorter, longer in pairwise(counts):
        before = np.bincount(longer.suffix, minlength=len(shorter))
        adjusted.append(np.where(shorter.starts, shorter.occurrences, before))
    return [*adjusted, counts[-1].occurrences]


def _with_boundaries(
    ids: NDArray[np.int32], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The sentences one after another with their boundaries, and each word's place in its own."""
    lengths = np.diff(offsets) + 2
    stops = np.cumsum(lengths)
    starts = stops - lengths
    place = (np.arange(lengths.sum()) - np.repeat(starts, lengths)).astype(np.int32)
    tokens = np.empty(len(place), np.int32)
    inner = np.ones(len(place), np.bool_)
    inner[starts] = inner[stops - 1] = False
    tokens[inner] = ids
    tokens[starts], tokens[stops - 1] = BEGIN, END
    return tokens, place
