"""An n-gram model as an automaton with failure links, for kernels.

A *state* is a number: the longest suffix of the words so far that can still matter, because the
model has an n-gram that begins with it or gives it a back-off other than 0 (KenLM's rule for its
right state; Heafield 2011). State 0 is the empty history. A word is scored by looking for the
pair (state, word); while it is missing, the state's back-off is added and its suffix tried, down
to the empty history, where every word has a probability. Each pair knows the state it leads to,
so no word of the history is ever looked at, and two histories that the model cannot tell apart
are one number.

All scores are log10, as in ARPA files; who wants natural logarithms multiplies by `LN10`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from decoding.core.language.ngrams import BackoffModel
from decoding.core.language.vocabulary import BEGIN, END, read_only
from decoding.core.room import MEMORY, Room
from evaluation.core.errors import InputError

LN10 = math.log(10.0)
EMPTY = 0  # the state of the empty history

# 16 bytes, so that an entry never lies across two cache lines. The key is that of `_key`.
ENTRY = np.dtype([("key", np.uint64), ("score", np.float32), ("next", np.int32)])
STATE = np.dtype([("children", np.uint64), ("backoff", np.float32), ("suffix", np.int32)])
UNIGRAM = np.dtype([("score", np.float32), ("next", np.int32)])

FREE = np.uint64(0xFFFFFFFFFFFFFFFF)  # the key of a slot without an entry
_TURNS = 8  # sentences that `score_sentences` has under way
_SPACE = 2.5  # slots for each entry: 2 make queries a tenth slower, 1.5 a quarter


class Automaton(NamedTuple):
    """A language model as kernels see it. All arrays are read-only."""

    entries: NDArray[np.void]  # ENTRY: a hash table of (state, word), open addressing
    states: NDArray[np.void]  # STATE: back-off and next shorter state, and a filter of its words
    unigrams: NDArray[np.void]  # UNIGRAM: score and state of each word after the empty history
    lengths: NDArray[np.int8]  # (states,)  words of the history that the state stands for


@njit(cache=True, nogil=True, inline="always")
def _key(state, word):  # type: ignore[no-untyped-def]
    return (np.uint64(state) << np.uint64(32)) | np.uint64(word)


@njit(cache=True, nogil=True, inline="always")
def _first_slot(key, size):  # type: ignore[no-untyped-def]
    """Where a key belongs in a table of any size: its product with the golden ratio, scaled."""
    mixed = key * np.uint64(0x9E3779B97F4A7C15)
    return ((mixed >> np.uint64(32)) * np.uint64(size)) >> np.uint64(32)


@njit(cache=True, nogil=True, inline="always")
def find_entry(entries, state, word):  # type: ignore[no-untyped-def]
    """The slot of a pair, or -1."""
    key = _key(state, word)
    slot = _first_slot(key, entries.size)  # unsigned, which spares the check for negative indices
    while True:
        found = entries[slot].key
        if found == key:
            return np.int64(slot)
        if found == FREE:
            return np.int64(-1)
        slot += np.uint64(1)
        if slot == np.uint64(entries.size):
            slot = np.uint64(0)


@njit(cache=True, nogil=True, inline="always")
def filter_bit(word):  # type: ignore[no-untyped-def]
    """The bit that a word sets in the filter of each state that has an entry with it.

    A state has few words, so one look at its filter, on the cache line that a miss must read
    anyway for the back-off, spares most look-ups that would find nothing (a Bloom filter).
    """
    mixed = np.uint64(word) * np.uint64(0x9E3779B97F4A7C15)
    return np.uint64(1) << (mixed >> np.uint64(58))


@njit(cache=True, nogil=True)
def advance(lm, state, word):  # type: ignore[no-untyped-def]
    """The log10 probability of ``word`` after ``state``, and the state that follows."""
    score = 0.0
    bit = filter_bit(word)
    while state != EMPTY:
        row = lm.states[np.uint32(state)]
        if row.children & bit:
            slot = find_entry(lm.entries, state, word)
            if slot >= 0:
                return score + lm.entries[slot].score, lm.entries[slot].next
        score += row.backoff
        state = row.suffix
    unigram = lm.unigrams[np.uint32(word)]
    return score + unigram.score, unigram.next


@njit(cache=True, nogil=True)
def begin_state(lm):  # type: ignore[no-untyped-def]
    """The state at the start of a sentence."""
    return lm.unigrams[BEGIN].next


@njit(cache=True, nogil=True)
def matched_length(lm, state, word):  # type: ignore[no-untyped-def]
    """How many words the n-gram has by which `advance` scores: KenLM's ``ngram_length``.

    As there, a context that the file should have named, but did not, counts as named.
    """
    while state != EMPTY:
        if find_entry(lm.entries, state, word) >= 0:
            return lm.lengths[state] + 1
        state = lm.states[state].suffix
    return 1


@njit(cache=True, nogil=True)
def score_sentence(lm, words, begin, end):  # type: ignore[no-untyped-def]
    """The log10 probability of a sentence; with its boundaries if ``begin`` and ``end``."""
    state = begin_state(lm) if begin else np.int32(EMPTY)
    total = 0.0
    for word in words:
        score, state = advance(lm, state, word)
        total += score
    if end:
        total += advance(lm, state, END)[0]
    return total


@njit(cache=True, nogil=True)
def score_sentences(lm, words, offsets, begin, end, totals):  # type: ignore[no-untyped-def]
    """Fill ``totals`` with the scores of ``words[offsets[i]:offsets[i + 1]]``.

    Several sentences take turns word by word, for a word's look-up must wait for the one before
    it, but not for those of other sentences: the waits for memory overlap (1.7 times as fast).
    """
    count = offsets.size - 1
    first = begin_state(lm) if begin else np.int32(EMPTY)
    turns = min(_TURNS, count)
    sentence = np.arange(turns)
    position = offsets[:turns].copy()
    state = np.full(turns, first, np.int32)
    totals[:] = 0.0
    started = turns
    while turns > 0:
        for k in range(turns - 1, -1, -1):
            i = sentence[k]
            if position[k] < offsets[i + 1]:
                score, state[k] = advance(lm, state[k], words[position[k]])
                totals[i] += score
                position[k] += 1
                continue
            if end:
                totals[i] += advance(lm, state[k], END)[0]
            if started == count:  # the last one takes this turn
                turns -= 1
                sentence[k], position[k], state[k] = sentence[turns], position[turns], state[turns]
            else:
                sentence[k], position[k], state[k] = started, offsets[started], first
                started += 1


@njit(cache=True, nogil=True)
def score_events(lm, words, offsets, scores):  # type: ignore[no-untyped-def]
    """Fill in the log10 probability of each word and, after a sentence's last, of its end.

    The events of sentence i are ``scores[offsets[i] + i:offsets[i + 1] + i + 1]``.
    """
    for i in range(offsets.size - 1):
        state = begin_state(lm)
        for k in range(offsets[i], offsets[i + 1]):
            scores[k + i], state = advance(lm, state, words[k])
        scores[offsets[i + 1] + i] = advance(lm, state, END)[0]


@njit(cache=True, nogil=True)
def score_last_words(lm, rows, first, scores):  # type: ignore[no-untyped-def]
    """Fill in the log10 probability of each row's last word after its words from ``first`` on."""
    last = rows.shape[1] - 1
    for i in range(rows.shape[0]):
        state = np.int32(EMPTY)
        for k in range(first, last):
            state = advance(lm, state, rows[i, k])[1]
        scores[i] = advance(lm, state, rows[i, last])[0]


@njit(cache=True, nogil=True)
def trace_phrase(lm, words, states, scores):  # type: ignore[no-untyped-def]
    """Score a phrase by itself, from the empty history.

    ``states[i]`` and ``scores[i]`` become the state after, and the score of, its first i words.
    Whoever scores the phrase after a history is done as soon as the state is the one given here:
    from there on history does not tell, and the rest of the scores and the last state are known.
    Most phrases then cost one or two look-ups.
    """
    state = np.int32(EMPTY)
    states[0] = state
    scores[0] = 0.0
    for i in range(words.size):
        score, state = advance(lm, state, words[i])
        states[i + 1] = state
        scores[i + 1] = scores[i] + score


# Building -----------------------------------------------------------------------------------


class RepeatedNGramError(InputError):
    """An n-gram is there twice; the second time as number ``index`` of its order."""

    def __init__(self, model: BackoffModel, order: int, index: int) -> None:
        """Name the n-gram; who knows the file can tell its line by the order and the index."""
        words = model.orders[order - 1].words[index]
        text = " ".join(model.vocabulary.words[word] for word in words)
        super().__init__(f"the {order}-gram {text!r} is there twice", hint="Delete one of the two.")
        self.order, self.index = order, index


class _Trie(NamedTuple):
    """N-grams as nodes: node w is the unigram w, any other is its context and a last word."""

    parent: NDArray[np.int32]
    word: NDArray[np.int32]
    depth: NDArray[np.int8]
    score: NDArray[np.float32]  # NaN for a node that no n-gram has named (yet)
    backoff: NDArray[np.float32]
    inner: NDArray[np.bool_]  # whether the node is some node's context
    entries: NDArray[np.void]  # ENTRY: (context node, word) -> node, in ``next``


@njit(cache=True, nogil=True)
def _insert_entry(entries, state, word, score, following):  # type: ignore[no-untyped-def]
    key = _key(state, word)
    slot = _first_slot(key, entries.size)
    while entries[slot].key != FREE:
        slot += np.uint64(1)
        if slot == np.uint64(entries.size):
            slot = np.uint64(0)
    entries[slot].key = key
    entries[slot].score = score
    entries[slot].next = following


@njit(cache=True, nogil=True)
def _add_ngrams(trie, count, words, scores, backoffs):  # type: ignore[no-untyped-def]
    """Add n-grams of one order. Returns the count of nodes, and what stopped it.

    That is -1 if nothing did, -2 if there is no more room, or the index of a repeated n-gram.
    Contexts that the file leaves out (as SRILM does when it prunes) become nodes without a score.
    """
    parent, word, depth, score, backoff, inner, entries = trie
    order = words.shape[1]
    path = np.full(order, -1, np.int32)  # the nodes of the n-gram before: many share its context
    for i in range(words.shape[0]):
        shared = 0
        while i > 0 and shared < order - 1 and words[i, shared] == words[i - 1, shared]:
            shared += 1
        if shared == 0:
            path[0] = words[i, 0]
            shared = 1
        node = path[shared - 1]
        for k in range(shared, order):
            inner[node] = True
            slot = find_entry(entries, node, words[i, k])
            if slot >= 0:
                node = path[k] = entries[slot].next
                continue
            if count == parent.size:
                return count, -2
            parent[count], word[count], depth[count] = node, words[i, k], k + 1
            score[count], backoff[count] = np.nan, 0.0
            _insert_entry(entries, node, words[i, k], 0.0, count)
            node = path[k] = count
            count += 1
        if not np.isnan(score[node]):
            return count, i
        score[node], backoff[node] = scores[i], backoffs[i]
    return count, -1


@njit(cache=True, nogil=True)
def _link(trie, count, order, failure):  # type: ignore[no-untyped-def]
    """Find each node's longest proper suffix that is a state, and score the nameless nodes.

    Nodes are visited by depth, for a node's suffixes and context are all shorter. -1 stands for
    the empty history.
    """
    parent, word, depth, score, backoff, inner, entries = trie
    for level in range(1, order + 1):
        for node in range(count):
            if depth[node] != level:
                continue
            last = word[node]
            failure[node] = -1
            if level == 1:
                continue
            if np.isnan(score[node]):
                score[node] = _backed_off(trie, failure, parent[node], last)
            shorter = failure[parent[node]]
            while True:
                suffix = last
                if shorter >= 0:
                    slot = find_entry(entries, shorter, last)
                    suffix = entries[slot].next if slot >= 0 else -1
                if suffix >= 0 and (inner[suffix] or backoff[suffix] != 0.0):
                    failure[node] = suffix
                    break
                if shorter < 0:
                    break
                shorter = failure[shorter]


@njit(cache=True, nogil=True)
def _backed_off(trie, failure, context, last):  # type: ignore[no-untyped-def]
    """The score of ``last`` after ``context``, which has no such n-gram, from shorter ones."""
    total = trie.backoff[context]
    shorter = failure[context]
    while shorter >= 0:
        slot = find_entry(trie.entries, shorter, last)
        if slot >= 0:
            return total + trie.score[trie.entries[slot].next]
        total += trie.backoff[shorter]
        shorter = failure[shorter]
    return total + trie.score[last]


@njit(cache=True, nogil=True)
def _number_states(trie, count, numbers):  # type: ignore[no-untyped-def]
    """Number the nodes that are states from 1; the others get 0. Returns how many there are."""
    states = 1
    for node in range(count):
        numbers[node] = 0
        if trie.inner[node] or trie.backoff[node] != 0.0:
            numbers[node] = states
            states += 1
    return states


@njit(cache=True, nogil=True)
def _fill(trie, count, failure, numbers, entries, states, unigrams, lengths):  # type: ignore[no-untyped-def]
    lengths[EMPTY] = 0
    for node in range(count):
        shorter = numbers[failure[node]] if failure[node] >= 0 else 0
        own = numbers[node]
        if own > 0:
            states[own].backoff = trie.backoff[node]
            states[own].suffix = shorter
            lengths[own] = trie.depth[node]
        following = own if own > 0 else shorter
        if trie.depth[node] == 1:
            unigrams[node].score, unigrams[node].next = trie.score[node], following
        else:
            parent = numbers[trie.parent[node]]
            _insert_entry(entries, parent, trie.word[node], trie.score[node], following)
            states[parent].children |= filter_bit(trie.word[node])


def _empty_entries(count: int, room: Room) -> NDArray[np.void]:
    return room.full(int(count * _SPACE) + 4, np.array((FREE, 0, 0), ENTRY), ENTRY)


def _build_trie(model: BackoffModel, capacity: int, room: Room) -> tuple[_Trie, int] | None:
    """The n-grams as a trie and its size, or None if ``capacity`` nodes do not hold them."""
    unigrams = model.orders[0]
    count = len(unigrams)
    trie = _Trie(
        room.full(capacity, -1, np.int32),
        room.empty(capacity, np.int32),
        room.full(capacity, 1, np.int8),
        room.empty(capacity, np.float32),
        room.full(capacity, 0.0, np.float32),
        room.full(capacity, False, np.bool_),
        _empty_entries(capacity, room),
    )
    trie.word[:count] = np.arange(count)
    trie.score[:count] = unigrams.log10_probability
    trie.backoff[:count] = unigrams.log10_backoff if model.order > 1 else 0.0
    for ngrams in model.orders[1:]:
        highest = ngrams.words.shape[1] == model.order
        backoffs = np.zeros(len(ngrams), np.float32) if highest else ngrams.log10_backoff
        count, stop = _add_ngrams(trie, count, ngrams.words, ngrams.log10_probability, backoffs)
        if stop == -2:
            return None
        if stop >= 0:
            raise RepeatedNGramError(model, ngrams.words.shape[1], int(stop))
    return trie, count


def build(model: BackoffModel, room: Room = MEMORY) -> Automaton:
    """The automaton of a back-off model, in a room of about 80 bytes for each n-gram."""
    capacity = sum(len(ngrams) for ngrams in model.orders)
    while (built := _build_trie(model, capacity, room)) is None:
        capacity += capacity // 2 + 16
    trie, count = built
    failure = room.empty(count, np.int32)
    _link(trie, count, model.order, failure)
    numbers = room.empty(count, np.int32)
    states = _number_states(trie, count, numbers)
    automaton = Automaton(
        _empty_entries(count - len(model.orders[0]), room),
        room.full(states, np.zeros((), STATE), STATE),
        np.empty(len(model.orders[0]), UNIGRAM),
        room.empty(states, np.int8),
    )
    _fill(trie, count, failure, numbers, *automaton)
    return Automaton(*(read_only(array) for array in automaton))
