"""BLEU and BLEU+1: statistics -> sum -> score, each step a function of its own.

The sufficient statistics of a hypothesis are a row of 2N+2 integers:

    matches of order 1..N, n-grams of order 1..N, its length, the closest reference length

Rows add up. `sentence_bleu1` scores rows as sentences, `bleu` scores sums of rows as corpora;
intervals, tuners and decoders sum and score them as they like.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evaluation.core.errors import InputError
from evaluation.core.metrics.references import References, closest_length, find_gram
from evaluation.core.metrics.words import OffsetArray, SentenceLists, check_not_empty

StatisticsArray = NDArray[np.int32]
FloatArray = NDArray[np.float64]

Smoothing = Literal["exp", "none"]


def check_same_sentences(offsets: OffsetArray, referenced: int) -> None:
    """Raise unless there are lists for as many sentences as have references, and none is empty."""
    listed = len(offsets) - 1
    if listed != referenced:
        raise InputError(
            f"there are translations of {listed} sentences and references for {referenced}: "
            f"sentence {min(listed, referenced) + 1} has no "
            f"{'references' if referenced < listed else 'translations'}",
            hint="Both must be of the same sentences, in the same order.",
        )
    check_not_empty(offsets, "translation")


def sentence_statistics(lists: SentenceLists, references: References) -> StatisticsArray:
    """BLEU's sufficient statistics of each sentence of each list (ALGORITHMS B1).

    Returns (H, 2N+2) integers, H the number of all sentences in all lists. A single system's
    output is lists of length one.
    """
    check_same_sentences(lists.offsets, references.sentences)
    sentences = lists.sentences
    order = references.totals.shape[1]
    statistics = np.zeros((len(sentences), 2 * order + 2), np.int32)
    _fill_statistics(sentences.words, sentences.offsets, lists.offsets, references, statistics)
    return statistics


def sentence_bleu1(statistics: NDArray[np.integer]) -> FloatArray:
    """BLEU+1 of each row of statistics, 0..100 (ALGORITHMS B2; Lin & Och 2004).

    Equal to sacrebleu's sentence BLEU with add-k smoothing, k = 1.
    """
    return apply_score(statistics, bleu1_score)


def bleu(statistics: NDArray[np.integer], smoothing: Smoothing = "exp") -> FloatArray:
    """BLEU of each row of *summed* statistics, 0..100 (ALGORITHMS B1; Papineni et al. 2002).

    ``smoothing`` matters only where some order has no match at all: "exp", the default of
    sacrebleu, halves such precisions one after the other; "none" gives 0.
    """
    if smoothing not in ("exp", "none"):
        raise InputError(f"there is no smoothing {smoothing!r}", hint='Choose "exp" or "none".')
    return apply_score(statistics, bleu_score if smoothing == "exp" else bleu_score_unsmoothed)


def corpus_bleu(statistics: NDArray[np.integer], smoothing: Smoothing = "exp") -> float:
    """BLEU of the corpus whose sentences have these statistics, 0..100 (ALGORITHMS B1)."""
    return float(bleu(statistics.sum(axis=0, dtype=np.int64), smoothing))


def apply_score(
    statistics: NDArray[np.integer] | FloatArray, score: Callable[..., float]
) -> FloatArray:
    """Apply a scoring kernel, such as `bleu_score`, along the last axis: (..., 2N+2) -> (...)."""
    rows = np.ascontiguousarray(statistics).reshape(-1, statistics.shape[-1])
    scores = np.empty(len(rows))
    _score_rows(rows, score, scores)
    return scores.reshape(statistics.shape[:-1])


@njit(cache=True, nogil=True)
def brevity_penalty(length, reference_length):  # type: ignore[no-untyped-def]
    """1, or less for a hypothesis shorter than its reference (Papineni et al. 2002, 2.2.2)."""
    if length >= reference_length:
        return 1.0
    return np.exp(1.0 - reference_length / length) if length > 0 else 0.0


@njit(cache=True, nogil=True)
def bleu1_score(row):  # type: ignore[no-untyped-def]
    """BLEU+1 of one row of statistics, 0..100; for kernels (ALGORITHMS B2)."""
    order = (len(row) - 2) // 2
    if row[0] == 0:
        return 0.0
    product = row[0] / row[order]
    for n in range(1, order):
        product *= (row[n] + 1.0) / (row[order + n] + 1.0)
    return 100.0 * brevity_penalty(row[2 * order], row[2 * order + 1]) * product ** (1.0 / order)


@njit(cache=True, nogil=True)
def bleu_score(row):  # type: ignore[no-untyped-def]
    """BLEU of one row of summed statistics, 0..100, smoothed as sacrebleu does; for kernels."""
    order = (len(row) - 2) // 2
    if row[0] == 0:
        return 0.0
    product = 1.0
    halving = 1.0
    for n in range(order):
        if row[order + n] == 0:
            return 0.0
        if row[n] == 0:
            halving *= 2.0
            product /= halving * row[order + n]
        else:
            product *= row[n] / row[order + n]
    return 100.0 * brevity_penalty(row[2 * order], row[2 * order + 1]) * product ** (1.0 / order)


@njit(cache=True, nogil=True)
def bleu_score_unsmoothed(row):  # type: ignore[no-untyped-def]
    """BLEU of one row of summed statistics, 0 where an order has no match; for kernels."""
    order = (len(row) - 2) // 2
    for n in range(order):
        if row[n] == 0:
            return 0.0
    return bleu_score(row)


# Not cached: numba's files of kernels that are given a kernel cannot always be added to by another
# process ("underlying object has vanished").
@njit(nogil=True)
def _score_rows(rows, score, scores):  # type: ignore[no-untyped-def]
    """Fill scores."""
    for h in range(len(rows)):
        scores[h] = score(rows[h])


@njit(cache=True, nogil=True)
def match_grams(words, start, end, references, s, seen, grams, orders):  # type: ignore[no-untyped-def]
    """Match the n-grams of words[start:end] with those of the references of s, clipped.

    ``seen`` (at least as long as s has n-grams) says how often each was matched already, and is
    counted on. Each match is noted in ``grams`` (which n-gram of s) and ``orders`` (its words
    less one); both must hold N * (end - start). Returns the number of matches.
    """
    keys, nodes = references.keys, references.grams
    first = references.slot_offsets[s]
    mask = references.slot_offsets[s + 1] - first - 1
    limits = references.counts[references.gram_offsets[s] : references.gram_offsets[s + 1]]
    order = references.totals.shape[1]
    matches = 0
    for i in range(start, end):
        gram = -1
        for n in range(min(order, end - i)):
            gram = find_gram(keys, nodes, first, mask, gram, words[i + n])
            if gram < 0:
                break
            if seen[gram] < limits[gram]:
                seen[gram] += 1
                grams[matches] = gram
                orders[matches] = n
                matches += 1
    return matches


@njit(cache=True, nogil=True)
def _fill_statistics(words, offsets, lists, references, statistics):  # type: ignore[no-untyped-def]
    """Fill the rows of statistics, list by list."""
    order = (statistics.shape[1] - 2) // 2
    seen, grams, orders = matching_room(offsets, references)
    for s in range(len(lists) - 1):
        for h in range(lists[s], lists[s + 1]):
            row = statistics[h]
            length = offsets[h + 1] - offsets[h]
            matches = match_grams(
                words, offsets[h], offsets[h + 1], references, s, seen, grams, orders
            )
            for i in range(matches):
                row[orders[i]] += 1
                seen[grams[i]] = 0
            for n in range(order):
                row[order + n] = max(length - n, 0)
            row[2 * order] = length
            row[2 * order + 1] = closest_length(references, s, length)


@njit(cache=True, nogil=True)
def matching_room(offsets, references):  # type: ignore[no-untyped-def]
    """Arrays for `match_grams` that suffice for any of the sentences: seen, grams, orders."""
    longest = np.diff(offsets).max() if len(offsets) > 1 else 0
    most = references.totals.shape[1] * longest
    seen = np.diff(references.gram_offsets).max() if len(references.gram_offsets) > 1 else 0
    return np.zeros(seen, np.int32), np.empty(most, np.int32), np.empty(most, np.int32)
