"""A search graph as a lattice that other programs can read and rescore.

Nodes are numbered from 0, the start, to the goal, and every edge leads from a lower number to a
higher one. An edge is one phrase with its source words and its feature vector; along every path
from start to goal the vectors add up to the derivation's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.automaton import begin_state
from decoding.core.search.compiled import kernel
from decoding.core.search.derivations import phrase_features
from decoding.core.search.graph import SearchGraph
from evaluation.core.errors import InputError


@dataclass(frozen=True)
class Lattice:
    """The derivations of a graph, or the better of them, as edges; edge i is row i of all."""

    tokens: tuple[str, ...]
    columns: tuple[str, ...]  # names of the features' columns, as "LM0" or "TranslationModel0.2"
    nodes: int  # node 0 is the start, the last one the goal
    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    span: NDArray[np.int32]  # (edges, 2)  first and last source word
    texts: tuple[str, ...]
    features: NDArray[np.float64]  # (edges, columns)

    def as_json(self, sentence: int) -> str:
        """One line of JSON: the form that `decode --lattice-output` writes."""
        edges = [
            [tail, head, start, end, text, [round(value, 6) for value in values]]
            for tail, head, (start, end), text, values in zip(
                self.tail.tolist(), self.head.tolist(), self.span.tolist(), self.texts,
                self.features.tolist(), strict=True,
            )
        ]  # fmt: skip
        record = {
            "sentence": sentence,
            "source": self.tokens,
            "nodes": self.nodes,
            "columns": self.columns,
            "edges": edges,
        }
        return json.dumps(record, ensure_ascii=False)


def lattice_of(graph: SearchGraph, *, within: float | None = None) -> Lattice:
    """The lattice of a graph from a search without penalty.

    With ``within`` only those edges that lie on a derivation whose score is at most so much below
    the best (posterior pruning with maxima; nothing else is lost).
    """
    if within is not None and not within >= 0:
        raise InputError("a lattice holds what is 0 or more below the best")
    sentence, system = graph.sentence, graph.decoder.system
    columns = tuple(
        feature.name if feature.count == 1 else f"{feature.name}.{i}"
        for feature in system.features
        for i in range(feature.count)
    )
    if not graph.found or not sentence.tokens:
        none = np.zeros(0, np.int64)
        empty = np.zeros((0, 2), np.int32), (), np.zeros((0, len(columns)))
        return Lattice(sentence.tokens, columns, 1, none, none, *empty)
    ends = _ends(graph)
    slack = np.inf if within is None else within + 1e-9
    ways = graph.ways
    node_of = np.repeat(np.arange(len(graph.hypotheses)), np.diff(ways.first))
    way = ways.hypothesis[: len(node_of)]
    back = graph.hypotheses["back"][way]
    best = graph.hypotheses["score"][graph.goal]
    kept = (back >= 0) & (best - (graph.hypotheses["score"][way] + ends[node_of]) <= slack)
    heads, way, tails = node_of[kept], way[kept], back[kept]
    numbers, placed = np.unique(np.concatenate([tails, heads]), return_inverse=True)
    chosen = graph.hypotheses["option"][way]
    features = np.zeros((len(way), len(columns)))
    n, models = len(sentence.tokens), len(system.languages)
    _edge_features(
        graph.decoder.model, graph.decoder.columns, sentence.options, graph.hypotheses,
        numbers, placed[: len(way)], chosen, heads == graph.goal,
        np.zeros((len(numbers), models), np.int32), np.zeros((len(numbers), n), np.bool_),
        np.zeros((len(graph.hypotheses),), np.int64), np.zeros(models, np.int32),
        np.zeros(len(columns)), features,
    )  # fmt: skip
    options = sentence.options
    return Lattice(
        sentence.tokens,
        columns,
        len(numbers),
        placed[: len(way)],
        placed[len(way) :],
        np.stack([options.start[chosen], options.end[chosen]], axis=1),
        tuple(_text(graph, option) for option in chosen.tolist()),
        features,
    )


def _text(graph: SearchGraph, option: int) -> str:
    options = graph.sentence.options
    numbers = options.words[options.word_at[option] : options.word_at[option + 1]]
    return " ".join(graph.sentence.word(number) for number in numbers.tolist())


def _ends(graph: SearchGraph) -> NDArray[np.float64]:
    """What the best way from each node to the goal scores; -inf where there is none."""
    ends = np.full(len(graph.hypotheses), -np.inf)
    ends[graph.goal] = 0.0
    _fill_ends(graph.hypotheses, graph.ways, ends)
    return ends


@kernel
def _fill_ends(hypotheses, ways, ends):  # type: ignore[no-untyped-def]
    # A hypothesis has a higher number than the one it extends.
    for node in range(hypotheses.size - 1, -1, -1):
        if ends[node] == -np.inf:
            continue
        for place in range(ways.first[node], ways.first[node + 1]):
            way = np.int64(ways.hypothesis[place])
            back = np.int64(hypotheses[way].back)
            if back >= 0:
                step = hypotheses[way].score - hypotheses[back].score
                ends[back] = max(ends[back], ends[node] + step)


@kernel
def _edge_features(  # type: ignore[no-untyped-def]
    model, columns, options, hypotheses, numbers, tails, chosen, last, states, covered, place,
    moving, scratch, features,
):  # fmt: skip
    """Fill ``features``; ``numbers`` are the nodes' hypotheses, the rest is scratch.

    All derivations that share a node agree in whatever the next phrase can see of them, so its
    best one speaks for them.
    """
    for i in range(numbers.size):
        place[numbers[i]] = i
        h = np.int64(numbers[i])
        if hypotheses[h].back < 0:
            for k in range(len(model.languages)):
                states[i, k] = begin_state(model.languages[k].automaton)
            continue
        back = place[hypotheses[h].back]
        option = np.int64(hypotheses[h].option)
        for k in range(len(model.languages)):
            states[i, k] = states[back, k]
        for position in range(covered.shape[1]):
            covered[i, position] = covered[back, position]
        for position in range(options.start[option], options.end[option] + 1):
            covered[i, position] = True
        phrase_features(model, columns, options, states[i], np.int64(-1), 0, option, False, scratch)
    for edge in range(chosen.size):
        tail = tails[edge]
        gap = 0
        while covered[tail, gap]:
            gap += 1
        for k in range(len(model.languages)):
            moving[k] = states[tail, k]
        previous = np.int64(hypotheses[numbers[tail]].option)
        phrase_features(
            model, columns, options, moving, previous, gap, np.int64(chosen[edge]), last[edge],
            features[edge],
        )  # fmt: skip
