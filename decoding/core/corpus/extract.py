"""Phrase pairs consistent with a word alignment (Och and Ney 2004; Koehn, Och and Marcu 2003).

A source and a target span form a phrase pair when no word of either is linked to a word outside
the other, and at least one link lies inside. Unlinked words at the edges make further pairs.

An occurrence is kept in 16 numbers, whatever its lengths, so that files of them are arrays:
seven source words, seven target words (padded with the side's end mark), and 64 bits with the
links inside and the orientation on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.bitext import Bitext
from decoding.core.corpus.links import Links
from evaluation.core.errors import InputError

LONGEST = 7  # words in a phrase: 7 x 7 links and 2 orientations fit into 64 bits
COLUMNS = 2 * LONGEST + 2
LINK_BITS = np.int64((1 << LONGEST * LONGEST) - 1)
BACKWARD_SHIFT, FORWARD_SHIFT = LONGEST * LONGEST, LONGEST * LONGEST + 2
MONOTONE, SWAP, DISCONTINUOUS = 0, 1, 2

OccurrenceArray = npt.NDArray[np.int32]  # (N, COLUMNS)


@dataclass(frozen=True, slots=True)
class ExtractionOptions:
    """Which phrase pairs are taken."""

    longest: int = LONGEST  # words on either side

    def __post_init__(self) -> None:
        """Phrases longer than the format of an occurrence cannot be kept."""
        if not 1 <= self.longest <= LONGEST:
            raise InputError(
                f"phrases of {self.longest} words were asked for",
                hint=f"The longest phrase may have 1 to {LONGEST} words.",
            )


def extract_phrases(
    bitext: Bitext, links: Links, start: int, stop: int, options: ExtractionOptions | None = None
) -> OccurrenceArray:
    """Every occurrence of a phrase pair in the sentence pairs from ``start`` up to ``stop``.

    The orientations are those of Moses's word-based msd model, before and after the phrase.
    """
    options = options or ExtractionOptions()
    source, target = bitext.source, bitext.target
    sides = (
        np.asarray(source.words),
        source.offsets,
        np.asarray(target.words),
        target.offsets,
        links.points,
        links.offsets,
    )
    nothing = np.empty((0, COLUMNS), np.int32)
    count = _extract(*sides, start, stop, options.longest, source.end, target.end, nothing)
    occurrences = np.empty((count, COLUMNS), np.int32)
    _extract(*sides, start, stop, options.longest, source.end, target.end, occurrences)
    return occurrences


def occurrence_bits(occurrences: OccurrenceArray) -> npt.NDArray[np.int64]:
    """The last two columns as the 64 bits that they are: a view, (N,)."""
    return occurrences[:, 2 * LONGEST :].copy().view(np.int64)[:, 0]


def read_extract(
    lines: Iterable[str],
    source_numbers: dict[str, int],
    target_numbers: dict[str, int],
    *,
    inverse: bool = False,
    path: Path | None = None,
) -> OccurrenceArray:
    """Occurrences from a file that Moses's extract wrote, ``source ||| target ||| links``.

    With ``inverse`` the target comes first. Links past a phrase's end are passed over, as Moses
    does. Orientations are unknown and taken as monotone.
    """
    rows: list[list[int]] = []
    bits: list[int] = []
    for number, line in enumerate(lines, start=1):
        fields = [field.split() for field in line.split("|||")]
        if len(fields) < 3:
            raise InputError(
                f"expected 3 fields separated by |||, found {len(fields)}", path=path, line=number
            )
        source, target = (fields[1], fields[0]) if inverse else (fields[0], fields[1])
        if not (0 < len(source) <= LONGEST and 0 < len(target) <= LONGEST):
            raise InputError(
                f"a phrase has no words, or more than {LONGEST}", path=path, line=number
            )
        row = [source_numbers["|||"]] * LONGEST + [target_numbers["|||"]] * LONGEST
        row[: len(source)] = [source_numbers[w] for w in source]
        row[LONGEST : LONGEST + len(target)] = [target_numbers[w] for w in target]
        mask = 0
        for item in fields[2]:
            i, j = map(int, item.split("-"))
            i, j = (j, i) if inverse else (i, j)
            if i < len(source) and j < len(target):
                mask |= 1 << j * LONGEST + i
        rows.append([*row, 0, 0])
        bits.append(mask)
    occurrences = np.array(rows, np.int32).reshape(-1, COLUMNS)
    occurrences[:, 2 * LONGEST :] = np.array(bits, np.int64).view(np.int32).reshape(-1, 2)
    return occurrences


@njit(cache=True, nogil=True)
def _extract(
    source: Any, source_offsets: Any, target: Any, target_offsets: Any,
    points: Any, point_offsets: Any,
    start: int, stop: int, longest: int, source_end: int, target_end: int, out: Any,
) -> int:  # fmt: skip
    """Write occurrences while ``out`` has room, and count them all."""
    found = 0
    bits = np.empty(1, np.int64)
    halves = bits.view(np.int32)
    for s in range(start, stop):
        m = source_offsets[s + 1] - source_offsets[s]
        n = target_offsets[s + 1] - target_offsets[s]
        linked = np.zeros((m, n), np.bool_)
        lowest = np.full(n, m, np.int64)  # the outermost source words of each target word
        highest = np.full(n, -1, np.int64)
        first = np.full(m, n, np.int64)  # and target words of each source word
        last = np.full(m, -1, np.int64)
        for k in range(point_offsets[s], point_offsets[s + 1]):
            i, j = points[k, 0], points[k, 1]
            linked[i, j] = True
            lowest[j], highest[j] = min(lowest[j], i), max(highest[j], i)
            first[i], last[i] = min(first[i], j), max(last[i], j)
        for t0 in range(n):
            low, high = m, -1
            for t1 in range(t0, min(n, t0 + longest)):
                low, high = min(low, lowest[t1]), max(high, highest[t1])
                if high < 0 or high - low >= longest:
                    continue
                consistent = True
                for i in range(low, high + 1):
                    if last[i] >= 0 and (first[i] < t0 or last[i] > t1):
                        consistent = False
                        break
                if not consistent:
                    continue
                s0 = low
                while s0 >= 0 and high - s0 < longest and (s0 == low or last[s0] < 0):
                    s1 = high
                    while s1 < m and s1 - s0 < longest and (s1 == high or last[s1] < 0):
                        if found < len(out):
                            row = out[found]
                            for k in range(LONGEST):
                                row[k] = (
                                    source[source_offsets[s] + s0 + k]
                                    if s0 + k <= s1
                                    else source_end
                                )
                                row[LONGEST + k] = (
                                    target[target_offsets[s] + t0 + k]
                                    if t0 + k <= t1
                                    else target_end
                                )
                            mask = np.int64(0)
                            for j in range(t0, t1 + 1):
                                for i in range(s0, s1 + 1):
                                    if linked[i, j]:
                                        mask |= np.int64(1) << ((j - t0) * LONGEST + i - s0)
                            before = _orientation(linked, s0, s1, t0 - 1, 1)
                            after = _orientation(linked, s1, s0, t1 + 1, -1)
                            mask |= before << BACKWARD_SHIFT | after << FORWARD_SHIFT
                            bits[0] = mask
                            row[2 * LONGEST] = halves[0]
                            row[2 * LONGEST + 1] = halves[1]
                        found += 1
                        s1 += 1
                    s0 -= 1
    return found


@njit(cache=True, nogil=True)
def _orientation(linked: Any, near: int, far: int, t: int, step: int) -> np.int64:
    """Of the phrase with respect to target word ``t`` just outside it.

    Monotone when the link at the corner in reading direction is there and the one at the opposite
    corner is not; swap the other way round; discontinuous otherwise.
    """
    straight = _linked(linked, near - step, t)
    crossed = _linked(linked, far + step, t)
    if straight and not crossed:
        return np.int64(MONOTONE)
    if crossed and not straight:
        return np.int64(SWAP)
    return np.int64(DISCONTINUOUS)


@njit(cache=True, nogil=True)
def _linked(linked: Any, i: int, j: int) -> bool:
    """Whether two words are linked; the sentences' starts are to each other, and their ends."""
    m, n = linked.shape
    if (i == -1 and j == -1) or (i == m and j == n):
        return True
    if not (0 <= i < m and 0 <= j < n):
        return False
    return bool(linked[i, j])
