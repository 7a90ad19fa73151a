"""The word translation probabilities that alignment models share, in both directions at once.

One open-addressing hash table holds every pair of words that occurs in some sentence pair. A
pair's slot is also its row in the probabilities and counts of both directions, so one look-up
serves both, and what is needed lies together in memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from decoding.core.corpus.bitext import Bitext
from decoding.core.room import MEMORY, Room

FloatArray = npt.NDArray[np.float64]

FORWARD, BACKWARD = 0, 1  # p(target word | source word), p(source word | target word)
_EMPTY = np.int64(-1)
_FULLEST = 0.75  # share of slots used
_FLOOR = 1e-30  # below it a probability would vanish in single precision


@dataclass(frozen=True, slots=True)
class Lexicon:
    """t(f|e) both ways, and the counts of the pass under way. All arrays are updated in place.

    The first three are views of one array of 24 bytes a slot, so that what a look-up needs comes
    with one access to memory, which is what alignment spends its time on.
    """

    keys: npt.NDArray[np.int64]  # (T,) source word * 2**32 + target word, or -1; T a power of 2
    probability: npt.NDArray[np.float32]  # (T, 2)
    count: npt.NDArray[np.float32]  # (T, 2)
    null_probability: tuple[FloatArray, FloatArray]  # per target word; per source word
    null_count: tuple[FloatArray, FloatArray]


def uniform_lexicon(bitext: Bitext, room: Room = MEMORY) -> Lexicon:
    """All pairs of words that occur together, with equal probabilities.

    This is what grows with a corpus most of all.
    """
    source, target = bitext.source, bitext.target
    keys = np.full(1 << 16, _EMPTY, np.int64)
    start, used = 0, 0
    while True:
        start, used = _enter_pairs(
            source.words, source.offsets, target.words, target.offsets, start, used, keys
        )
        if start == len(bitext):
            break
        keys = _resized(keys, 2 * len(keys), room)
    if used < _FULLEST * len(keys) / 2:  # searched but not entered, a table may be fuller
        keys = _resized(keys, len(keys) // 2, room)
    sizes = len(target.vocabulary), len(source.vocabulary)
    table = room.full((len(keys), 3), 0, np.int64)
    table[:, 0] = keys
    del keys
    numbers = table.view(np.float32)  # (T, 6), the first two of which are the key
    numbers[:, 2:4] = [1 / size for size in sizes]
    return Lexicon(
        keys=table[:, 0],
        probability=numbers[:, 2:4],
        count=numbers[:, 4:6],
        null_probability=(np.full(sizes[0], 1 / sizes[0]), np.full(sizes[1], 1 / sizes[1])),
        null_count=(np.zeros(sizes[0]), np.zeros(sizes[1])),
    )


def normalize(lexicon: Lexicon, alpha: float | None) -> None:
    """The M step of t: counts become probabilities, then start again from 0.

    With ``alpha`` the variational Bayes of Dyer et al. (2013), a symmetric Dirichlet prior:
    exp(digamma(count + alpha) - digamma(sum)); with None plain relative frequencies.
    """
    sizes = len(lexicon.null_count[BACKWARD]), len(lexicon.null_count[FORWARD])
    for direction in (FORWARD, BACKWARD):
        _normalize_direction(
            lexicon.keys,
            lexicon.count,
            lexicon.probability,
            direction,
            sizes[direction],
            -1.0 if alpha is None else alpha,
        )
        null_count = lexicon.null_count[direction]
        _normalize_null(
            null_count, lexicon.null_probability[direction], -1.0 if alpha is None else alpha
        )
        null_count[:] = 0
    lexicon.count[:] = 0


@njit(cache=True, nogil=True, inline="always")
def _home(key: Any, mask: int) -> Any:
    """Where the search for a key starts (Fibonacci hashing, both words well mixed)."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    return np.int64(mixed >> np.uint64(32)) & mask


@njit(cache=True, nogil=True, inline="always")
def find_slot(keys: Any, source_word: int, target_word: int) -> Any:
    """The slot of a pair of words, which must be there."""
    key = (np.int64(source_word) << 32) | np.int64(target_word)
    mask = len(keys) - 1
    slot = _home(key, mask)
    while keys[slot] != key:
        slot = (slot + 1) & mask
    return slot


@njit(cache=True, nogil=True)
def fill_slots(source: Any, target: Any, keys: Any, slots: Any) -> None:
    """The slot of every pair of words of one sentence pair, into ``slots[i, j]``."""
    for i in range(len(source)):
        for j in range(len(target)):
            slots[i, j] = find_slot(keys, source[i], target[j])


@njit(cache=True, nogil=True)
def _enter_pairs(
    source: Any, source_offsets: Any, target: Any, target_offsets: Any, start: int, used: int,
    keys: Any,
) -> tuple[int, int]:  # fmt: skip
    """Enter sentence pairs from ``start`` on until the table is 5/8 full; where it stopped."""
    mask = len(keys) - 1
    limit = len(keys) * 5 // 8
    for s in range(start, len(source_offsets) - 1):
        for i in range(source_offsets[s], source_offsets[s + 1]):
            for j in range(target_offsets[s], target_offsets[s + 1]):
                key = (np.int64(source[i]) << 32) | np.int64(target[j])
                slot = _home(key, mask)
                while keys[slot] != key:
                    if keys[slot] == _EMPTY:
                        keys[slot] = key
                        used += 1
                        if used >= limit:
                            return s, used  # the sentence is entered again after growing
                        break
                    slot = (slot + 1) & mask
    return len(source_offsets) - 1, used


def _resized(keys: npt.NDArray[np.int64], size: int, room: Room) -> npt.NDArray[np.int64]:
    """The same keys in a table of another size."""
    resized = room.full(size, _EMPTY, np.int64)
    _enter_keys(keys, resized)
    return resized


@njit(cache=True, nogil=True)
def _enter_keys(keys: Any, resized: Any) -> None:
    mask = len(resized) - 1
    for key in keys:
        if key != _EMPTY:
            slot = _home(key, mask)
            while resized[slot] != _EMPTY:
                slot = (slot + 1) & mask
            resized[slot] = key


@njit(cache=True, nogil=True)
def digamma(x: float) -> Any:
    """The derivative of log gamma for x > 0: recurrence up to 7, then the asymptotic series."""
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    inverse = 1 / (x * x)
    series = inverse * (1 / 12 - inverse * (1 / 120 - inverse * (1 / 252 - inverse / 240)))
    return result + np.log(x) - 0.5 / x - series


@njit(cache=True, nogil=True)
def _normalize_direction(
    keys: Any, count: Any, probability: Any, direction: int, words: int, alpha: float
) -> None:
    total = np.zeros(words)
    prior = max(alpha, 0.0)
    for slot in range(len(keys)):
        if keys[slot] != _EMPTY:
            given = keys[slot] >> 32 if direction == 0 else keys[slot] & 0xFFFFFFFF
            total[given] += count[slot, direction] + prior
    for given in range(words):
        if total[given] > 0:
            total[given] = digamma(total[given]) if alpha > 0 else np.log(total[given])
    for slot in range(len(keys)):
        if keys[slot] != _EMPTY:
            given = keys[slot] >> 32 if direction == 0 else keys[slot] & 0xFFFFFFFF
            c = count[slot, direction]
            if alpha > 0:
                value = np.exp(digamma(c + alpha) - total[given])
            else:
                value = c * np.exp(-total[given])
            probability[slot, direction] = max(value, _FLOOR)


@njit(cache=True, nogil=True)
def _normalize_null(count: Any, probability: Any, alpha: float) -> None:
    total = count.sum() + max(alpha, 0.0) * len(count)
    if total <= 0:
        return
    for word in range(len(count)):
        if alpha > 0:
            value = np.exp(digamma(count[word] + alpha) - digamma(total))
        else:
            value = count[word] / total
        probability[word] = max(value, _FLOOR)
