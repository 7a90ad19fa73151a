"""How well a word can score at best when the left of its context is not known yet.

A decoder that looks ahead knows the words of a phrase but not what comes before it. What the
phrase scores by itself (`automaton.trace_phrase`) is the usual guess, and neither an upper nor a
lower bound; these scores are never less than what the word gets in any context, which A*-like
pruning needs (the rest costs of Heafield, Koehn and Lavie 2012, with a maximum for their mean).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from decoding.core.language.automaton import EMPTY, FREE, Automaton, find_entry
from decoding.core.language.vocabulary import read_only
from decoding.core.room import MEMORY, Room


class Bounds(NamedTuple):
    """Scores of an `Automaton`'s entries, words and states at their best. Read-only, log10."""

    entries: NDArray[np.float32]  # (slots,)  of a pair, after any history that ends in its state
    unigrams: NDArray[np.float32]  # (words,)  of a word, after any history
    backoffs: NDArray[np.float32]  # (states,)  of backing off to a state from longer ones, >= 0
    closed: NDArray[np.bool_]  # (1,)  whether an n-gram's suffixes are there, always


@njit(cache=True, nogil=True)
def best_score(lm, bounds, state, word):  # type: ignore[no-untyped-def]
    """The best log10 probability of ``word`` after any history that ends in ``state``'s words."""
    known = state
    backed_off = 0.0
    while state != EMPTY:
        slot = find_entry(lm.entries, state, word)
        if slot >= 0:
            if state == known or not bounds.closed[0]:
                return np.float64(bounds.entries[slot])
            return lm.entries[slot].score + backed_off + bounds.backoffs[known]
        backed_off += lm.states[state].backoff
        state = lm.states[state].suffix
    if known == EMPTY or not bounds.closed[0]:
        return np.float64(bounds.unigrams[word])
    return lm.unigrams[word].score + backed_off + bounds.backoffs[known]


@njit(cache=True, nogil=True)
def best_phrase_score(lm, bounds, words, states):  # type: ignore[no-untyped-def]
    """A bound for a phrase after any history; ``states`` are those of `automaton.trace_phrase`."""
    total = 0.0
    for i in range(words.size):
        total += best_score(lm, bounds, states[i], words[i])
    return total


@njit(cache=True, nogil=True)
def _fill(lm, longest, entries, unigrams, backoffs, closed):  # type: ignore[no-untyped-def]
    """From the longest states to the shortest, each passing its best to its suffix."""
    for level in range(longest, 0, -1):
        for state in range(lm.states.size):
            if lm.lengths[state] == level:
                suffix = lm.states[state].suffix
                best = lm.states[state].backoff + backoffs[state]
                backoffs[suffix] = max(backoffs[suffix], best)
    for slot in range(entries.size):
        if lm.entries[slot].key != FREE:
            state = lm.entries[slot].key >> np.uint64(32)
            entries[slot] = lm.entries[slot].score + backoffs[state]
    for word in range(unigrams.size):
        unigrams[word] = lm.unigrams[word].score + backoffs[EMPTY]
    for level in range(longest, 0, -1):
        for slot in range(entries.size):
            if lm.entries[slot].key == FREE:
                continue
            context = np.int32(lm.entries[slot].key >> np.uint64(32))
            last = np.int32(lm.entries[slot].key & np.uint64(0xFFFFFFFF))
            if lm.lengths[context] != level:
                continue
            suffix = lm.states[context].suffix
            found = -1
            while suffix != EMPTY:
                found = find_entry(lm.entries, suffix, last)
                if found >= 0:
                    break
                closed[0] = False
                suffix = lm.states[suffix].suffix
            if found >= 0:
                entries[found] = max(entries[found], entries[slot])
            else:
                unigrams[last] = max(unigrams[last], entries[slot])


def bound(lm: Automaton, room: Room = MEMORY) -> Bounds:
    """The bounds of a model; about as fast as building it."""
    bounds = Bounds(
        room.full(lm.entries.size, -np.inf, np.float32),
        np.empty(lm.unigrams.size, np.float32),
        room.full(lm.states.size, 0.0, np.float32),
        np.ones(1, np.bool_),
    )
    _fill(lm, int(lm.lengths.max()), *bounds)
    return Bounds(*(read_only(array) for array in bounds))
