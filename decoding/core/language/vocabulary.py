"""Words and their numbers: one block of UTF-8 bytes and a hash table that kernels can ask.

Numbers 0, 1 and 2 are the unknown word and the two sentence boundaries in every vocabulary, so
kernels may use them as constants. All other words are numbered in the order of their arrival.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

UNKNOWN, BEGIN, END = 0, 1, 2
SPECIAL_WORDS = ("<unk>", "<s>", "</s>")

NEWLINE = 10


class WordTable(NamedTuple):
    """A vocabulary as kernels see it."""

    text: NDArray[np.uint8]  # the words' bytes, one word after another
    offsets: NDArray[np.int64]  # (words + 1,)  word i is text[offsets[i]:offsets[i + 1]]
    slots: NDArray[np.int32]  # (a power of two,)  the number of a word, or -1


@njit(cache=True, nogil=True, inline="always")
def is_blank(byte):  # type: ignore[no-untyped-def]
    """Whether a byte separates words: blank, tab, carriage return or zero, as in KenLM."""
    return byte <= 32 and (byte == 32 or byte == 9 or byte == 13 or byte == 0)


@njit(cache=True, nogil=True, inline="always")
def ends_word(byte):  # type: ignore[no-untyped-def]
    """Whether a byte is blank or a newline; most bytes are told by the first comparison."""
    return byte <= 32 and (byte == NEWLINE or is_blank(byte))


@njit(cache=True, nogil=True)
def word_slot(table, data, start, stop):  # type: ignore[no-untyped-def]
    """The slot that holds the word ``data[start:stop]``, or the empty slot where it belongs."""
    text, offsets, slots = table
    mask = slots.size - 1
    mixed, eight = np.uint64(stop - start), np.uint64(0)
    for i in range(start, stop):
        eight = (eight << np.uint64(8)) | np.uint64(data[i])
        if (i - start) & 7 == 7 or i == stop - 1:  # one multiplication for eight bytes
            mixed = (mixed ^ eight) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(32)
            eight = np.uint64(0)
    slot = np.int64(mixed & np.uint64(mask))
    while True:
        word = slots[slot]
        if word < 0:
            return slot
        first = offsets[word]
        if offsets[word + 1] - first == stop - start:
            same = True
            for i in range(stop - start):
                if text[first + i] != data[start + i]:
                    same = False
                    break
            if same:
                return slot
        slot = (slot + 1) & mask


@njit(cache=True, nogil=True)
def add_word(table, count, data, start, stop):  # type: ignore[no-untyped-def]
    """The number of a word, which is ``count`` if it is new; the table must have room for it."""
    slot = word_slot(table, data, start, stop)
    if table.slots[slot] < 0:
        table.slots[slot] = count
        first = table.offsets[count]
        for i in range(stop - start):
            table.text[first + i] = data[start + i]
        table.offsets[count + 1] = first + stop - start
        return count
    return table.slots[slot]


def empty_table(words: int, text_bytes: int) -> tuple[WordTable, int]:
    """A table with room for so many words and bytes beside the special words, and its length."""
    special = "".join(SPECIAL_WORDS).encode()
    size = 1 << max(4, int(2 * (words + len(SPECIAL_WORDS))).bit_length())
    table = WordTable(
        np.empty(text_bytes + len(special), np.uint8),
        np.zeros(words + len(SPECIAL_WORDS) + 1, np.int64),
        np.full(size, -1, np.int32),
    )
    data, start = np.frombuffer(special, np.uint8), 0
    for number, word in enumerate(SPECIAL_WORDS):
        add_word(table, number, data, start, start + len(word))
        start += len(word)
    return table, len(SPECIAL_WORDS)


def _grown(table: WordTable, count: int, words: int, text_bytes: int) -> WordTable:
    """The same words in a table with room for more."""
    new, have = empty_table(words, text_bytes)
    text, offsets, _ = table
    for number in range(have, count):
        add_word(new, number, text, offsets[number], offsets[number + 1])
    return new


@njit(cache=True, nogil=True, inline="always")
def _next_word(data, position):  # type: ignore[no-untyped-def]
    """Where the next word or newline starts and stops; both are the data's size at its end."""
    size = data.size
    while position < size and is_blank(data[position]):
        position += 1
    stop = position
    if stop < size and data[stop] == NEWLINE:
        return position, position + 1
    while stop < size and not ends_word(data[stop]):
        stop += 1
    return position, stop


@njit(cache=True, nogil=True)
def _collect_words(data, position, table, count):  # type: ignore[no-untyped-def]
    """Add the words of a text until it ends or the table is full.

    Returns the position reached and the count of words known.
    """
    while True:
        start, stop = _next_word(data, position)
        if start == stop:
            return stop, count
        if data[start] != NEWLINE:
            room = table.text.size - table.offsets[count]
            if count == table.offsets.size - 1 or stop - start > room:
                return start, count
            count = max(count, 1 + add_word(table, count, data, start, stop))
        position = stop


@njit(cache=True, nogil=True)
def _encode(data, table, ids, offsets):  # type: ignore[no-untyped-def]
    """Fill the numbers of the words of each line, and where each line's numbers start.

    Returns how many numbers and lines there are; a last line needs no newline.
    """
    position = filled = lines = 0
    while True:
        start, stop = _next_word(data, position)
        if start == stop:
            break
        if data[start] == NEWLINE:
            lines += 1
            offsets[lines] = filled
        else:
            ids[filled] = max(table.slots[word_slot(table, data, start, stop)], UNKNOWN)
            filled += 1
        position = stop
    if data.size > 0 and data[data.size - 1] != NEWLINE:
        lines += 1
        offsets[lines] = filled
    return filled, lines


@dataclass(frozen=True)
class Vocabulary:
    """Words numbered from 0; the first three are the unknown word, ``<s>`` and ``</s>``."""

    table: WordTable

    @classmethod
    def of(cls, words: Iterable[str]) -> Vocabulary:
        """The special words and then the given ones, without repetition, in their order."""
        others = [w for w in dict.fromkeys(words) if w not in SPECIAL_WORDS]
        data = "\n".join(others).encode()
        table, count = empty_table(len(others), len(data))
        offsets = np.cumsum([0, *(len(w.encode()) + 1 for w in others)])
        block = np.frombuffer(data, np.uint8)
        for i in range(len(others)):
            count = max(count, 1 + add_word(table, count, block, offsets[i], offsets[i + 1] - 1))
        return cls(table)._trimmed(count)

    @classmethod
    def from_table(cls, table: WordTable, count: int) -> Vocabulary:
        """Of a table that may have room left, whose first ``count`` words are meant."""
        return cls(table)._trimmed(count)

    def _trimmed(self, count: int) -> Vocabulary:
        text, offsets, slots = self.table
        parts = (text[: offsets[count]], offsets[: count + 1], slots)
        return Vocabulary(WordTable(*(read_only(np.array(a)) for a in parts)))

    def __len__(self) -> int:
        return int(self.table.offsets.size - 1)

    @cached_property
    def words(self) -> Sequence[str]:
        """All words; number ``i`` is ``words[i]``."""
        text, offsets = self.table.text.tobytes(), self.table.offsets.tolist()
        return [text[a:b].decode() for a, b in pairwise(offsets)]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    def ids(self, words: Iterable[str]) -> NDArray[np.int32]:
        """The numbers of words, `UNKNOWN` for those that are not here."""
        numbers = self.numbers
        return np.array([numbers.get(word, UNKNOWN) for word in words], np.int32)

    def encode(self, text: bytes) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The numbers of the words of every line, and where each line's numbers start.

        Words are what lies between blanks; line i has ``ids[offsets[i]:offsets[i + 1]]``.
        """
        data = np.frombuffer(text, np.uint8)
        ids = np.empty(len(text) // 2 + 1, np.int32)
        offsets = np.zeros(text.count(b"\n") + 2, np.int64)
        filled, lines = _encode(data, self.table, ids, offsets)
        return ids[:filled].copy(), offsets[: lines + 1].copy()


def vocabulary_of(text: bytes) -> Vocabulary:
    """The words of a text, which lie between blanks, in the order of their first occurrence."""
    data = np.frombuffer(text, np.uint8)
    table, count = empty_table(1 << 16, 1 << 20)
    position = 0
    while position < data.size:
        position, count = _collect_words(data, position, table, count)
        if position < data.size:
            table = _grown(table, count, 2 * table.offsets.size, 2 * table.text.size)
    return Vocabulary.from_table(table, count)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The array, locked: kernels are compiled once, for arrays that are also memory maps."""
    array.flags.writeable = False
    return array
