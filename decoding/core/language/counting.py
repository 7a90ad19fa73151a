"""Counting the n-grams of a text by sorting: arrays only, no dictionaries.

An n-gram is a pair of its context's number, among the n-grams one word shorter, and its last
word. So each order costs one sort of as many 64-bit keys as the text has words. Keys are sorted
range by range, a few million at a time, and everything that grows with the text lies in a `Room`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from decoding.core.language.vocabulary import BEGIN, END
from decoding.core.room import MEMORY, Room

_KEYS_AT_ONCE = 2_000_000  # about 60 MB while they are sorted
_SAMPLE = 1 << 16


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
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    order: int,
    words: int,
    *,
    room: Room = MEMORY,
    at_once: int = _KEYS_AT_ONCE,
) -> list[NGramCounts]:
    """Count the n-grams of orders 1 to ``order`` of sentences, their boundaries included.

    Sentence i is ``ids[offsets[i]:offsets[i + 1]]``, of a vocabulary of so many ``words``. As in
    KenLM an empty line is a sentence without words.
    """
    length = len(ids) + 2 * (len(offsets) - 1)
    tokens, place = room.empty(length, np.int32), room.empty(length, np.int32)
    _add_boundaries(ids, offsets, tokens, place)
    occurrences = np.zeros(words, np.int64)
    _count_words(tokens, place, occurrences)
    zeros, unigrams = np.zeros(words, np.int32), np.arange(words, dtype=np.int32)
    counts = [NGramCounts(zeros, zeros, unigrams, occurrences, unigrams == BEGIN)]
    numbers = tokens  # of the n-gram that ends at each place, where there is one
    for n in range(2, order + 1):
        level, numbers = _count_longer(tokens, place, numbers, n, room, at_once)
        counts.append(level)
    return counts


def continuations(counts: list[NGramCounts], room: Room = MEMORY) -> list[NDArray[np.int64]]:
    """The counts of modified Kneser-Ney: of how many different words stand before an n-gram.

    N-grams of the highest order and those that begin a sentence have nothing before them, and
    keep their number of occurrences (Chen & Goodman 1998).
    """
    adjusted = []
    for shorter, longer in pairwise(counts):
        before = room.full(len(shorter), 0, np.int64)
        _count_before(longer.suffix, shorter.starts, shorter.occurrences, before)
        adjusted.append(before)
    return [*adjusted, counts[-1].occurrences]


def _count_longer(
    tokens: NDArray[np.int32],
    place: NDArray[np.int32],
    numbers: NDArray[np.int32],
    n: int,
    room: Room,
    at_once: int,
) -> tuple[NGramCounts, NDArray[np.int32]]:
    """The n-grams of one order, and the number of the one that ends at each place, or -1.

    ``numbers`` are those of the n-grams one word shorter.
    """
    longer = room.full(len(tokens), -1, np.int32)
    most = len(tokens)
    context, suffix, word = (room.empty(most, np.int32) for _ in range(3))
    occurrences, starts = room.empty(most, np.int64), room.empty(most, np.bool_)
    count = 0
    for low, high in _ranges(tokens, place, numbers, n, at_once):
        keys, ends = _keys_between(tokens, place, numbers, n, low, high)
        by_key = np.argsort(keys)
        count = _number_range(
            keys[by_key], ends[by_key], tokens, place, numbers, n, count, longer,
            context, suffix, word, occurrences, starts,
        )  # fmt: skip
    level = NGramCounts(
        context[:count], suffix[:count], word[:count], occurrences[:count], starts[:count]
    )
    return level, longer


def _ranges(
    tokens: NDArray[np.int32],
    place: NDArray[np.int32],
    numbers: NDArray[np.int32],
    n: int,
    at_once: int,
) -> list[tuple[int, int]]:
    """Ranges of keys that cut the text's into parts of about ``at_once``, judged by a sample."""
    last = np.iinfo(np.int64).max
    parts = -(-len(tokens) // at_once)
    if parts < 2:
        return [(0, last)]
    ends = np.unique(np.linspace(1, len(tokens) - 1, _SAMPLE).astype(np.int64))
    ends = ends[place[ends] >= n - 1]
    keys = np.sort((numbers[ends - 1].astype(np.int64) << 32) | tokens[ends])
    cuts = keys[np.linspace(0, len(keys), parts, endpoint=False).astype(np.int64)[1:]]
    return list(pairwise([0, *np.unique(cuts).tolist(), last]))


@njit(cache=True, nogil=True)
def _add_boundaries(ids, offsets, tokens, place):  # type: ignore[no-untyped-def]
    """Fill the sentences with their boundaries, and each word's place in its own."""
    at = 0
    for s in range(len(offsets) - 1):
        first, stop = offsets[s], offsets[s + 1]
        tokens[at], place[at] = BEGIN, 0
        for k in range(first, stop):
            tokens[at + 1 + k - first], place[at + 1 + k - first] = ids[k], 1 + k - first
        at += stop - first + 2
        tokens[at - 1], place[at - 1] = END, stop - first + 1


@njit(cache=True, nogil=True)
def _count_words(tokens, place, occurrences):  # type: ignore[no-untyped-def]
    for k in range(len(tokens)):
        if place[k] > 0:
            occurrences[tokens[k]] += 1


@njit(cache=True, nogil=True)
def _count_before(suffix, starts, occurrences, before):  # type: ignore[no-untyped-def]
    for k in range(len(suffix)):
        before[suffix[k]] += 1
    for k in range(len(before)):
        if starts[k]:
            before[k] = occurrences[k]


@njit(cache=True, nogil=True)
def _keys_between(tokens, place, numbers, n, low, high):  # type: ignore[no-untyped-def]
    """The keys from ``low`` to before ``high``, and the places where their n-grams end."""
    found = 0
    for k in range(1, len(tokens)):
        if place[k] >= n - 1:
            key = (np.int64(numbers[k - 1]) << 32) | np.int64(tokens[k])
            found += low <= key < high
    keys, ends = np.empty(found, np.int64), np.empty(found, np.int64)
    filled = 0
    for k in range(1, len(tokens)):
        if place[k] >= n - 1:
            key = (np.int64(numbers[k - 1]) << 32) | np.int64(tokens[k])
            if low <= key < high:
                keys[filled], ends[filled] = key, k
                filled += 1
    return keys, ends


@njit(cache=True, nogil=True)
def _number_range(  # type: ignore[no-untyped-def]
    keys, ends, tokens, place, numbers, n, count, longer, context, suffix, word, occurrences, starts
):
    """Enter the n-grams of sorted keys behind the ``count`` there are; how many then."""
    for k in range(len(keys)):
        end = ends[k]
        if k == 0 or keys[k] != keys[k - 1]:
            context[count], word[count] = keys[k] >> 32, tokens[end]
            suffix[count] = numbers[end]
            occurrences[count], starts[count] = 0, place[end] == n - 1
            count += 1
        occurrences[count - 1] += 1
        longer[end] = count - 1
    return count
