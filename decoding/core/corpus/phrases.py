"""From occurrences of phrase pairs to counts, with bounded memory.

Occurrences go to disk in shards by the first two words of the source phrase; since shards are
ranges and word numbers follow byte order, the shards one after the other are the whole table in
Moses's order. How often a *target* phrase occurs is summed up in shards by its own first words,
and read back alongside. Memory holds one shard at a time, whatever the size of the corpus.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.bitext import Bitext, blocks
from decoding.core.corpus.extract import (
    BACKWARD_SHIFT,
    COLUMNS,
    FORWARD_SHIFT,
    LINK_BITS,
    LONGEST,
    ExtractionOptions,
    OccurrenceArray,
    extract_phrases,
    occurrence_bits,
)
from decoding.core.corpus.links import Links

IntArray = npt.NDArray[np.int64]
Progress = Callable[[float], None]

OCCURRENCES_PER_SHARD = 1_000_000  # 64 MB on disk, some 300 MB while it is counted
_SAMPLE_RANGES, _SAMPLE_SENTENCES = 64, 100


@dataclass(frozen=True, slots=True)
class PhrasePairs:
    """Distinct phrase pairs with their counts, in the order of Moses's tables."""

    sources: npt.NDArray[np.int32]  # (S, LONGEST) distinct source phrases, in order
    targets: npt.NDArray[np.int32]  # (T, LONGEST) distinct target phrases, in order
    source: IntArray  # (P,) row of sources
    target: IntArray  # (P,) row of targets
    count: IntArray  # (P,) c(s, t)
    links: IntArray  # (P,) the most frequent links; ties go to the greatest by target word
    inverse_links: IntArray  # (P,) the same with ties to the greatest by source word
    orientations: npt.NDArray[np.int32]  # (P, 6) backward m, s, d, forward m, s, d
    source_count: IntArray  # (P,) c(s)
    source_fanout: IntArray  # (P,) how many target phrases s has
    target_count: IntArray  # (P,) c(t); 0 while it is not known
    target_fanout: IntArray  # (P,) how many source phrases t has
    target_number: IntArray  # (P,) place of t among all target phrases, in order
    ends: IntArray  # (2,) the numbers that pad source and target phrases

    def __len__(self) -> int:
        """How many pairs."""
        return len(self.count)


@dataclass(frozen=True, slots=True)
class CountedPhrases:
    """All phrase pairs of a corpus, in files."""

    shards: tuple[Path, ...]  # of `PhrasePairs`, in order, for `load_pairs`
    targets: Path  # every target phrase once, in order: rows of LONGEST numbers
    pairs: int
    occurrences: int
    source_phrases: int
    target_phrases: int

    def load(self) -> Iterator[PhrasePairs]:
        """The shards, one by one."""
        return map(load_pairs, self.shards)

    def target_blocks(self, rows: int = 1 << 20) -> Iterator[npt.NDArray[np.int32]]:
        """The target phrases, so many at a time."""
        with self.targets.open("rb") as file:
            while len(block := np.fromfile(file, np.int32, rows * LONGEST)):
                yield block.reshape(-1, LONGEST)


def group_occurrences(occurrences: OccurrenceArray, ends: tuple[int, int]) -> PhrasePairs:
    """Count distinct pairs. Target counts are those within ``occurrences``.

    ``ends``: the numbers of the end mark on the source and on the target side.
    """
    sources, source_of = distinct_phrases(occurrences[:, :LONGEST])
    targets, target_of = distinct_phrases(occurrences[:, LONGEST : 2 * LONGEST])
    keys = source_of << 32 | target_of
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    firsts = np.flatnonzero(np.diff(keys, prepend=-1))
    bits = occurrence_bits(occurrences)[order]
    count = np.diff(np.append(firsts, len(keys)))
    links, inverse_links, orientations = _summarize(bits, np.append(firsts, len(keys)))
    source, target = keys[firsts] >> 32, keys[firsts] & 0xFFFFFFFF
    return PhrasePairs(
        sources=sources,
        targets=targets,
        source=source,
        target=target,
        count=count,
        links=links,
        inverse_links=inverse_links,
        orientations=orientations,
        source_count=_sum_by(source, count)[source],
        source_fanout=np.bincount(source)[source],
        target_count=_sum_by(target, count)[target],
        target_fanout=np.bincount(target)[target],
        target_number=target,
        ends=np.array(ends),
    )


def count_phrases(
    bitext: Bitext,
    links: Links,
    folder: Path,
    options: ExtractionOptions | None = None,
    *,
    occurrences_per_shard: int = OCCURRENCES_PER_SHARD,
    progress: Progress | None = None,
) -> CountedPhrases:
    """Extract and count all phrase pairs, into files in ``folder``."""
    options = options or ExtractionOptions()
    folder.mkdir(parents=True, exist_ok=True)
    source_splits, target_splits = _plan_shards(bitext, links, options, occurrences_per_shard)
    raw = [folder / f"occurrences.{k}" for k in range(len(source_splits) + 1)]
    with _ShardFiles(raw) as files:
        for start, stop in blocks(bitext, words=200_000):
            occurrences = extract_phrases(bitext, links, start, stop, options)
            files.append(_shard_of(occurrences[:, :2], source_splits), occurrences)
            if progress:
                progress(0.6 * stop / len(bitext))
    shards = []
    pair_count = occurrence_count = source_phrases = 0
    by_target = [folder / f"targets.{k}" for k in range(len(target_splits) + 1)]
    with _ShardFiles(by_target) as files:
        for k, path in enumerate(raw):
            occurrences = np.fromfile(path, np.int32).reshape(-1, COLUMNS)
            pairs = group_occurrences(occurrences, (bitext.source.end, bitext.target.end))
            path.unlink()
            pair_count += len(pairs)
            occurrence_count += len(occurrences)
            source_phrases += len(pairs.sources)
            shards.append(folder / f"pairs.{k}.npz")
            save_pairs(shards[-1], pairs)
            words = pairs.targets[pairs.target]
            rows = np.hstack([words, pairs.count.astype(np.int32)[:, None]])
            files.append(_shard_of(words[:, :2], target_splits), rows)
            if progress:
                progress(0.6 + 0.3 * (k + 1) / len(raw))
    targets = folder / "targets"
    target_phrases = _sum_targets(by_target, targets)
    _share_target_counts(shards, by_target, target_splits)
    if progress:
        progress(1.0)
    return CountedPhrases(
        tuple(shards), targets, pair_count, occurrence_count, source_phrases, target_phrases
    )


def load_pairs(path: Path) -> PhrasePairs:
    """A shard that `count_phrases` wrote."""
    with np.load(path) as arrays:
        return PhrasePairs(**{name: arrays[name] for name in arrays.files})


def phrase_texts(
    rows: npt.NDArray[np.int32], vocabulary: tuple[str, ...], end: int
) -> Iterator[str]:
    """Phrases as text, words parted by blanks."""
    for row in rows.tolist():
        yield " ".join([vocabulary[w] for w in row if w != end])


def save_pairs(path: Path, pairs: PhrasePairs) -> None:
    """Write a shard for `load_pairs`."""
    with path.open("wb") as file:
        np.savez(file, **{field.name: getattr(pairs, field.name) for field in fields(pairs)})


def select_pairs(pairs: PhrasePairs, rows: IntArray) -> PhrasePairs:
    """Some of the pairs, and only their phrases."""
    sources, source = np.unique(pairs.source[rows], return_inverse=True)
    targets, target = np.unique(pairs.target[rows], return_inverse=True)
    return PhrasePairs(
        sources=pairs.sources[sources],
        targets=pairs.targets[targets],
        source=source,
        target=target,
        count=pairs.count[rows],
        links=pairs.links[rows],
        inverse_links=pairs.inverse_links[rows],
        orientations=pairs.orientations[rows],
        source_count=pairs.source_count[rows],
        source_fanout=pairs.source_fanout[rows],
        target_count=pairs.target_count[rows],
        target_fanout=pairs.target_fanout[rows],
        target_number=pairs.target_number[rows],
        ends=pairs.ends,
    )


def _plan_shards(
    bitext: Bitext, links: Links, options: ExtractionOptions, per_shard: int
) -> tuple[IntArray, IntArray]:
    """Split keys for both sides that cut the occurrences into about equal shards.

    Estimated from sentences in ranges spread evenly over the corpus.
    """
    starts = np.unique(np.linspace(0, len(bitext), _SAMPLE_RANGES, endpoint=False).astype(int))
    gap = int(np.diff(starts, append=len(bitext)).min())
    length = min(_SAMPLE_SENTENCES, gap)
    sample = np.vstack(
        [extract_phrases(bitext, links, s, s + length, options) for s in starts.tolist()]
    )
    offsets = bitext.source.offsets
    sampled = (offsets[starts + length] - offsets[starts]).sum()
    estimate = len(sample) * float(offsets[-1]) / float(sampled)
    shards = int(np.ceil(estimate / per_shard))
    if shards < 2 or len(sample) == 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    places = np.linspace(0, len(sample), shards, endpoint=False).astype(int)[1:]
    source_keys, target_keys = (
        np.unique(np.sort(_prefix_keys(sample[:, first : first + 2]))[places])
        for first in (0, LONGEST)
    )
    return source_keys, target_keys


def _prefix_keys(first_two: npt.NDArray[np.int32]) -> IntArray:
    return first_two[:, 0].astype(np.int64) << 32 | first_two[:, 1]


def _shard_of(first_two: npt.NDArray[np.int32], splits: IntArray) -> IntArray:
    """Which range each phrase's first two words fall into."""
    return np.searchsorted(splits, _prefix_keys(first_two), side="right")


class _ShardFiles:
    """Open files, one a shard, to which rows are appended."""

    def __init__(self, paths: list[Path]) -> None:
        self._files: list[BinaryIO] = [path.open("wb") for path in paths]

    def __enter__(self) -> _ShardFiles:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()

    def append(self, shard: IntArray, rows: npt.NDArray[np.int32]) -> None:
        """Append every row to its shard's file, rows of a shard in the order given."""
        order = np.argsort(shard, kind="stable")
        bounds = np.searchsorted(shard[order], np.arange(len(self._files) + 1))
        for k, file in enumerate(self._files):
            if bounds[k] < bounds[k + 1]:
                file.write(rows[order[bounds[k] : bounds[k + 1]]].tobytes())


def _sum_targets(paths: list[Path], targets: Path) -> int:
    """Turn each file of (target phrase, count) rows into rows of (c(t), fanout and number of t).

    Writes the distinct phrases to ``targets``; how many there are.
    """
    numbered = 0
    with targets.open("wb") as file:
        for path in paths:
            rows = np.fromfile(path, np.int32).reshape(-1, LONGEST + 1)
            phrases, phrase = distinct_phrases(rows[:, :LONGEST])
            file.write(phrases.tobytes())
            totals = _sum_by(phrase, rows[:, LONGEST])
            fanout = np.bincount(phrase, minlength=len(totals))
            sums = [totals[phrase], fanout[phrase], numbered + phrase]
            np.stack(sums, axis=1).astype(np.int64).tofile(path)
            numbered += len(phrases)
    return numbered


def _share_target_counts(shards: list[Path], by_target: list[Path], splits: IntArray) -> None:
    """Bring the sums back to the pairs: each file holds the shards' rows one after the other."""
    taken = [0] * len(by_target)
    for shard in shards:
        pairs = load_pairs(shard)
        place = _shard_of(pairs.targets[pairs.target][:, :2], splits)
        for k, path in enumerate(by_target):
            here = np.flatnonzero(place == k)
            sums = np.fromfile(path, np.int64, 3 * len(here), offset=24 * taken[k]).reshape(-1, 3)
            taken[k] += len(here)
            pairs.target_count[here] = sums[:, 0]
            pairs.target_fanout[here] = sums[:, 1]
            pairs.target_number[here] = sums[:, 2]
        save_pairs(shard, pairs)
    for path in by_target:
        path.unlink()


def _sum_by(group: IntArray, values: npt.NDArray[Any]) -> IntArray:
    """The sum of ``values`` in each group; exact, for counts stay far below 2**53."""
    return np.bincount(group, weights=values).astype(np.int64)


def distinct_phrases(rows: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.int32], IntArray]:
    """Distinct rows in order, and each row's place among them."""
    firsts, number = _intern(rows)
    distinct = rows[firsts]
    order = np.lexsort(distinct.T[::-1])
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return np.ascontiguousarray(distinct[order]), place[number]


@njit(cache=True, nogil=True)
def _intern(rows: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Number distinct rows as they come: the first row of each, and the number of every row."""
    n = len(rows)
    size = 16
    while size < 2 * n:
        size *= 2
    mask = size - 1
    table = np.full(size, -1, np.int64)
    firsts = np.empty(n, np.int64)
    number = np.empty(n, np.int64)
    distinct = 0
    for r in range(n):
        mixed = np.uint64(0x9E3779B97F4A7C15)
        for k in range(LONGEST):
            mixed = (mixed ^ np.uint64(rows[r, k])) * np.uint64(0xBF58476D1CE4E5B9)
            mixed ^= mixed >> np.uint64(29)
        slot = np.int64(mixed >> np.uint64(20)) & mask
        while True:
            known = table[slot]
            if known < 0:
                table[slot] = distinct
                firsts[distinct] = r
                number[r] = distinct
                distinct += 1
                break
            same = True
            for k in range(LONGEST):
                if rows[firsts[known], k] != rows[r, k]:
                    same = False
                    break
            if same:
                number[r] = known
                break
            slot = (slot + 1) & mask
    return firsts[:distinct].copy(), number


@njit(cache=True, nogil=True)
def _summarize(bits: Any, bounds: Any) -> tuple[Any, Any, Any]:
    """The most frequent links of every pair both ways, and its counts of orientations."""
    pairs = len(bounds) - 1
    links = np.zeros(pairs, np.int64)
    inverse_links = np.zeros(pairs, np.int64)
    orientations = np.zeros((pairs, 6), np.int32)
    for p in range(pairs):
        for k in range(bounds[p], bounds[p + 1]):
            orientations[p, bits[k] >> BACKWARD_SHIFT & 3] += 1
            orientations[p, 3 + (bits[k] >> FORWARD_SHIFT & 3)] += 1
        masks = np.sort(bits[bounds[p] : bounds[p + 1]] & LINK_BITS)
        best = best_inverse = np.int64(-1)
        most = 0
        start = 0
        for k in range(1, len(masks) + 1):
            if k < len(masks) and masks[k] == masks[start]:
                continue
            mask, times = masks[start], k - start
            start = k
            if times > most:
                best = best_inverse = mask
                most = times
            elif times == most:
                if _greater(mask, best, LONGEST, 1):
                    best = mask
                if _greater(mask, best_inverse, 1, LONGEST):
                    best_inverse = mask
        links[p] = best
        inverse_links[p] = best_inverse
    return links, inverse_links, orientations


@njit(cache=True, nogil=True)
def _greater(a: Any, b: Any, word_step: int, link_step: int) -> bool:
    """Whether links ``a`` come after ``b`` in Moses's order.

    They compare word by word, and a word's links as ascending lists, a prefix first.
    """
    for word in range(LONGEST):
        for k in range(LONGEST):
            bit = word * word_step + k * link_step
            in_a, in_b = a >> bit & 1, b >> bit & 1
            if in_a == in_b:
                continue
            # The list without this link goes on with a greater one, or has ended before.
            other = b if in_a else a
            goes_on = False
            for later in range(k + 1, LONGEST):
                if other >> (word * word_step + later * link_step) & 1:
                    goes_on = True
            return goes_on if in_b else not goes_on
    return False
