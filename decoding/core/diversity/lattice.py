"""Diverse lists from the graph of one search: exact on the graph, and much cheaper than searching.

The decode without penalty leaves a graph of all hypotheses that it kept. A later entry of a
diverse list is the graph's best derivation by score minus penalty (ALGORITHMS A3). The search for
it is A* from the sentence's end to its start: a state is a node of the graph with the state of the
penalty's automaton, read from right to left, and what a node's best beginning scores without
penalty, which the graph knows, bounds what can still come. So the first derivation that arrives is
the best one of the graph, and what is far from it is never looked at.

It is approximate in one respect: translations that the first search pruned cannot come back.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from decoding.core.diversity.lists import DiversityOptions, add_costs
from decoding.core.search.compiled import kernel
from decoding.core.search.coverage import mix
from decoding.core.search.derivations import drop_first, push
from decoding.core.search.graph import Derivation, DerivationList, SearchGraph
from decoding.core.search.guide import ROOT, Penalty, follow, penalty_guide
from evaluation.core.errors import InputError

NO_ROOM = -1

# A way from the sentence's end back to a node.
ENTRY = np.dtype(
    [
        ("score", np.float64),  # of the best derivation that ends so, were there no more penalty
        ("done", np.float64),  # of what lies between the node and the end, penalty included
        ("parent", np.int32),
        ("node", np.int32),
        ("state", np.int32),
        ("option", np.int32),  # from the node on; the parent goes on from there
    ]
)
SLOT = np.dtype(
    [("done", np.float64), ("node", np.int32), ("state", np.int32), ("round", np.int64)]
)


class _Scratch(NamedTuple):
    entries: NDArray[np.void]
    queue: NDArray[np.int64]
    slots: NDArray[np.void]  # (a power of two,)  the best entry of each node and state so far


def diverse_from_graph(graph: SearchGraph, options: DiversityOptions) -> list[Derivation]:
    """The diverse list (ALGORITHMS A3) over the derivations of a graph; empty if it has none.

    The graph must be that of a search without penalty.
    """
    if options.distinct:
        raise InputError(
            "a list from one graph may hold a translation twice",
            hint="Search each entry by itself, or allow repetitions.",
        )
    if not graph.found:
        return []
    search = PenalisedSearch(graph)
    entries = [graph.best()]
    backwards: dict[tuple[str, ...], float] = {}
    while len(entries) < options.size:
        add_costs(backwards, entries[-1].text.split()[::-1], len(entries) - 1, options)
        entries.append(search.best(Penalty(backwards, options.classes)))
    return entries


class PenalisedSearch:
    """Searches one graph with one penalty after another."""

    def __init__(self, graph: SearchGraph) -> None:
        """The graph must be that of a search without penalty, and hold a translation."""
        self.graph = graph
        self._rounds = 0
        self._scratch = _empty_scratch(1 << 13)

    def best(self, backwards: Penalty) -> Derivation:
        """The derivation of the graph with the best score minus penalty.

        The penalty's n-grams are those of the words read from the last to the first.
        """
        graph = self.graph
        if not graph.sentence.tokens or not backwards.costs:
            return graph.best()
        guide = penalty_guide(backwards, graph.sentence.words)
        chosen = np.empty(len(graph.sentence.tokens), np.int32)
        while True:
            self._rounds += 1
            count, total = _search(
                graph.hypotheses,
                graph.ways,
                graph.sentence.options,
                guide,
                graph.goal,
                self._rounds,
                self._scratch,
                chosen,
            )
            if count != NO_ROOM:
                break
            self._scratch = _empty_scratch(4 * len(self._scratch.entries))
        offsets = np.array([0, count], np.int64)
        return DerivationList(graph, chosen[:count].copy(), offsets, np.array([total]))[0]


def _empty_scratch(room: int) -> _Scratch:
    return _Scratch(np.empty(room, ENTRY), np.empty(room, np.int64), np.zeros(4 * room, SLOT))


@kernel
def _search(hypotheses, ways, options, guide, goal, turn, scratch, chosen):  # type: ignore[no-untyped-def]
    """Fill ``chosen`` with the options of the best derivation; how many, and its total.

    ``turn`` tells this search's slots from those of earlier ones, so that nothing need be cleared.
    """
    entries, queue, slots = scratch
    first = entries[0]
    first.score, first.done = hypotheses[goal].score, 0.0
    first.parent, first.node, first.state, first.option = -1, goal, ROOT, -1
    queue[0] = 0
    size, count = 1, 1
    while size > 0:
        e = queue[0]
        drop_first(queue, entries, size)
        size -= 1
        node, state, done = np.int64(entries[e].node), entries[e].state, entries[e].done
        if hypotheses[node].back < 0:
            total = entries[e].score
            length = 0
            while entries[e].parent >= 0:
                chosen[length] = entries[e].option
                length += 1
                e = np.int64(entries[e].parent)
            return length, total
        if e > 0 and done < slots[_slot(slots, node, state, turn)].done:
            continue  # a better way to the same place was found later
        for place in range(ways.first[node], ways.first[node + 1]):
            way = np.int64(ways.hypothesis[place])
            option, before = np.int64(hypotheses[way].option), np.int64(hypotheses[way].back)
            score = done + hypotheses[way].score - hypotheses[before].score
            after = np.int64(state)
            for word in range(options.word_at[option + 1] - 1, options.word_at[option] - 1, -1):
                cost, after = follow(guide, after, word, word + 1)
                score -= cost
            slot = _slot(slots, before, after, turn)
            if slots[slot].round == turn and score <= slots[slot].done:
                continue
            if count == entries.size:
                return NO_ROOM, 0.0
            slots[slot].done, slots[slot].round = score, turn
            slots[slot].node, slots[slot].state = before, after
            new = entries[count]
            new.score, new.done = score + hypotheses[before].score, score
            new.parent, new.node, new.state, new.option = e, before, after, option
            push(queue, entries, size, count)
            size += 1
            count += 1
    return 0, -np.inf


@kernel
def _slot(slots, node, state, turn):  # type: ignore[no-untyped-def]
    """Where a node with a state is, or will be."""
    mask = slots.size - 1
    slot = np.int64(mix(np.uint64(node) << np.uint64(32) | np.uint64(state)) & np.uint64(mask))
    while slots[slot].round == turn and (slots[slot].node != node or slots[slot].state != state):
        slot = (slot + 1) & mask
    return slot
