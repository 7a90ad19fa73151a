"""Phrase tables and lexicalised reordering tables in Moses's text formats, gzipped or not.

A phrase table's line is ``source ||| target ||| scores [||| alignment [||| counts [||| ...]]]``;
a reordering table's is ``source ||| target ||| scores``, or ``source ||| scores`` where the
target does not matter. Scores are probabilities; fields end with `` ||| `` as Moses splits them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from decoding.core.formats.text import read_utf8
from evaluation.core.errors import InputError

SEPARATOR = "|||"
MOST_WORDS = 255  # of a phrase; alignments are kept as bytes


@dataclass(frozen=True, slots=True)
class PhrasePair:
    """One line of a phrase table."""

    source: str  # words with one blank between them
    target: str
    scores: tuple[float, ...]  # probabilities
    alignment: tuple[tuple[int, int], ...] = ()  # (source position, target position)


@dataclass(frozen=True, slots=True)
class ReorderingEntry:
    """One line of a lexicalised reordering table; ``target`` is None where it does not matter."""

    source: str
    target: str | None
    scores: tuple[float, ...]  # probabilities


def read_phrase_table(path: Path, *, scores: int = 0) -> Iterator[PhrasePair]:
    """The phrase pairs of a table, whose lines must all have so many scores (0: as the first)."""
    for number, line in _lines(path):
        fields = line.split(SEPARATOR)
        if not 3 <= len(fields) <= 7:
            raise InputError(
                f"expected 3 to 7 fields separated by |||, found {len(fields)}",
                path=path,
                line=number,
            )
        values = _scores(path, number, fields[2], scores)
        scores = len(values)
        source, target = _words(path, number, fields[0], "source"), _joined(fields[1])
        if not target:
            raise InputError(
                "the target phrase is empty",
                path=path,
                line=number,
                hint="Variorum does not delete words: leave the pair out.",
            )
        rows, columns = source.count(" ") + 1, target.count(" ") + 1
        if rows > MOST_WORDS or columns > MOST_WORDS:
            raise InputError(
                f"a phrase has {max(rows, columns):,} words, and {MOST_WORDS} is the most",
                path=path,
                line=number,
                hint="Leave the pair out: phrases of more than seven words hardly ever match.",
            )
        alignment = _alignment(path, number, fields[3], rows, columns) if len(fields) > 3 else ()
        yield PhrasePair(source, target, values, alignment)


def read_reordering_table(
    path: Path, *, scores: int, with_target: bool = True
) -> Iterator[ReorderingEntry]:
    """The entries of a reordering table with so many scores on each line."""
    wanted = 3 if with_target else 2
    for number, line in _lines(path):
        fields = line.split(SEPARATOR)
        if len(fields) != wanted:
            raise InputError(
                f"expected {wanted} fields separated by |||, found {len(fields)}",
                path=path,
                line=number,
            )
        values = _scores(path, number, fields[-1], scores)
        source = _words(path, number, fields[0], "source")
        yield ReorderingEntry(source, _joined(fields[1]) if with_target else None, values)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file that have anything on them, with their numbers from 1."""
    data = read_utf8(path)
    start, number = 0, 0
    while start < len(data):
        stop = data.find(b"\n", start)
        stop = len(data) if stop < 0 else stop
        number += 1
        line = data[start:stop].decode()
        start = stop + 1
        if line and not line.isspace():
            yield number, line


def _joined(text: str) -> str:
    """Words with one blank between them; only ASCII blanks part words, as in Moses."""
    text = text.strip(" \t\r")
    if "  " in text or "\t" in text or "\r" in text:
        text = " ".join(word for word in re.split("[ \t\r]", text) if word)
    return text


def _words(path: Path, line: int, text: str, what: str) -> str:
    words = _joined(text)
    if not words:
        raise InputError(f"the {what} phrase is empty", path=path, line=line)
    return words


def _scores(path: Path, line: int, text: str, wanted: int) -> tuple[float, ...]:
    try:
        values = tuple(map(float, text.split()))
    except ValueError:
        raise InputError(
            f"a score is not a number: {text.strip()!r}", path=path, line=line
        ) from None
    if (wanted and len(values) != wanted) or not values:
        raise InputError(
            f"expected {wanted or 'some'} scores, found {len(values)}",
            path=path,
            line=line,
            hint="Every line must have as many scores as the model has weights.",
        )
    for value in values:
        if not 0.0 <= value < math.inf:
            raise InputError(
                f"the score {value} is not a probability or count of 0 or more",
                path=path,
                line=line,
            )
    return values


def _alignment(
    path: Path, line: int, text: str, rows: int, columns: int
) -> tuple[tuple[int, int], ...]:
    """The word alignment ``0-0 1-2``, checked against the phrases' lengths."""
    pairs = []
    plain = text.isascii()  # other digits than ASCII's are none here
    for point in text.split():
        left, _, right = point.partition("-")
        if not (
            plain
            and len(point) < 8  # 254-254
            and left.isdigit()
            and right.isdigit()
            and int(left) < rows
            and int(right) < columns
        ):
            raise InputError(
                f"the alignment point {point[:20]!r} does not fit phrases of {rows} and {columns} "
                "words",
                path=path,
                line=line,
            )
        pairs.append((int(left), int(right)))
    return tuple(pairs)
