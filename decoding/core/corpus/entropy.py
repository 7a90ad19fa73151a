"""Drops phrase pairs that shorter ones make almost as well (Zens, Stanton and Xu 2012).

What a pair is worth is how much less probable its occurrences are without it: the relative entropy
of the whole table and the pruned one is the sum over pairs of p(s, t) (log p(t|s) - log p'(t|s)),
where p' is that of the best way to put the pair together from two that are kept or made in turn.
The two may follow each other in the same order or in opposite orders. Pairs that nothing makes,
those of a single source word among them, stay. Ling et al. (2012) prune by the same measure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.extract import LONGEST
from decoding.core.corpus.phrases import (
    CountedPhrases,
    Progress,
    load_pairs,
    save_pairs,
    select_pairs,
)
from evaluation.core.errors import InputError

_FULLEST = 0.6  # share of the table's slots used
_EMPTY = np.uint64(0)


@dataclass(frozen=True, slots=True)
class EntropyOptions:
    """Which pairs are worth their place."""

    # The least loss, in nats over all occurrences of a pair in the training text: its share of
    # the relative entropy times the number of occurrences, so it means the same for any corpus.
    threshold: float = 1.0

    def __post_init__(self) -> None:
        """Refuse what is no threshold."""
        if not np.isfinite(self.threshold):
            raise InputError("the threshold of relative entropy must be a finite number")


@dataclass(frozen=True, slots=True)
class _Ways:
    """log p of the best way to make each pair: an open-addressing table of fingerprints."""

    keys: npt.NDArray[np.uint64]  # (T,) T a power of 2
    values: npt.NDArray[np.float32]  # (T,)


def prune_by_entropy(
    counted: CountedPhrases,
    options: EntropyOptions,
    folder: Path,
    progress: Progress | None = None,
) -> CountedPhrases:
    """Drop pairs from the files; probabilities remain those of the whole table.

    Pairs are looked at from the shortest source phrases on, since longer ones are made of them.
    The table of what they are worth, 12 bytes a slot, is a file that is mapped into memory.
    """
    ways = _empty_ways(counted.pairs, folder)
    kept = [np.zeros(0, np.bool_)] * len(counted.shards)
    for length in range(1, LONGEST + 1):
        for number, path in enumerate(counted.shards):
            with np.load(path) as arrays:
                if length == 1:
                    kept[number] = np.ones(len(arrays["count"]), np.bool_)
                _weigh(arrays, length, options.threshold, ways, kept[number])
        if progress:
            progress(length / (LONGEST + 1))
    pairs = source_phrases = 0
    for path, chosen in zip(counted.shards, kept, strict=True):
        left = select_pairs(load_pairs(path), np.flatnonzero(chosen))
        save_pairs(path, left)
        pairs += len(left)
        source_phrases += len(left.sources)
    for path in _files(folder):
        path.unlink()
    if progress:
        progress(1.0)
    return replace(counted, pairs=pairs, source_phrases=source_phrases)


def _files(folder: Path) -> Iterator[Path]:
    return (folder / name for name in ("ways.keys", "ways.values"))


def _empty_ways(pairs: int, folder: Path) -> _Ways:
    size = 16
    while size * _FULLEST < pairs:
        size *= 2
    keys, values = _files(folder)
    return _Ways(
        np.asarray(np.memmap(keys, np.uint64, "w+", shape=(size,))),
        np.asarray(np.memmap(values, np.float32, "w+", shape=(size,))),
    )


def _weigh(
    arrays: Any, length: int, threshold: float, ways: _Ways, kept: npt.NDArray[np.bool_]
) -> None:
    """Decide on a shard's pairs whose source phrase has so many words, and enter them all."""
    sources, targets, source, target = (
        arrays[name] for name in ("sources", "targets", "source", "target")
    )
    ends = arrays["ends"]
    lengths = (sources != ends[0]).sum(axis=1)
    rows = np.flatnonzero(lengths[source] == length)
    if not len(rows):
        return
    count = arrays["count"][rows]
    direct = np.log(count / arrays["source_count"][rows])
    target_lengths = (targets != ends[1]).sum(axis=1)
    made = np.empty(len(rows))
    _best_ways(
        sources, targets, source[rows], target[rows], length, target_lengths, ways.keys,
        ways.values, made,
    )  # fmt: skip
    with np.errstate(invalid="ignore"):
        kept[rows] = ~(count * (direct - made) < threshold)
    worth = np.where(kept[rows], np.maximum(direct, made), made)
    _enter(
        sources, targets, source[rows], target[rows], length, target_lengths, worth, ways.keys,
        ways.values,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _fingerprint(phrase: Any, start: int, stop: int) -> Any:
    mixed = np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(stop - start)
    for k in range(start, stop):
        mixed = (mixed ^ np.uint64(phrase[k])) * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(29)
    return mixed


@njit(cache=True, nogil=True)
def _key(source: Any, target: Any) -> Any:
    """One number of both fingerprints, which are not the same way round; never that of no key."""
    mixed = (source ^ (target * np.uint64(0x94D049BB133111EB))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(31)
    return max(mixed, np.uint64(1))


@njit(cache=True, nogil=True)
def _slot(key: Any, keys: Any) -> Any:
    """Where a key is, or where it would be."""
    mask = np.int64(len(keys) - 1)
    slot = np.int64(key >> np.uint64(20)) & mask
    while keys[slot] != _EMPTY and keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def _worth(source: Any, target: Any, keys: Any, values: Any) -> float:
    slot = _slot(_key(source, target), keys)
    return float(values[slot]) if keys[slot] != _EMPTY else -np.inf


@njit(cache=True, nogil=True)
def _best_ways(
    sources: Any, targets: Any, source: Any, target: Any, length: int, target_lengths: Any,
    keys: Any, values: Any, made: Any,
) -> None:  # fmt: skip
    """Fill ``made``: log p of the best two pairs that each pair can be put together from."""
    for p in range(len(source)):
        s, t = sources[source[p]], targets[target[p]]
        best = -np.inf
        for i in range(1, length):
            left, right = _fingerprint(s, 0, i), _fingerprint(s, i, length)
            for k in range(1, target_lengths[target[p]]):
                first, last = _fingerprint(t, 0, k), _fingerprint(t, k, target_lengths[target[p]])
                for one, other in ((first, last), (last, first)):
                    value = _worth(left, one, keys, values)
                    if value > best:  # probabilities are 1 at most
                        best = max(best, value + _worth(right, other, keys, values))
        made[p] = best


@njit(cache=True, nogil=True)
def _enter(
    sources: Any, targets: Any, source: Any, target: Any, length: int, target_lengths: Any,
    worth: Any, keys: Any, values: Any,
) -> None:  # fmt: skip
    for p in range(len(source)):
        t = target[p]
        key = _key(
            _fingerprint(sources[source[p]], 0, length),
            _fingerprint(targets[t], 0, target_lengths[t]),
        )
        slot = _slot(key, keys)
        keys[slot], values[slot] = key, worth[p]
