"""Automata over the words of a translation that a search follows beside its language models.

A *penalty* takes something off for each occurrence of certain n-grams: the dissimilarity of a
diverse list (ALGORITHMS A2, A3). It is an Aho-Corasick automaton: its state is the longest suffix
of the words so far that a penalised n-gram begins with, so the state is the empty one, and
hypotheses recombine, wherever no penalised n-gram could still complete. A *target* accepts one
translation only: forced decoding.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from decoding.core.search.compiled import inlined

ROOT = 0
NONE = -1


class Guide(NamedTuple):
    """An automaton as kernels see it, and the symbols of the options' words."""

    active: bool
    forced: bool  # a word that leads nowhere ends the hypothesis
    accepted: int  # the state that a finished hypothesis must have reached, or -1: any
    root: NDArray[np.int32]  # (symbols,)  the state after a symbol from the start, or -1
    child: NDArray[np.int32]  # (states,)  the first state one symbol further, or -1
    sibling: NDArray[np.int32]  # (states,)  the next with the same state before it, or -1
    symbol: NDArray[np.int32]  # (states,)  the last symbol
    failure: NDArray[np.int32]  # (states,)  the state of the longest proper suffix
    cost: NDArray[np.float64]  # (states,)  what arriving here takes off the score
    symbols: NDArray[np.int32]  # (words of all options,)  or -1: a word that is in no n-gram


@inlined
def follow(guide, state, first, stop):  # type: ignore[no-untyped-def]
    """What the words ``first`` to ``stop`` of the options cost, and the state after them."""
    total = 0.0
    for i in range(first, stop):
        symbol = guide.symbols[i]
        if symbol == NONE:
            if guide.forced:
                return np.inf, state
            state = ROOT
            continue
        while True:
            if state == ROOT:
                found = guide.root[symbol]
            else:
                found = guide.child[state]
                while found != NONE and guide.symbol[found] != symbol:
                    found = guide.sibling[found]
            if found != NONE or state == ROOT:
                break
            if guide.forced:
                return np.inf, state
            state = guide.failure[state]
        if found == NONE:
            if guide.forced:
                return np.inf, state
            continue
        total += guide.cost[found]
        # A state that nothing goes on from is as good as its longest suffix.
        state = found
        while state != ROOT and guide.child[state] == NONE and not guide.forced:
            state = guide.failure[state]
    return total, state


@dataclass(frozen=True, slots=True)
class Penalty:
    """What each occurrence of an n-gram in a translation takes off its score.

    N-grams are tuples of words; with ``classes`` (word to class) they are tuples of classes, and
    a word without a class is its own. Only words count, never the sentence's boundaries.
    """

    costs: Mapping[tuple[str, ...], float]
    classes: Mapping[str, str] | None = None


def no_guide(words: int = 0) -> Guide:
    """The automaton that says nothing."""
    nothing = np.zeros(0, np.int32)
    return Guide(
        False,
        False,
        NONE,
        nothing,
        nothing,
        nothing,
        nothing,
        nothing,
        np.zeros(0),
        np.zeros(words, np.int32),
    )


def penalty_guide(penalty: Penalty, words: Sequence[str]) -> Guide:
    """The automaton of a penalty; ``words`` are those of the options, in their order."""
    numbers: dict[str, int] = {}
    keys: list[tuple[int, int]] = [(NONE, NONE)]  # state before, symbol
    costs = [0.0]
    states: dict[tuple[int, int], int] = {}
    for ngram, cost in penalty.costs.items():
        state = ROOT
        for text in ngram:
            key = (state, numbers.setdefault(text, len(numbers)))
            state = states.setdefault(key, len(keys))
            if state == len(keys):
                keys.append(key)
                costs.append(0.0)
        if state != ROOT:
            costs[state] += cost
    classes = penalty.classes or {}
    symbols = [numbers.get(classes.get(word, word), NONE) for word in words]
    return _guide(keys, states, costs, len(numbers), symbols, forced=False)


def target_guide(target: Sequence[str], words: Sequence[str]) -> Guide:
    """The automaton of one translation; ``words`` are those of the options, in their order."""
    numbers: dict[str, int] = {}
    keys = [(NONE, NONE)]
    for state, text in enumerate(target):
        keys.append((state, numbers.setdefault(text, len(numbers))))
    states = {key: state for state, key in enumerate(keys) if state}
    symbols = [numbers.get(word, NONE) for word in words]
    return _guide(keys, states, [0.0] * len(keys), len(numbers), symbols, forced=True)


def _guide(
    keys: Sequence[tuple[int, int]],
    states: Mapping[tuple[int, int], int],
    costs: Sequence[float],
    alphabet: int,
    symbols: Sequence[int],
    *,
    forced: bool,
) -> Guide:
    """Link states to their suffixes; ``keys`` has the state before and the symbol of each."""
    root = np.full(alphabet, NONE, np.int32)
    child, sibling, symbol = np.full((3, len(keys)), NONE, np.int32)
    failure = np.zeros(len(keys), np.int32)
    total = np.array(costs, np.float64)
    depth = [0] * len(keys)
    for state in range(1, len(keys)):
        before, last = keys[state]
        depth[state] = depth[before] + 1
        symbol[state] = last
        sibling[state], child[before] = child[before], state
        if before == ROOT:
            root[last] = state
    for state in sorted(range(1, len(keys)), key=depth.__getitem__):
        before, last = keys[state]
        while before != ROOT:
            before = int(failure[before])
            if (suffix := states.get((before, last))) is not None:
                failure[state] = suffix
                total[state] += total[suffix]
                break
    return Guide(
        True,
        forced,
        len(keys) - 1 if forced else NONE,
        root,
        child,
        sibling,
        symbol,
        failure,
        total,
        np.array(symbols, np.int32),
    )
