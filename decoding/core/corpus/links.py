"""Word alignments: which source word is linked to which target word, and the Pharaoh format.

A line of a Pharaoh file holds a sentence pair's links as ``source-target``, both from 0:
``0-0 1-2 2-1``. Any outside aligner that writes it can take the place of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from decoding.core.corpus.bitext import Bitext, OffsetArray
from evaluation.core.errors import InputError

LinkArray = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class Links:
    """The links of every sentence pair; those of pair s are ``points[offsets[s]:offsets[s+1]]``."""

    points: LinkArray  # (P, 2): source position, target position
    offsets: OffsetArray  # (S + 1,)

    def __len__(self) -> int:
        """How many sentence pairs."""
        return len(self.offsets) - 1

    def of(self, s: int) -> list[tuple[int, int]]:
        """The links of pair ``s`` as tuples."""
        return [(int(i), int(j)) for i, j in self.points[self.offsets[s] : self.offsets[s + 1]]]


def collect_links(sentences: Iterable[Sequence[tuple[int, int]]]) -> Links:
    """Links given pair by pair as tuples."""
    given = list(sentences)
    offsets = np.zeros(len(given) + 1, np.int64)
    np.cumsum([len(pair) for pair in given], out=offsets[1:])
    flat = [point for pair in given for point in pair]
    return Links(np.array(flat, np.int16).reshape(-1, 2), offsets)


def read_pharaoh(lines: Iterable[str], bitext: Bitext, *, path: Path | None = None) -> Links:
    """Links from the lines of a Pharaoh file; each must lie within its sentence pair."""
    source_lengths = np.diff(bitext.source.offsets).tolist()
    target_lengths = np.diff(bitext.target.offsets).tolist()
    sentences: list[list[tuple[int, int]]] = []
    for number, line in enumerate(lines, start=1):
        if number > len(bitext):
            break
        points = []
        for item in line.split():
            i, dash, j = item.partition("-")
            if not (dash and i.isdecimal() and j.isdecimal()):
                raise InputError(
                    f"expected links like 0-0, found {item!r}",
                    path=path,
                    line=number,
                    hint="Give one sentence pair a line, links as source-target from 0.",
                )
            if int(i) >= source_lengths[number - 1] or int(j) >= target_lengths[number - 1]:
                raise InputError(
                    f"the link {item} points past the end of a sentence "
                    f"({source_lengths[number - 1]} source words, "
                    f"{target_lengths[number - 1]} target words)",
                    path=path,
                    line=number,
                    hint="Align the very text that is given, with the source first.",
                )
            points.append((int(i), int(j)))
        sentences.append(points)
    if len(sentences) != len(bitext):
        raise InputError(
            f"{len(sentences)} lines of links for {len(bitext)} sentence pairs",
            path=path,
            hint="An alignment has a line for each sentence pair, an empty one if need be.",
        )
    return collect_links(sentences)


def pharaoh_lines(links: Links) -> Iterator[str]:
    """The lines of a Pharaoh file, without line ends."""
    for s in range(len(links)):
        yield " ".join(
            f"{i}-{j}" for i, j in links.points[links.offsets[s] : links.offsets[s + 1]].tolist()
        )
