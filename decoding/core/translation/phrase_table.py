"""Phrase tables as typed arrays: a trie of source phrases, and the translations of each.

Scores are natural logarithms, floored as Moses floors them. What lexicalised reordering models
say of a phrase pair stands in the same row, so that a table is asked once for everything. Every
target phrase is there once, with what each language model says of it by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from decoding.core.formats.phrase_tables import PhrasePair
from decoding.core.language.vocabulary import SPECIAL_WORDS, Vocabulary, read_only
from decoding.core.room import MEMORY, Room

LOWEST = -100.0  # Moses's floor for the logarithm of a probability
NO_NODE = -1


class PhraseTable(NamedTuple):
    """A phrase table as kernels see it. All arrays are read-only."""

    slots: NDArray[np.int64]  # (a power of two,)  node * 2^32 + word, or -1: a hash table ...
    children: NDArray[np.int32]  # (a power of two,)  ... from a node and a word to a node
    first_row: NDArray[np.int64]  # (nodes + 1,)  rows of node i: first_row[i]:first_row[i + 1]
    target: NDArray[np.int32]  # (rows,)  the target phrase
    scores: NDArray[np.float32]  # (rows, scores)  natural logarithms
    reordering: NDArray[np.float32]  # (rows, values of all reordering models)
    offsets: NDArray[np.int64]  # (phrases + 1,)  words of phrase p: offsets[p]:offsets[p + 1]
    words: NDArray[np.int32]  # the words of all target phrases, numbers of the target vocabulary
    points_at: NDArray[np.int64]  # (rows + 1,)  alignment of row r: points[points_at[r]:...]
    points: NDArray[np.uint8]  # (points, 2)  source and target position within the phrases


@njit(cache=True, nogil=True, inline="always")
def _slot_of(key, mask):  # type: ignore[no-untyped-def]
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(mask))


@njit(cache=True, nogil=True)
def find_child(table, node, word):  # type: ignore[no-untyped-def]
    """The node one word further, or -1. Node 0 is the empty phrase."""
    key = (np.int64(node) << 32) | np.int64(word)
    mask = table.slots.size - 1
    slot = _slot_of(key, mask)
    while True:
        found = table.slots[slot]
        if found == key:
            return table.children[slot]
        if found < 0:
            return NO_NODE
        slot = (slot + 1) & mask


@njit(cache=True, nogil=True)
def _fill_slots(keys, children, slots, values):  # type: ignore[no-untyped-def]
    mask = slots.size - 1
    for i in range(keys.size):
        slot = _slot_of(keys[i], mask)
        while slots[slot] >= 0:
            slot = (slot + 1) & mask
        slots[slot] = keys[i]
        values[slot] = children[i]


def slots_of_children(
    keys: NDArray[np.int64], children: NDArray[np.int32], room: Room = MEMORY
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The hash table of a trie's edges: from keys (node * 2^32 + word) to children."""
    size = 1 << max(4, (2 * len(keys)).bit_length())
    slots, values = room.full(size, -1, np.int64), room.full(size, 0, np.int32)
    _fill_slots(keys, children, slots, values)
    return slots, values


def floored_log(probabilities: NDArray[np.float64]) -> NDArray[np.float32]:
    """Natural logarithms, at least `LOWEST`."""
    with np.errstate(divide="ignore"):
        logs: NDArray[np.float64] = np.log(probabilities)
    return np.maximum(logs, LOWEST).astype(np.float32)


class TableBuilder:
    """Takes phrase pairs in any order and makes the arrays of them."""

    def __init__(self, reordering_values: int = 0) -> None:
        """A builder of a table whose rows have so many values of reordering models."""
        self._source_words: dict[str, int] = {w: i for i, w in enumerate(SPECIAL_WORDS)}
        self._target_words: dict[str, int] = {w: i for i, w in enumerate(SPECIAL_WORDS)}
        self._nodes: dict[int, int] = {}
        self._node_of: dict[str, int] = {}
        self._phrase_of: dict[str, int] = {}
        self._phrase_words: list[list[int]] = []
        self._row_nodes: list[int] = []
        self._row_targets: list[int] = []
        self._row_scores: list[Sequence[float]] = []
        self._points: list[tuple[int, int]] = []
        self._points_at: list[int] = [0]
        self._row_of: dict[tuple[int, int], int] = {}
        self._rows_at: dict[int, list[int]] | None = None
        self._reordering_values = reordering_values

    def __len__(self) -> int:
        return len(self._row_nodes)

    def add(self, pair: PhrasePair) -> bool:
        """Take a pair; False if it was there already (and is not taken again)."""
        node = self._node(pair.source)
        phrase = self._phrase(pair.target)
        if self._row_of.setdefault((node, phrase), len(self._row_nodes)) != len(self._row_nodes):
            return False
        self._row_nodes.append(node)
        self._row_targets.append(phrase)
        self._row_scores.append(pair.scores)
        self._points.extend(pair.alignment)
        self._points_at.append(len(self._points))
        return True

    def rows_of(self, source: str, target: str | None) -> Iterable[int]:
        """The rows of a phrase pair (at most one), or all of a source phrase."""
        if (node := self._node_of.get(source)) is None:
            return ()
        if target is None:
            if self._rows_at is None:
                self._rows_at = {}
                for row, owner in enumerate(self._row_nodes):
                    self._rows_at.setdefault(owner, []).append(row)
            return self._rows_at.get(node, ())
        found = self._row_of.get((node, self._phrase_of.get(target, -1)))
        return () if found is None else (found,)

    def _node(self, source: str) -> int:
        known = self._node_of.get(source)
        if known is not None:
            return known
        node, words, nodes = 0, self._source_words, self._nodes
        for text in source.split(" "):
            key = node << 32 | words.setdefault(text, len(words))
            node = nodes.setdefault(key, len(nodes) + 1)
        self._node_of[source] = node
        return node

    def _phrase(self, target: str) -> int:
        phrase = self._phrase_of.setdefault(target, len(self._phrase_words))
        if phrase == len(self._phrase_words):
            words = self._target_words
            self._phrase_words.append([words.setdefault(t, len(words)) for t in target.split(" ")])
        return phrase

    def build(
        self, reordering: NDArray[np.float32] | None = None
    ) -> tuple[PhraseTable, Vocabulary, Vocabulary]:
        """The table and its two vocabularies; ``reordering`` has a row for each pair added."""
        rows = len(self._row_nodes)
        if reordering is None:
            reordering = np.zeros((rows, self._reordering_values), np.float32)
        nodes = np.array(self._row_nodes, np.int64)
        # Stable: translations of a phrase stay in the order of the file, which breaks ties.
        order = np.argsort(nodes, kind="stable")
        per_node = np.bincount(nodes, minlength=len(self._nodes) + 1)
        keys = np.fromiter(self._nodes.keys(), np.int64, len(self._nodes))
        values = np.fromiter(self._nodes.values(), np.int32, len(self._nodes))
        slots, children = slots_of_children(keys, values)
        scores = np.array(self._row_scores, np.float64).reshape(rows, -1)
        lengths = [len(words) for words in self._phrase_words]
        points_at, points = self._ordered_points(order)
        table = PhraseTable(
            slots=slots,
            children=children,
            first_row=np.concatenate([[0], np.cumsum(per_node)]).astype(np.int64),
            target=np.array(self._row_targets, np.int32)[order],
            scores=floored_log(scores)[order],
            reordering=np.ascontiguousarray(reordering[order], np.float32),
            offsets=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
            words=np.array([w for words in self._phrase_words for w in words], np.int32),
            points_at=points_at,
            points=points,
        )
        return (
            PhraseTable(*(read_only(array) for array in table)),
            Vocabulary.of(self._source_words),
            Vocabulary.of(self._target_words),
        )

    def _ordered_points(
        self, order: NDArray[np.intp]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        at = np.array(self._points_at, np.int64)
        counts = np.diff(at)[order]
        points = np.array(self._points, np.uint8).reshape(-1, 2)
        starts = at[:-1][order]
        new_at = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        if len(points):
            index = np.repeat(starts - new_at[:-1], counts) + np.arange(len(points))
            points = np.ascontiguousarray(points[index])
        return new_at, points
