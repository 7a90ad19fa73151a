"""Words as integers: the one place where metrics meet strings.

A `Vocabulary` turns lines into `Sentences` of word ids; everything behind it works on arrays.
Whoever has word ids of its own (a decoder) builds `Sentences` directly and needs no vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

import numpy as np
from numba import njit
from numpy.typing import NDArray

from evaluation.core.errors import InputError

WordArray = NDArray[np.int32]
OffsetArray = NDArray[np.int64]

_ONE = np.uint64(1)
_LINE_FEED = 10

# What a byte of UTF-8 says by itself: part of a word, white space, or perhaps either.
_LETTER, _SPACE, _UNSURE = range(3)
_KINDS = np.full(256, _LETTER, np.uint8)
_KINDS[[*range(9, 14), *range(28, 33)]] = _SPACE
_KINDS[[0xC2, 0xE1, 0xE2, 0xE3]] = _UNSURE  # first bytes of all white space beyond ASCII


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentences of word ids, one after the other (CSR, like the rows of a sparse matrix)."""

    words: WordArray  # (T,)
    offsets: OffsetArray  # (H+1,)  sentence h: words[offsets[h]:offsets[h+1]]

    def __len__(self) -> int:
        return len(self.offsets) - 1


@dataclass(frozen=True, slots=True)
class SentenceLists:
    """A list of sentences for each source sentence: its hypotheses, or its references."""

    sentences: Sentences
    offsets: OffsetArray  # (S+1,)  list s: sentences offsets[s] to offsets[s+1] - 1

    def __len__(self) -> int:
        return len(self.offsets) - 1


def list_offsets(lengths: Iterable[int]) -> OffsetArray:
    """Where each list starts, and where the last one ends: ``[2, 3] -> [0, 2, 5]``."""
    return np.concatenate(([0], np.cumsum(np.fromiter(lengths, np.int64)))).astype(np.int64)


def check_not_empty(offsets: OffsetArray, what: str) -> None:
    """Raise unless there are lists and each holds something, namely a ``what``."""
    if len(offsets) < 2:
        raise InputError("there are no sentences", hint="Is the file empty?")
    empty = np.flatnonzero(np.diff(offsets) <= 0)
    if len(empty):
        raise InputError(
            f"sentence {empty[0] + 1} has no {what}",
            hint="Sentences are counted from 1. Give at least one, or leave the sentence out.",
        )


class Vocabulary:
    """Gives each distinct word the next free id. Words are what ``str.split()`` yields.

    Not for use by two threads at once: it grows while it encodes.
    """

    def __init__(self) -> None:
        """Start without words."""
        self._slots = np.full(1024, -1, np.int32)  # hash table: word ids, -1 where free
        self._hashes = np.empty(512, np.uint64)  # (words,)  each word's hash
        self._starts = np.zeros(513, np.int64)  # (words+1,)  word i: letters[starts[i]:starts[i+1]]
        self._letters = np.empty(4096, np.uint8)  # all words' UTF-8 bytes
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def encode(self, lines: Sequence[str]) -> Sentences:
        """The lines as word ids; words not met before are added.

        >>> Vocabulary().encode(["the cat the", ""]).words
        array([0, 1, 0], dtype=int32)
        """
        joined = "\n".join(lines)
        if joined.count("\n") > len(lines) - 1:  # to split(), a line break is like any other space
            joined = "\n".join(line.replace("\n", " ") for line in lines)
        text = np.frombuffer(joined.encode("utf-8", "surrogatepass"), np.uint8)
        words = np.empty(len(text) // 2 + 1, np.int32)  # no text has more words than this
        offsets = np.zeros(len(lines) + 1, np.int64)
        at = line = found = 0
        while at < len(text):
            at, line, found, self._size = _intern(
                text,
                (at, line, found, self._size),
                (self._slots, self._hashes, self._starts, self._letters),
                words,
                offsets,
            )
            if at < len(text):
                self._grow(len(text))
        offsets[line + 1 :] = found
        return Sentences(words[:found].copy(), offsets)

    def _grow(self, letters: int) -> None:
        """Twice the room for words, and room for so many more letters."""
        room = 2 * len(self._slots)
        self._slots = np.full(room, -1, np.int32)
        _fill_slots(self._hashes, self._size, self._slots)
        self._hashes = np.resize(self._hashes, room // 2)
        self._starts = np.resize(self._starts, room // 2 + 1)
        self._letters = np.resize(self._letters, 2 * len(self._letters) + letters)

    def encode_lists(self, lists: Sequence[Sequence[str]]) -> SentenceLists:
        """The lines of each list as word ids."""
        offsets = list_offsets(map(len, lists))
        return SentenceLists(self.encode(list(chain.from_iterable(lists))), offsets)

    def words(self) -> list[str]:
        """The words in the order of their ids."""
        letters = self._letters.tobytes()
        ends = self._starts[: self._size + 1].tolist()
        return [
            letters[start:end].decode("utf-8", "surrogatepass") for start, end in pairwise(ends)
        ]


@njit(cache=True, nogil=True)
def _wide_space(text, at):  # type: ignore[no-untyped-def]
    """How many bytes the white space beyond ASCII at ``at`` has, 0 if there is none.

    White space is what str.isspace() says, and text whole UTF-8, so there are bytes to look at.
    """
    byte = text[at]
    if byte == 0xC2:  # U+0085, U+00A0
        return 2 if text[at + 1] == 0x85 or text[at + 1] == 0xA0 else 0
    if byte == 0xE1:  # U+1680
        return 3 if text[at + 1] == 0x9A and text[at + 2] == 0x80 else 0
    if byte == 0xE2:
        second, third = text[at + 1], text[at + 2]
        if second == 0x80:  # U+2000 to U+200A, U+2028, U+2029, U+202F
            spaces = 0x80 <= third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF
            return 3 if spaces else 0
        return 3 if second == 0x81 and third == 0x9F else 0  # U+205F
    if byte == 0xE3:  # U+3000
        return 3 if text[at + 1] == 0x80 and text[at + 2] == 0x80 else 0
    return 0


@njit(cache=True, nogil=True)
def _fill_slots(hashes, size, slots):  # type: ignore[no-untyped-def]
    """Put the words there are into an empty hash table, whose length is a power of two."""
    mask = np.uint64(len(slots) - 1)
    for word in range(size):
        slot = hashes[word] & mask
        while slots[slot] >= 0:
            slot = (slot + _ONE) & mask
        slots[slot] = word


@njit(cache=True, nogil=True)
def _intern(text, progress, vocabulary, words, offsets):  # type: ignore[no-untyped-def]
    """Split UTF-8 text into lines and words, look each word up, add the new ones.

    Stops early when the vocabulary is full. Returns how far it came: bytes, lines, words, and the
    vocabulary's size; the same are taken as ``progress`` to go on.
    """
    # Indices into text and table are unsigned: numba checks signed ones for being negative.
    line, found, size = progress[1:]
    at = np.uint64(progress[0])
    end = np.uint64(len(text))
    slots, hashes, starts, letters = vocabulary
    mask = np.uint64(len(slots) - 1)
    while at < end:
        kind = _KINDS[text[at]]
        if kind == _SPACE:
            if text[at] == _LINE_FEED:
                line += 1
                offsets[line] = found
            at += _ONE
            continue
        if kind == _UNSURE:
            width = _wide_space(text, np.int64(at))
            if width > 0:
                at += np.uint64(width)
                continue
        start = at
        hashed = np.uint64(0xCBF29CE484222325)  # FNV-1a, whose low bits are the well mixed ones
        while at < end:
            byte = text[at]
            kind = _KINDS[byte]
            if kind != _LETTER and (kind == _SPACE or _wide_space(text, np.int64(at)) > 0):
                break
            hashed = (hashed ^ np.uint64(byte)) * np.uint64(0x100000001B3)
            at += _ONE
        length = at - start
        slot = hashed & mask
        word = slots[slot]
        while word >= 0:
            if hashes[word] == hashed and np.uint64(starts[word + 1] - starts[word]) == length:
                first = np.uint64(starts[word])
                same = np.uint64(0)
                while same < length and text[start + same] == letters[first + same]:
                    same += _ONE
                if same == length:
                    break
            slot = (slot + _ONE) & mask
            word = slots[slot]
        if word < 0:
            stop = starts[size] + np.int64(length)
            if size == len(hashes) or stop > len(letters):
                return np.int64(start), line, found, size
            word = np.int32(size)
            letters[starts[size] : stop] = text[start:at]
            slots[slot] = word
            hashes[word] = hashed
            starts[word + 1] = stop
            size += 1
        words[found] = word
        found += 1
    return np.int64(at), line, found, size
