"""From counted phrase pairs to the arrays that a decoder maps into memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from decoding.core.corpus.bitext import Sentences
from decoding.core.corpus.extract import LONGEST
from decoding.core.corpus.phrases import CountedPhrases, PhrasePairs
from decoding.core.language.vocabulary import SPECIAL_WORDS, Vocabulary
from decoding.core.room import Room
from decoding.core.translation.phrase_table import PhraseTable, floored_log, slots_of_children

Scorer = Callable[[PhrasePairs], tuple[npt.NDArray[np.float32], npt.NDArray[np.float64]]]


def vocabulary_of_side(side: Sentences) -> Vocabulary:
    """A side's words behind the three special ones, without the mark that ends phrases."""
    words = side.vocabulary
    return Vocabulary.of([*words[: side.end], *words[side.end + 1 :]])


def assemble_table(
    counted: CountedPhrases, source: Sentences, target: Sentences, score: Scorer, folder: Path
) -> PhraseTable:
    """The phrase table of all pairs, made shard by shard in files in ``folder``.

    A phrase's translations are in Moses's order. ``score`` gives the probabilities of a shard's
    pairs and of their orientations.
    """

    def column(name: str, kind: type, *shape: int) -> npt.NDArray[Any]:
        path = folder / f"{name}.npy"
        return np.lib.format.open_memmap(path, mode="w+", dtype=kind, shape=shape)

    target_of = column("target", np.int32, counted.pairs)
    scores = column("scores", np.float32, counted.pairs, 4)
    reordering = column("reordering", np.float32, counted.pairs, 6)
    points_at = column("points_at", np.int64, counted.pairs + 1)
    trie = _Trie(counted, source, folder)
    row = point = 0
    with (folder / "points").open("wb") as points_file:
        for pairs in counted.load():
            trie.add(pairs)
            here = slice(row, row + len(pairs))
            row = here.stop
            probabilities, orientations = score(pairs)
            target_of[here] = pairs.target_number
            scores[here] = floored_log(probabilities.astype(np.float64))
            reordering[here] = floored_log(orientations)
            points, per_pair = _points_of(pairs.links)
            points_file.write(points.tobytes())
            points_at[here.start + 1 : here.stop + 1] = point + np.cumsum(per_pair)
            point += len(points)
    lengths = []
    with (folder / "words").open("wb") as words_file:
        for phrases in counted.target_blocks():
            within = phrases != target.end
            words_file.write(_renumbered(phrases[within], target.end).tobytes())
            lengths.append(within.sum(axis=1))
    slots, children = slots_of_children(*trie.edges(), Room(folder))
    return PhraseTable(
        slots=slots,
        children=children,
        first_row=trie.first_row(),
        target=np.asarray(target_of),
        scores=np.asarray(scores),
        reordering=np.asarray(reordering),
        offsets=_starts(lengths),
        words=_mapped(folder / "words", np.int32),
        points_at=np.asarray(points_at),
        points=_mapped(folder / "points", np.uint8).reshape(-1, 2),
    )


class _Trie:
    """The source phrases as a trie, made of shards in order. Node 0 is the empty phrase.

    Phrase k is node k + 1, so that rows lie in the order of nodes; prefixes that are no phrases
    come behind and have no rows. All phrases with the same first two words are in one shard, so
    only the nodes of single words must be known from one shard to the next.
    """

    def __init__(self, counted: CountedPhrases, source: Sentences, folder: Path) -> None:
        self._end = source.end
        self._phrases = 0  # of the shards that were added
        self._nodes = counted.source_phrases + 1
        self._edges = folder / "keys", folder / "children"  # of what is longer than a word
        for path in self._edges:
            path.write_bytes(b"")
        self._fanouts: list[npt.NDArray[np.int64]] = []
        self._node_of_word = np.zeros(len(source.vocabulary), np.int64)
        before = 0
        for pairs in counted.load():
            single = np.flatnonzero(pairs.sources[:, 1] == self._end)
            self._node_of_word[pairs.sources[single, 0]] = before + single + 1
            before += len(pairs.sources)

    def add(self, pairs: PhrasePairs) -> None:
        """Enter a shard's source phrases."""
        phrases = pairs.sources
        lengths = (phrases != self._end).sum(axis=1)
        words = np.unique(phrases[:, 0])
        new = words[self._node_of_word[words] == 0]
        self._node_of_word[new] = self._nodes + np.arange(len(new))
        self._nodes += len(new)
        parent = self._node_of_word[phrases[:, 0]]
        for place in range(1, LONGEST):
            longer = np.flatnonzero(lengths > place)
            numbers = _renumbered(phrases[longer, place], self._end)
            keys, edge = np.unique(parent[longer] << 32 | numbers, return_inverse=True)
            children = np.zeros(len(keys), np.int64)
            whole = lengths[longer] == place + 1
            children[edge[whole]] = self._phrases + longer[whole] + 1
            prefixes = np.flatnonzero(children == 0)
            children[prefixes] = self._nodes + np.arange(len(prefixes))
            self._nodes += len(prefixes)
            parent[longer] = children[edge]
            self._append(keys, children)
        self._phrases += len(phrases)
        self._fanouts.append(np.bincount(pairs.source, minlength=len(phrases)))

    def _append(self, keys: npt.NDArray[np.int64], children: npt.NDArray[np.int64]) -> None:
        keys_file, children_file = self._edges
        with keys_file.open("ab") as file:
            file.write(keys.tobytes())
        with children_file.open("ab") as file:
            file.write(children.astype(np.int32).tobytes())

    def edges(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Keys (node * 2**32 + word) and the node that each leads to, in files."""
        words = np.flatnonzero(self._node_of_word)
        keys = _renumbered(words.astype(np.int32), self._end).astype(np.int64)
        self._append(keys, self._node_of_word[words])
        keys_file, children_file = self._edges
        return _mapped(keys_file, np.int64, "c"), _mapped(children_file, np.int32, "c")

    def first_row(self) -> npt.NDArray[np.int64]:
        """The first row of every node, and the number of rows."""
        starts = _starts(self._fanouts)
        prefixes = self._nodes - self._phrases - 1
        return np.concatenate([[0], starts, np.full(prefixes, starts[-1])])


def _starts(counts: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    """Where each one's part begins, and at last where all end."""
    return np.concatenate(
        [[0], np.cumsum(np.concatenate([np.empty(0, np.int64), *counts]))]
    ).astype(np.int64)


def _mapped(path: Path, kind: type, mode: Literal["r", "c"] = "r") -> npt.NDArray[Any]:
    """A file of numbers as an array; an empty one cannot be mapped."""
    return np.asarray(np.memmap(path, kind, mode)) if path.stat().st_size else np.empty(0, kind)


def _renumbered(words: npt.NDArray[np.int32], end: int) -> npt.NDArray[np.int32]:
    """The numbers that `vocabulary_of_side` gives to words of a side."""
    return (words + len(SPECIAL_WORDS) - (words > end)).astype(np.int32)


def _points_of(
    masks: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The links of all pairs as (source, target), target by target, and how many each has."""
    bits = np.unpackbits(
        masks.astype("<i8").view(np.uint8).reshape(-1, 8), axis=1, bitorder="little"
    )
    _, bit = np.nonzero(bits)
    points = np.stack([bit % LONGEST, bit // LONGEST], axis=1).astype(np.uint8)
    return points, bits.sum(axis=1, dtype=np.int64)
