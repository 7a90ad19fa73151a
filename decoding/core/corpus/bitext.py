"""Parallel text as arrays: words become numbers, sentences slices of one long array.

Word numbers follow the byte order of the words, with the field mark ``|||`` of Moses's files among
them. A phrase padded with that mark therefore sorts, number by number, just as its line of text
sorts under ``LC_ALL=C``: tables come out in Moses's order without sorting a single string.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt

from evaluation.core.errors import InputError

END = "|||"  # ends a phrase in a line of text, and pads it in an array
_LINES_AT_ONCE = 50_000

WordArray = npt.NDArray[np.int32]
OffsetArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sentences:
    """One side of a parallel text. Sentence s is ``words[offsets[s]:offsets[s + 1]]``."""

    words: WordArray  # (W,)
    offsets: OffsetArray  # (S + 1,)
    vocabulary: tuple[str, ...]  # in byte order; word number i is vocabulary[i]

    def __len__(self) -> int:
        """How many sentences."""
        return len(self.offsets) - 1

    @property
    def end(self) -> int:
        """The number of the mark that ends and pads phrases."""
        return bisect_left(self.vocabulary, END)

    def text(self, s: int) -> list[str]:
        """The words of sentence ``s`` as strings."""
        return [self.vocabulary[w] for w in self.words[self.offsets[s] : self.offsets[s + 1]]]


@dataclass(frozen=True, slots=True)
class Bitext:
    """Two sides with as many sentences each, none of them empty."""

    source: Sentences
    target: Sentences

    def __len__(self) -> int:
        """How many sentence pairs."""
        return len(self.source)


def number_sentences(lines: Iterable[list[str]]) -> Sentences:
    """Sentences given as lists of words, in memory. For what may be large: `encode_side`."""
    sentences = list(lines)
    vocabulary = _in_order({word for sentence in sentences for word in sentence})
    numbers = {word: number for number, word in enumerate(vocabulary)}
    words = np.array([numbers[w] for sentence in sentences for w in sentence], np.int32)
    offsets = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum([len(sentence) for sentence in sentences], out=offsets[1:])
    return Sentences(words, offsets, vocabulary)


def encode_side(lines: Iterable[str], folder: Path, side: str) -> Sentences:
    """Number the words of tokenised lines into memory-mapped arrays in ``folder``.

    Only the vocabulary is held in memory: words get numbers as they come, and a second pass over
    the array puts the numbers into byte order.
    """
    numbers: dict[str, int] = {}
    lengths: list[npt.NDArray[np.int32]] = []
    words_path = folder / f"{side}.words.npy.part"
    total = 0
    remaining = iter(lines)
    with words_path.open("wb") as words_file:
        while block := list(islice(remaining, _LINES_AT_ONCE)):
            tokens = [line.split() for line in block]
            block_words = np.array(
                [numbers.setdefault(w, len(numbers)) for ws in tokens for w in ws], np.int32
            )
            words_file.write(block_words.tobytes())
            lengths.append(np.array([len(ws) for ws in tokens], np.int32))
            total += len(block_words)
    vocabulary = _in_order(numbers)
    rank = np.zeros(len(numbers) + 1, np.int32)
    for place, word in enumerate(vocabulary):
        if word in numbers:
            rank[numbers[word]] = place
    final = np.lib.format.open_memmap(
        folder / f"{side}.words.npy", mode="w+", dtype=np.int32, shape=(total,)
    )
    if total:
        first_seen = np.memmap(words_path, np.int32, mode="r")
        for start in range(0, total, 1 << 20):
            final[start : start + (1 << 20)] = rank[first_seen[start : start + (1 << 20)]]
    final.flush()
    words_path.unlink()
    offsets = np.zeros(sum(map(len, lengths)) + 1, np.int64)
    np.cumsum(np.concatenate(lengths) if lengths else [], out=offsets[1:])
    np.save(folder / f"{side}.offsets.npy", offsets)
    (folder / f"{side}.vocabulary").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    return open_side(folder, side)


def open_side(folder: Path, side: str) -> Sentences:
    """What `encode_side` wrote, memory-mapped."""
    vocabulary = (folder / f"{side}.vocabulary").read_text(encoding="utf-8").split("\n")[:-1]
    return Sentences(
        words=np.load(folder / f"{side}.words.npy", mmap_mode="c"),
        offsets=np.load(folder / f"{side}.offsets.npy"),
        vocabulary=tuple(vocabulary),
    )


def pair_up(source: Sentences, target: Sentences) -> Bitext:
    """Two sides as one bitext, or what is wrong with them."""
    if len(source) != len(target):
        raise InputError(
            f"the source has {len(source)} lines and the target {len(target)}",
            hint="A parallel text has the translation of line n in line n.",
        )
    for name, side in (("source", source), ("target", target)):
        empty = np.flatnonzero(np.diff(side.offsets) == 0)
        if len(empty):
            raise InputError(
                f"the {name} sentence is empty",
                line=int(empty[0]) + 1,
                hint="Clean the text first: pairs with an empty side cannot be aligned.",
            )
    return Bitext(source, target)


def blocks(bitext: Bitext, words: int = 2_000_000) -> Iterator[tuple[int, int]]:
    """Ranges of sentences of about ``words`` source words each, so that memory stays bounded."""
    offsets = bitext.source.offsets
    start = 0
    while start < len(bitext):
        stop = int(np.searchsorted(offsets, offsets[start] + words, side="right")) - 1
        stop = min(max(stop, start + 1), len(bitext))
        yield start, stop
        start = stop


def _in_order(words: Iterable[str]) -> tuple[str, ...]:
    """All words and the end mark by code point, which is UTF-8's byte order too."""
    return tuple(sorted({*words, END}))
