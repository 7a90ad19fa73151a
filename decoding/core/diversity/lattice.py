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

from heapq import heappop, heappush

import numpy as np
from numba import njit, types
from numba.typed import Dict

from decoding.core.diversity.lists import DiversityOptions, penalty_for
from decoding.core.search.graph import Derivation, DerivationList, SearchGraph
from decoding.core.search.guide import ROOT, Penalty, follow, penalty_guide

# More than an automaton over a list's n-grams ever has.
STATES = np.int64(1) << 24


def diverse_from_graph(graph: SearchGraph, options: DiversityOptions) -> list[Derivation]:
    """The diverse list (ALGORITHMS A3) over the derivations of a graph; empty if it has none.

    The graph must be that of a search without penalty.
    """
    if not graph.found:
        return []
    entries = [graph.best()]
    while len(entries) < options.size:
        penalty = penalty_for([entry.text.split() for entry in entries], options)
        entries.append(best_penalised(graph, penalty))
    return entries


def best_penalised(graph: SearchGraph, penalty: Penalty) -> Derivation:
    """The derivation of the graph with the best score minus penalty."""
    reversed_costs = {gram[::-1]: cost for gram, cost in penalty.costs.items()}
    guide = penalty_guide(Penalty(reversed_costs, penalty.classes), graph.sentence.words)
    chosen = np.empty(len(graph.sentence.tokens), np.int32)
    if not len(chosen) or not penalty.costs:
        return graph.best()
    count, total = _search(
        graph.hypotheses, graph.ways, graph.sentence.options, guide, graph.goal, chosen
    )
    offsets = np.array([0, count], np.int64)
    return DerivationList(graph, chosen[:count].copy(), offsets, np.array([total]))[0]


@njit(cache=True, nogil=True)
def _search(hypotheses, ways, options, guide, goal, chosen):  # type: ignore[no-untyped-def]
    """Fill ``chosen`` with the options of the best derivation; how many, and its total."""
    # States under way: node, automaton's state, score of what follows, where it came from.
    nodes, states, scores = [np.int64(goal)], [np.int64(ROOT)], [0.0]
    parents, taken = [np.int64(-1)], [np.int64(-1)]
    best = Dict.empty(types.int64, types.float64)  # of each (node, state): the best score so far
    # The heap's smallest is the best: totals are negated; of equals the one found first.
    heap = [(-hypotheses[goal].score, np.int64(0))]
    while len(heap) > 0:
        bound, entry = heappop(heap)
        node, state = nodes[entry], states[entry]
        if scores[entry] < best.get(node * STATES + state, -np.inf):
            continue
        if hypotheses[node].back < 0:
            count = 0
            while parents[entry] >= 0:
                chosen[count] = taken[entry]
                count += 1
                entry = parents[entry]
            return count, -bound
        for place in range(ways.first[node], ways.first[node + 1]):
            way = np.int64(ways.hypothesis[place])
            option, before = np.int64(hypotheses[way].option), np.int64(hypotheses[way].back)
            score = scores[entry] + hypotheses[way].score - hypotheses[before].score
            after = state
            for word in range(options.word_at[option + 1] - 1, options.word_at[option] - 1, -1):
                cost, after = follow(guide, after, word, word + 1)
                score -= cost
            key = before * STATES + after
            if score > best.get(key, -np.inf):
                best[key] = score
                nodes.append(before)
                states.append(np.int64(after))
                scores.append(score)
                parents.append(entry)
                taken.append(option)
                heappush(heap, (-(score + hypotheses[before].score), np.int64(len(nodes) - 1)))
    return 0, -np.inf
