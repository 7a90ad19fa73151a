"""Drops phrase pairs that may well be together by chance (Johnson, Martin, Foster and Kuhn 2007).

Of N sentence pairs, s occurs in the source of C(s), t in the target of C(t), and both in C(s,t).
Were they independent, C(s,t) would be hypergeometric; the significance of a pair is the negative
logarithm of the probability of so many or more together (Fisher's exact test, one-sided).
A pair whose three counts are 1 has alpha = log N; most pairs are such, and most of them are noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf, lgamma, log
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.bitext import Bitext, Sentences
from decoding.core.corpus.phrases import (
    CountedPhrases,
    PhrasePairs,
    Progress,
    save_pairs,
    select_pairs,
)
from evaluation.core.errors import InputError

IntArray = npt.NDArray[np.int64]
_EPSILON = 1e-4


@dataclass(frozen=True, slots=True)
class PruningOptions:
    """Which pairs are significant enough."""

    # "a+e" drops the pairs whose three counts are 1, "a-e" keeps them; else a number.
    threshold: str = "a+e"

    def limit(self, sentences: int) -> float:
        """The least significance of a pair that is kept."""
        alpha = log(sentences)
        named = {"a+e": alpha + _EPSILON, "a-e": alpha - _EPSILON}
        if self.threshold in named:
            return named[self.threshold]
        try:
            return float(self.threshold)
        except ValueError:
            raise InputError(
                f"{self.threshold!r} is no threshold of significance",
                hint="Give a+e, a-e or a number.",
            ) from None


@dataclass(frozen=True, slots=True)
class PhraseIndex:
    """Where the phrases of one side occur: its word positions, sorted by the eight words there."""

    side: Sentences
    order: npt.NDArray[np.int32]  # (W,) positions, sorted
    sentence: npt.NDArray[np.int32]  # (W,) the sentence of each position


def index_phrases(side: Sentences) -> PhraseIndex:
    """Sort all positions by what follows them up to the end of the sentence (prefix doubling)."""
    lengths = np.diff(side.offsets)
    sentence = np.repeat(np.arange(len(side), dtype=np.int32), lengths)
    end = np.repeat(side.offsets[1:], lengths)
    position = np.arange(len(sentence))
    rank = np.asarray(side.words).astype(np.int64) + 1  # 0 stands for what is past the end
    order = np.argsort(rank, kind="stable")
    for step in (1, 2, 4):
        further = np.where(
            position + step < end, rank[np.minimum(position + step, len(rank) - 1)], 0
        )
        keys = rank << 32 | further
        order = np.argsort(keys, kind="stable")
        rank = np.empty_like(keys)
        rank[order] = np.cumsum(np.diff(keys[order], prepend=-1) != 0)
    return PhraseIndex(side, order.astype(np.int32), sentence)


def significance(
    pairs: PhrasePairs, source: PhraseIndex, target: PhraseIndex
) -> npt.NDArray[np.float64]:
    """The negative log probability that so many sentence pairs hold both, for every pair."""
    sides = []
    for phrases, index, end in (
        (pairs.sources, source, pairs.ends[0]),
        (pairs.targets, target, pairs.ends[1]),
    ):
        words = (np.asarray(index.side.words), index.side.offsets, index.order, index.sentence)
        ranges = _find_ranges(phrases, end, *words)
        sides.append(
            (ranges, _count_sentences(ranges, index.order, index.sentence, len(source.side)))
        )
    (source_ranges, source_count), (target_ranges, target_count) = sides
    both = _count_together(
        pairs.source, pairs.target, pairs.targets, pairs.ends[1],
        source_ranges, source.order, source.sentence,
        target_ranges, target.order, target.sentence,
        np.asarray(target.side.words), target.side.offsets,
    )  # fmt: skip
    return _negative_log_tails(
        both, source_count[pairs.source], target_count[pairs.target], len(source.side)
    )


def prune_phrases(
    counted: CountedPhrases,
    bitext: Bitext,
    options: PruningOptions,
    progress: Progress | None = None,
) -> CountedPhrases:
    """Drop insignificant pairs from the files; probabilities remain those of the whole table."""
    limit = options.limit(len(bitext))
    source, target = index_phrases(bitext.source), index_phrases(bitext.target)
    kept = source_phrases = 0
    for number, (path, pairs) in enumerate(zip(counted.shards, counted.load(), strict=True), 1):
        pairs = select_pairs(pairs, np.flatnonzero(significance(pairs, source, target) >= limit))
        save_pairs(path, pairs)
        kept += len(pairs)
        source_phrases += len(pairs.sources)
        if progress:
            progress(number / len(counted.shards))
    return replace(counted, pairs=kept, source_phrases=source_phrases)


@njit(cache=True, nogil=True)
def _compare(phrase: Any, end: int, words: Any, offsets: Any, position: int, sentence: int) -> int:
    """Whether what is at a position sorts before the phrase (-1), starts with it (0) or after."""
    for k in range(len(phrase)):
        if phrase[k] == end:
            return 0
        if position + k >= offsets[sentence + 1]:
            return -1
        if words[position + k] != phrase[k]:
            return -1 if words[position + k] < phrase[k] else 1
    return 0


@njit(cache=True, nogil=True)
def _find_ranges(
    phrases: Any, end: int, words: Any, offsets: Any, order: Any, sentence: Any
) -> IntArray:
    """The part of ``order`` at which each phrase occurs, (P, 2)."""
    ranges = np.empty((len(phrases), 2), np.int64)
    for p in range(len(phrases)):
        for edge in range(2):
            low, high = 0, len(order)
            while low < high:
                middle = (low + high) // 2
                at = order[middle]
                if _compare(phrases[p], end, words, offsets, at, sentence[at]) < edge:
                    low = middle + 1
                else:
                    high = middle
            ranges[p, edge] = low
    return ranges


@njit(cache=True, nogil=True)
def _count_sentences(ranges: Any, order: Any, sentence: Any, sentences: int) -> IntArray:
    """In how many sentences each phrase occurs."""
    seen = np.full(sentences, -1, np.int64)
    counts = np.zeros(len(ranges), np.int64)
    for p in range(len(ranges)):
        for k in range(ranges[p, 0], ranges[p, 1]):
            s = sentence[order[k]]
            if seen[s] != p:
                seen[s] = p
                counts[p] += 1
    return counts


@njit(cache=True, nogil=True)
def _count_together(
    source: Any, target: Any, targets: Any, target_end: int,
    source_ranges: Any, source_order: Any, source_sentence: Any,
    target_ranges: Any, target_order: Any, target_sentence: Any,
    target_words: Any, target_offsets: Any,
) -> IntArray:  # fmt: skip
    """In how many sentence pairs both phrases of each pair occur; pairs are sorted by source.

    Goes through the occurrences of the target phrase and asks which sentences have the source
    phrase; or, where these are far fewer, looks for the target phrase in each of them.
    """
    sentences = len(target_offsets) - 1
    has_source = np.full(sentences, -1, np.int64)
    counted = np.full(sentences, -1, np.int64)
    both = np.zeros(len(source), np.int64)
    stamped = -1
    for p in range(len(source)):
        first, stop = source_ranges[source[p]]
        if source[p] != stamped:
            stamped = source[p]
            for k in range(first, stop):
                has_source[source_sentence[source_order[k]]] = stamped
        target_first, target_stop = target_ranges[target[p]]
        if target_stop - target_first <= 25 * (stop - first):
            for k in range(target_first, target_stop):
                s = target_sentence[target_order[k]]
                if has_source[s] == stamped and counted[s] != p:
                    counted[s] = p
                    both[p] += 1
            continue
        for k in range(first, stop):
            s = source_sentence[source_order[k]]
            if counted[s] == p:
                continue
            counted[s] = p
            for at in range(target_offsets[s], target_offsets[s + 1]):
                if (
                    _compare(targets[target[p]], target_end, target_words, target_offsets, at, s)
                    == 0
                ):
                    both[p] += 1
                    break
    return both


@njit(cache=True, nogil=True)
def _negative_log_tails(
    both: Any, source_count: Any, target_count: Any, sentences: int
) -> npt.NDArray[np.float64]:
    result = np.empty(len(both))
    for p in range(len(both)):
        result[p] = negative_log_tail(both[p], source_count[p], target_count[p], sentences)
    return result


@njit(cache=True, nogil=True)
def negative_log_tail(k: int, a: int, b: int, n: int) -> float:
    """-log P(X >= k) for X the size of what a and b random members of n have in common."""
    if k <= max(0, a + b - n):
        return 0.0
    if k > min(a, b):
        return inf
    first = (
        lgamma(a + 1) - lgamma(k + 1) - lgamma(a - k + 1)
        + lgamma(n - a + 1) - lgamma(b - k + 1) - lgamma(n - a - b + k + 1)
        - lgamma(n + 1) + lgamma(b + 1) + lgamma(n - b + 1)
    )  # fmt: skip
    total = term = 1.0
    for j in range(k, min(a, b)):
        term *= (a - j) * (b - j) / ((j + 1.0) * (n - a - b + j + 1))
        total += term
        if term < 1e-17 * total and (a - j) * (b - j) < (j + 1.0) * (n - a - b + j + 1):
            break
    return max(-(first + log(total)), 0.0)
