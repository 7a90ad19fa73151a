"""Which words of a sentence are translated: the first gap, and bits for the words after it.

With a distortion limit d no word further than d after the first gap can be covered, so the bits
of a coverage fit one machine word however long the sentence; without a limit there are as many
as needed. Coverages are numbered as they appear.
"""

from __future__ import annotations

import numpy as np

from decoding.core.search.compiled import inlined
from decoding.core.search.workspace import COVERAGES

ONE = np.uint64(1)


@inlined
def mix(number):  # type: ignore[no-untyped-def]
    """Scatter the bits of a number, for hashing."""
    mixed = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return mixed ^ (mixed >> np.uint64(32))


@inlined
def covers(coverages, coverage_bits, coverage, position):  # type: ignore[no-untyped-def]
    """Whether a coverage has a word."""
    offset = position - coverages[coverage].gap
    if offset < 0:
        return True
    if offset >= 64 * coverage_bits.shape[1]:
        return False
    return (coverage_bits[coverage, offset >> 6] >> np.uint64(offset & 63)) & ONE != 0


@inlined
def intern_coverage(ws, n, gap, future):  # type: ignore[no-untyped-def]
    """The number of the coverage with this first gap and the bits in ``ws.bits``.

    -1 if there is no more room.
    """
    bits = ws.bits
    mixed = mix(np.uint64(gap + 1))
    for w in range(bits.size):
        mixed = mix(mixed ^ bits[w])
    mask = ws.coverage_slots.size - 1
    slot = np.int64(mixed & np.uint64(mask))
    while True:
        coverage = np.int64(ws.coverage_slots[slot])
        if coverage < 0:
            break
        if ws.coverages[coverage].gap == gap:
            same = True
            for w in range(bits.size):
                if ws.coverage_bits[coverage, w] != bits[w]:
                    same = False
                    break
            if same:
                return coverage
        slot = (slot + 1) & mask
    coverage = ws.counters[COVERAGES]
    if coverage == ws.coverages.size:
        return -1
    ws.counters[COVERAGES] += 1
    ws.coverage_slots[slot] = coverage
    ws.coverages[coverage].gap = gap
    ws.coverages[coverage].group = -1
    for w in range(bits.size):
        ws.coverage_bits[coverage, w] = bits[w]
    expected = 0.0
    jumps = 0
    start = gap
    while start < n:
        end = start + 1
        while end < n and not covers(ws.coverages, ws.coverage_bits, coverage, end):
            end += 1
        expected += future[start, end]
        start = end
        while start < n and covers(ws.coverages, ws.coverage_bits, coverage, start):
            start += 1
            jumps += 1
    ws.coverages[coverage].future = expected
    ws.coverages[coverage].jumps = jumps
    return coverage


@inlined
def cover_more(ws, n, coverage, start, end, future):  # type: ignore[no-untyped-def]
    """The coverage with the words ``start`` to ``end`` as well, or -1 if there is no more room."""
    coverages, coverage_bits, bits = ws.coverages, ws.coverage_bits, ws.bits
    old_gap = coverages[coverage].gap
    gap = old_gap
    if start == gap:
        gap = end + 1
        while gap < n and covers(coverages, coverage_bits, coverage, gap):
            gap += 1
    for w in range(bits.size):
        bits[w] = 0
    shift = gap - old_gap
    width = coverage_bits.shape[1]
    for w in range(bits.size):
        low = w + (shift >> 6)
        if low < width:
            bits[w] = coverage_bits[coverage, low] >> np.uint64(shift & 63)
        if shift & 63 and low + 1 < width:
            bits[w] |= coverage_bits[coverage, low + 1] << np.uint64(64 - (shift & 63))
    for position in range(max(start, gap), end + 1):
        offset = position - gap
        bits[offset >> 6] |= ONE << np.uint64(offset & 63)
    return intern_coverage(ws, n, gap, future)
