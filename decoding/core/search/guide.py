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
from itertools import chain
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

    distinct: Mapping[str, int]  # each word and its number, from 0
    places: NDArray[np.int32]  # (words of all options,)  the number of each


def penalty_guide(penalty: Penalty, words: OptionWords) -> Guide:
    """The automaton of a penalty over a sentence's words."""
    costs = np.fromiter(penalty.costs.values(), np.float64, len(penalty.costs))
    return _guide(list(penalty.costs), costs, words, penalty.classes or {}, forced=False)


def target_guide(target: Sequence[str], words: OptionWords) -> Guide:
    """The automaton of one translation over a sentence's words."""
    return _guide([tuple(target)], np.zeros(1), words, {}, forced=True)


def _guide(
    ngrams: Sequence[tuple[str, ...]],
    costs: NDArray[np.float64],
    words: OptionWords,
    classes: Mapping[str, str],
    *,
    forced: bool,
) -> Guide:
    """The automaton of n-grams; of one alone, if ``forced``, which is to be followed to its end."""
    flat = list(chain.from_iterable(ngrams))
    numbers = {text: number for number, text in enumerate(dict.fromkeys(flat))}
    lengths = np.fromiter(map(len, ngrams), np.int64, len(ngrams))
    symbols = np.fromiter(map(numbers.__getitem__, flat), np.int32, len(flat))
    room = len(flat) + 1
    root = np.full(len(numbers), NONE, np.int32)
    child, sibling, symbol = np.full((3, room), NONE, np.int32)
    before, depth, failure = np.zeros((3, room), np.int32)
    total = np.zeros(room)
    states = _grow(symbols, lengths, costs, root, child, sibling, symbol, before, depth, total)
    if not forced:
        _link(states, before, symbol, depth, root, child, sibling, failure, total)
    placed = _symbols(numbers, words, classes)[words.places]
    accepted = int(states) - 1 if forced else NONE
    return Guide(True, forced, accepted, root, child, sibling, symbol, failure, total, placed)


def _symbols(
    numbers: Mapping[str, int], words: OptionWords, classes: Mapping[str, str]
) -> NDArray[np.int32]:
    """The symbol of each of a sentence's words; few of them are in any n-gram."""
    symbols = np.full(len(words.distinct) + 1, NONE, np.int32)
    if classes:
        for word, place in words.distinct.items():
            symbols[place] = numbers.get(classes.get(word, word), NONE)
        return symbols
    for text, number in numbers.items():
        if text in words.distinct:
            symbols[words.distinct[text]] = number
    return symbols


@inlined
def _step(root, child, sibling, symbol, state, wanted):  # type: ignore[no-untyped-def]
    """The state after a symbol that the n-grams have after ``state``, or -1."""
    if state == ROOT:
        return np.int64(root[wanted])
    found = np.int64(child[state])
    while found != NONE and symbol[found] != wanted:
        found = np.int64(sibling[found])
    return found


@kernel
def _grow(symbols, lengths, costs, root, child, sibling, symbol, before, depth, total):  # type: ignore[no-untyped-def]
    """Make the states of n-grams that stand one after another in ``symbols``; how many there are.

    A state's number is larger than that of the state before it.
    """
    states = np.int64(1)
    at = 0
    for i in range(lengths.size):
        state = np.int64(ROOT)
        for place in range(at, at + lengths[i]):
            found = _step(root, child, sibling, symbol, state, symbols[place])
            if found == NONE:
                found = states
                states += 1
                symbol[found] = symbols[place]
                before[found] = state
                depth[found] = depth[state] + 1
                if state == ROOT:
                    root[symbols[place]] = found
                else:
                    sibling[found] = child[state]
                    child[state] = found
            state = found
        if state != ROOT:
            total[state] += costs[i]
        at += lengths[i]
    return states


@kernel
def _link(states, before, symbol, depth, root, child, sibling, failure, total):  # type: ignore[no-untyped-def]
    """Find each state's longest proper suffix, from the shortest states to the longest."""
    longest = 0
    for state in range(1, states):
        longest = max(longest, depth[state])
    for length in range(2, longest + 1):
        for state in range(1, states):
            if depth[state] != length:
                continue
            suffix, found = np.int64(before[state]), np.int64(NONE)
            while suffix != ROOT and found == NONE:
                suffix = np.int64(failure[suffix])
                found = _step(root, child, sibling, symbol, suffix, symbol[state])
            if found != NONE:
                failure[state] = found
                total[state] += total[found]
