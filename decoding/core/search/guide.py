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

from decoding.core.search.compiled import inlined, kernel

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


class OptionWords(NamedTuple):
    """The target words of all options of a sentence: most occur in many options."""

    distinct: tuple[str, ...]
    places: NDArray[np.int32]  # (words of all options,)  where each stands in ``distinct``


def penalty_guide(penalty: Penalty, words: OptionWords) -> Guide:
    """The automaton of a penalty over a sentence's words."""
    numbers: dict[str, int] = {}
    before, last, costs = [NONE], [NONE], [0.0]
    states: dict[tuple[int, int], int] = {}
    for ngram, cost in penalty.costs.items():
        state = ROOT
        for text in ngram:
            key = (state, numbers.setdefault(text, len(numbers)))
            state = states.setdefault(key, len(costs))
            if state == len(costs):
                before.append(key[0])
                last.append(key[1])
                costs.append(0.0)
        if state != ROOT:
            costs[state] += cost
    classes = penalty.classes or {}
    symbols = [numbers.get(classes.get(word, word), NONE) for word in words.distinct]
    return _guide(before, last, costs, len(numbers), symbols, words, forced=False)


def target_guide(target: Sequence[str], words: OptionWords) -> Guide:
    """The automaton of one translation over a sentence's words."""
    numbers: dict[str, int] = {}
    last = [NONE, *(numbers.setdefault(text, len(numbers)) for text in target)]
    before = list(range(-1, len(target)))
    symbols = [numbers.get(word, NONE) for word in words.distinct]
    return _guide(before, last, [0.0] * len(last), len(numbers), symbols, words, forced=True)


def _guide(
    before: Sequence[int],
    last: Sequence[int],
    costs: Sequence[float],
    alphabet: int,
    symbols: Sequence[int],
    words: OptionWords,
    *,
    forced: bool,
) -> Guide:
    """Link states to their suffixes; each state has the one before it and its last symbol."""
    count = len(costs)
    root = np.full(alphabet, NONE, np.int32)
    child, sibling = np.full((2, count), NONE, np.int32)
    symbol, failure = np.array(last, np.int32), np.zeros(count, np.int32)
    total = np.array(costs, np.float64)
    depth = np.zeros(count, np.int32)
    _link(np.array(before, np.int32), symbol, depth, root, child, sibling, failure, total)
    placed = np.array([*symbols, NONE], np.int32)[words.places]
    accepted = count - 1 if forced else NONE
    return Guide(True, forced, accepted, root, child, sibling, symbol, failure, total, placed)


@kernel
def _link(before, symbol, depth, root, child, sibling, failure, total):  # type: ignore[no-untyped-def]
    """Fill the transitions, then the failures from the shortest states to the longest.

    A state's number is larger than that of the state before it.
    """
    longest = 0
    for state in range(1, symbol.size):
        depth[state] = depth[before[state]] + 1
        longest = max(longest, depth[state])
        sibling[state], child[before[state]] = child[before[state]], state
        if before[state] == ROOT:
            root[symbol[state]] = state
    for length in range(2, longest + 1):
        for state in range(1, symbol.size):
            if depth[state] != length:
                continue
            suffix, found = np.int64(before[state]), np.int64(NONE)
            while suffix != ROOT and found == NONE:
                suffix = np.int64(failure[suffix])
                found = np.int64(root[symbol[state]] if suffix == ROOT else child[suffix])
                while suffix != ROOT and found != NONE and symbol[found] != symbol[state]:
                    found = np.int64(sibling[found])
            if found != NONE:
                failure[state] = found
                total[state] += total[found]
