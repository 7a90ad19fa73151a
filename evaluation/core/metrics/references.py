"""References, indexed once, so that any number of hypotheses can be matched against them.

For each sentence the n-grams of its references form a trie. An n-gram is a node, found from its
first n-1 words' node and its last word by one look into the sentence's own hash table; a
hypothesis that leaves the trie needs no look at longer n-grams. A node holds
c_R(g) = max over the references r of c_r(g), at which BLEU clips and which coverage recalls.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evaluation.core.errors import InputError
from evaluation.core.metrics.words import OffsetArray, SentenceLists, check_not_empty

ORDER = 4  # BLEU's longest n-gram

_NO_GRAM = -1  # the node of the empty n-gram; also "not there"
_FREE = -1  # a key that no n-gram has
_MULTIPLIER = -7046029254386353131  # 2**64 / golden ratio, as a signed number


class References(NamedTuple):
    """The references of S sentences. A named tuple, for kernels take it whole.

    Sentence s owns n-grams ``gram_offsets[s]:gram_offsets[s+1]`` and hash slots
    ``slot_offsets[s]:slot_offsets[s+1]`` (a power of two).
    """

    counts: NDArray[np.int32]  # (G,)  c_R(g)
    gram_offsets: OffsetArray  # (S+1,)
    keys: NDArray[np.int64]  # (C,)  parent node and last word, or _FREE
    grams: NDArray[np.int32]  # (C,)  the n-gram's index within its sentence
    slot_offsets: OffsetArray  # (S+1,)
    totals: NDArray[np.int64]  # (S, N)  sum of c_R(g) over the n-grams of each order
    lengths: NDArray[np.int32]  # (R,)  words in each reference
    offsets: OffsetArray  # (S+1,)  references of s: offsets[s] to offsets[s+1] - 1

    @property
    def sentences(self) -> int:
        """How many sentences have references here."""
        return len(self.offsets) - 1

    @property
    def per_sentence(self) -> str:
        """How many references a sentence has, as signatures write it: a number, or "var"."""
        numbers = np.unique(np.diff(self.offsets))
        return str(numbers[0]) if len(numbers) == 1 else "var"


def check_references(lengths: NDArray[np.integer], offsets: OffsetArray) -> None:
    """Raise unless each sentence has a reference, and each reference a word."""
    check_not_empty(offsets, "reference")
    empty = np.flatnonzero(lengths == 0)
    if len(empty):
        s = np.searchsorted(offsets, empty[0], side="right") - 1
        raise InputError(
            f"reference {empty[0] - offsets[s] + 1} of sentence {s + 1} is empty",
            hint="Fill it in, or leave the sentence out of all files.",
        )


def index_references(references: SentenceLists, order: int = ORDER) -> References:
    """Count the n-grams, n = 1..order, of each sentence's references (ALGORITHMS B1, B3)."""
    sentences = references.sentences
    lengths = np.diff(sentences.offsets)
    check_references(lengths, references.offsets)
    # Room for as many n-grams as there would be if none came twice.
    grams_each = sum(np.maximum(lengths - n, 0) for n in range(order))
    most = np.add.reduceat(grams_each, references.offsets[:-1])
    slots = 2 ** np.ceil(np.log2(2 * most)).astype(np.int64)
    slot_offsets = np.concatenate(([0], np.cumsum(slots))).astype(np.int64)
    keys = np.full(slot_offsets[-1], _FREE, np.int64)
    grams = np.empty(slot_offsets[-1], np.int32)
    counts, gram_offsets, totals = _build(
        sentences.words,
        sentences.offsets,
        references.offsets,
        order,
        most,
        slot_offsets,
        keys,
        grams,
    )
    return References(
        counts,
        gram_offsets,
        keys,
        grams,
        slot_offsets,
        totals,
        lengths.astype(np.int32),
        references.offsets,
    )


@njit(cache=True, nogil=True, inline="always")
def _key(parent, word):  # type: ignore[no-untyped-def]
    """Parent and word in one number, never negative."""
    return ((np.int64(parent) + 1) << 32) | np.int64(word)


@njit(cache=True, nogil=True, inline="always")
def _slot(keys, first, mask, key):  # type: ignore[no-untyped-def]
    """The slot that holds the key, or the free one where it would be put."""
    slot = ((key * _MULTIPLIER) >> 32) & mask
    while keys[first + slot] != key and keys[first + slot] != _FREE:
        slot = (slot + 1) & mask
    return first + slot


@njit(cache=True, nogil=True, inline="always")
def find_gram(keys, grams, first, mask, parent, word):  # type: ignore[no-untyped-def]
    """The node of the n-gram ``parent`` + ``word`` in the table at ``first``, or -1."""
    key = _key(parent, word)
    slot = _slot(keys, first, mask, key)
    return grams[slot] if keys[slot] == key else _NO_GRAM


@njit(cache=True, nogil=True)
def closest_length(references, s, length):  # type: ignore[no-untyped-def]
    """The reference length closest to ``length``; the shorter wins a tie."""
    best = references.lengths[references.offsets[s]]
    for r in range(references.offsets[s] + 1, references.offsets[s + 1]):
        other = references.lengths[r]
        nearer = abs(other - length) - abs(best - length)
        if nearer < 0 or (nearer == 0 and other < best):
            best = other
    return best


@njit(cache=True, nogil=True)
def _build(words, word_offsets, offsets, order, most, slot_offsets, keys, grams):  # type: ignore[no-untyped-def]
    """Fill keys and grams; return counts, gram_offsets and totals."""
    sentences = len(offsets) - 1
    counts = np.zeros(most.sum(), np.int32)
    gram_offsets = np.zeros(sentences + 1, np.int64)
    totals = np.zeros((sentences, order), np.int64)
    here = np.zeros(most.max() if sentences else 0, np.int32)  # c_r(g) of one reference
    used = 0
    for s in range(sentences):
        first = slot_offsets[s]
        mask = slot_offsets[s + 1] - first - 1
        size = 0
        for r in range(offsets[s], offsets[s + 1]):
            here[:size] = 0
            end = word_offsets[r + 1]
            for i in range(word_offsets[r], end):
                gram = _NO_GRAM
                for n in range(min(order, end - i)):
                    key = _key(gram, words[i + n])
                    slot = _slot(keys, first, mask, key)
                    if keys[slot] == _FREE:
                        keys[slot] = key
                        grams[slot] = size
                        here[size] = 0
                        size += 1
                    gram = grams[slot]
                    here[gram] += 1
                    if here[gram] > counts[used + gram]:
                        counts[used + gram] = here[gram]
                        totals[s, n] += 1
        used += size
        gram_offsets[s + 1] = used
    return counts[:used].copy(), gram_offsets, totals
