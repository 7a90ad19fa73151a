"""Lexical translation probabilities from a word alignment, and lexical weights (Koehn 2003)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.bitext import Bitext, blocks
from decoding.core.corpus.extract import LONGEST
from decoding.core.corpus.links import Links
from evaluation.core.errors import InputError

# Moses writes these probabilities with seven decimals and reads them again before it weighs
# phrases, so its lexical weights can only be had from the rounded ones.
_DECIMALS = 7


@dataclass(frozen=True, slots=True)
class LexicalTable:
    """w(target word | source word) and w(source word | target word), for all linked words.

    A pair's key is (source + 1) * 2**32 + target + 1, where 0 in place of a word's number + 1
    stands for NULL: what an unlinked word on the other side is linked to.
    """

    keys: npt.NDArray[np.int64]  # (P,) ascending
    target_given_source: npt.NDArray[np.float64]  # (P,)
    source_given_target: npt.NDArray[np.float64]  # (P,)


def lexical_table(bitext: Bitext, links: Links) -> LexicalTable:
    """Relative frequencies of links: c(s, t) / c(s) and c(s, t) / c(t), seven decimals kept."""
    keys = np.empty(0, np.int64)
    counts = np.empty(0, np.int64)
    for start, stop in blocks(bitext):
        new = _linked_words(
            np.asarray(bitext.source.words),
            bitext.source.offsets,
            np.asarray(bitext.target.words),
            bitext.target.offsets,
            links.points,
            links.offsets,
            start,
            stop,
        )
        distinct, times = np.unique(new, return_counts=True)
        merged, place = np.unique(np.concatenate([keys, distinct]), return_inverse=True)
        both = np.concatenate([counts, times])
        keys = merged
        counts = np.bincount(place, weights=both, minlength=len(merged)).astype(np.int64)
    source, target = keys >> 32, keys & 0xFFFFFFFF
    return LexicalTable(keys, _relative_to(source, counts), _relative_to(target, counts))


def read_lexical(
    target_given_source: Iterable[str],
    source_given_target: Iterable[str],
    source_numbers: dict[str, int],
    target_numbers: dict[str, int],
) -> LexicalTable:
    """A table from Moses's two files, ``word given-word probability``; missing entries are 1.

    A table of all words of both vocabularies is meant: words that they lack are passed over.
    """
    values: dict[int, list[float]] = {}
    files = ((target_given_source, True), (source_given_target, False))
    for column, (lines, target_first) in enumerate(files):
        for number, line in enumerate(lines, start=1):
            fields = line.split()
            if len(fields) != 3:
                raise InputError(f"expected 3 fields, found {len(fields)}", line=number)
            target, source = fields[:2] if target_first else fields[1::-1]
            s = source_numbers.get(source, -1 if source == "NULL" else None)
            t = target_numbers.get(target, -1 if target == "NULL" else None)
            if s is not None and t is not None:
                key = (s + 1) << 32 | (t + 1)
                values.setdefault(key, [1.0, 1.0])[column] = float(fields[2])
    keys = np.array(sorted(values), np.int64)
    columns = np.array([values[key] for key in keys.tolist()]).reshape(-1, 2)
    return LexicalTable(keys, columns[:, 0].copy(), columns[:, 1].copy())


def lexical_lines(table: LexicalTable, bitext: Bitext) -> tuple[Iterator[str], Iterator[str]]:
    """The lines of Moses's files lex.f2e (target given source) and lex.e2f, unsorted."""
    source_words = ("NULL", *bitext.source.vocabulary)
    target_words = ("NULL", *bitext.target.vocabulary)
    pairs = [(source_words[k >> 32], target_words[k & 0xFFFFFFFF]) for k in table.keys.tolist()]
    f2e = zip(pairs, table.target_given_source.tolist(), strict=True)
    e2f = zip(pairs, table.source_given_target.tolist(), strict=True)
    return (
        (f"{t} {s} {p:.{_DECIMALS}f}" for (s, t), p in f2e),
        (f"{s} {t} {p:.{_DECIMALS}f}" for (s, t), p in e2f),
    )


def _relative_to(
    given: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    _, place = np.unique(given, return_inverse=True)
    totals = np.bincount(place, weights=counts)
    rounded = np.round(counts / totals[place], _DECIMALS)
    return np.maximum(rounded, 10.0**-_DECIMALS)  # never 0, for its logarithm is wanted


@njit(cache=True, nogil=True)
def _linked_words(
    source: Any, source_offsets: Any, target: Any, target_offsets: Any,
    points: Any, point_offsets: Any, start: int, stop: int,
) -> npt.NDArray[np.int64]:  # fmt: skip
    """The key of every link, and of every unlinked word with NULL."""
    room = (
        point_offsets[stop] - point_offsets[start]
        + source_offsets[stop] - source_offsets[start]
        + target_offsets[stop] - target_offsets[start]
    )  # fmt: skip
    keys = np.empty(room, np.int64)
    filled = 0
    for s in range(start, stop):
        f, e = source_offsets[s], target_offsets[s]
        m, n = source_offsets[s + 1] - f, target_offsets[s + 1] - e
        source_linked = np.zeros(m, np.bool_)
        target_linked = np.zeros(n, np.bool_)
        for k in range(point_offsets[s], point_offsets[s + 1]):
            i, j = points[k, 0], points[k, 1]
            source_linked[i] = target_linked[j] = True
            keys[filled] = (np.int64(source[f + i] + 1) << 32) | np.int64(target[e + j] + 1)
            filled += 1
        for i in range(m):
            if not source_linked[i]:
                keys[filled] = np.int64(source[f + i] + 1) << 32
                filled += 1
        for j in range(n):
            if not target_linked[j]:
                keys[filled] = np.int64(target[e + j] + 1)
                filled += 1
    return keys[:filled]


@njit(cache=True, nogil=True)
def lexical_weight(
    given: Any, predicted: Any, mask: int, source_given: bool, keys: Any, values: Any
) -> float:
    """The lexical weight of a phrase pair under one of its alignments (Koehn et al. 2003).

    The product over predicted words of the mean probability given the words linked to it, or
    given NULL. ``mask`` has bit LONGEST * target + source. An unknown pair counts as 1.
    """
    weight = 1.0
    for j in range(len(predicted)):
        total, linked = 0.0, 0
        for i in range(len(given)):
            bit = j * LONGEST + i if source_given else i * LONGEST + j
            if mask >> bit & 1:
                total += _look_up(given[i], predicted[j], source_given, keys, values)
                linked += 1
        if linked == 0:
            weight *= _look_up(-1, predicted[j], source_given, keys, values)
        else:
            weight *= total / linked
    return weight


@njit(cache=True, nogil=True)
def _look_up(given: int, predicted: int, source_given: bool, keys: Any, values: Any) -> float:
    source, target = (given, predicted) if source_given else (predicted, given)
    key = (np.int64(source + 1) << 32) | np.int64(target + 1)
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < len(keys) and keys[low] == key:
        return float(values[low])
    return 1.0
