"""Uploaded translations of a corpus: checked, put into one form, and read segment by segment.

A pool is kept as a folder: ``lists.jsonl`` is an n-best list in JSON Lines, and ``offsets.npy``
says where each segment's part of it begins, so that a worker reads only what it needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from decoding.core.formats.nbest import NBestEntry, format_json, parse_json
from decoding.core.formats.segments import text_problem
from decoding.core.formats.text import read_parallel
from evaluation.core.errors import InputError

MOST_TRANSLATIONS = 10_000  # of one segment
_LISTS, _OFFSETS = "lists.jsonl", "offsets.npy"


@dataclass(frozen=True, slots=True)
class PoolFacts:
    """What is said about a pool."""

    translation_count: int
    fewest: int
    most: int
    has_scores: bool


def read_plain(paths: Sequence[Path]) -> Iterator[list[NBestEntry]]:
    """Plain text: line i of every file is a translation of segment i, the best in the first file.

    A blank line is a translation that there is not.
    """
    for number, lines in enumerate(read_parallel(paths)):
        yield [NBestEntry(number, text) for text in lines]


def write_pool(
    lists: Iterable[Iterable[NBestEntry]], folder: Path, *, segments: int, name: str
) -> PoolFacts:
    """Check the lists against a corpus of so many segments, and write the pool's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    offsets = np.zeros(segments + 1, np.int64)
    counts = np.zeros(segments, np.int64)
    scored = number = 0
    with (folder / _LISTS).open("wb") as file:
        for number, entries in enumerate(lists, start=1):
            if number > segments:
                raise InputError(
                    f"there are translations of segment {number:,}, and the corpus has "
                    f"{segments:,}",
                    path=name,
                    hint="In n-best lists the first segment is number 0. Is it the right corpus?",
                )
            for entry in _checked(entries, number, name):
                counts[number - 1] += 1
                scored += entry.score is not None
                file.write(format_json(entry).encode() + b"\n")
            offsets[number] = file.tell()
    if number < segments:
        raise InputError(
            f"ends with segment {number:,}, and the corpus has {segments:,}",
            path=name,
            hint="Upload translations of every segment. Is it the right corpus?",
        )
    if 0 < scored < counts.sum():
        raise InputError(
            f"{scored:,} translations have a score and {counts.sum() - scored:,} have none",
            path=name,
            hint="Give a score to all, or to none.",
        )
    np.save(folder / _OFFSETS, offsets)
    return PoolFacts(int(counts.sum()), int(counts.min()), int(counts.max()), bool(scored))


def read_pool(folder: Path, segment: int) -> list[NBestEntry]:
    """The translations of a segment, numbered from 1, in the uploaded order."""
    offsets = np.load(folder / _OFFSETS, mmap_mode="r")
    start, stop = int(offsets[segment - 1]), int(offsets[segment])
    with (folder / _LISTS).open("rb") as file:
        file.seek(start)
        return [parse_json(line.decode()) for line in file.read(stop - start).splitlines()]


def _cleaned(entry: NBestEntry, segment: int, name: str) -> NBestEntry:
    text = " ".join(entry.text.split())
    if problem := text_problem(text):
        raise InputError(f"a translation of segment {segment:,} {problem}", path=name)
    return replace(entry, text=text)


def _checked(entries: Iterable[NBestEntry], segment: int, name: str) -> Iterator[NBestEntry]:
    """A segment's translations, one by one; at least one, and not too many."""
    there = (entry for entry in (_cleaned(one, segment, name) for one in entries) if entry.text)
    count = 0
    for count, entry in enumerate(there, start=1):
        if count > MOST_TRANSLATIONS:
            raise InputError(
                f"segment {segment:,} has more than {MOST_TRANSLATIONS:,} translations",
                path=name,
                hint="Upload the best of them.",
            )
        yield entry
    if not count:
        raise InputError(
            f"segment {segment:,} has no translation",
            path=name,
            hint="Upload at least one for each segment; in n-best lists the first is number 0.",
        )
