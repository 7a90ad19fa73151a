"""Translation options of a sentence: which phrases may translate which words, and their scores.

Everything here depends on the sentence and the weights alone, so all decodes of a sentence (the
rounds of a diverse list, say) share it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.automaton import EMPTY, advance
from decoding.core.language.vocabulary import UNKNOWN
from decoding.core.search.compiled import kernel
from decoding.core.search.guide import follow
from decoding.core.search.model import Model
from decoding.core.translation.phrase_table import LOWEST, NO_NODE, find_child
from decoding.core.translation.reordering import MONOTONE, ORIENTATIONS

NO_ROW = -1


class Choice(NamedTuple):
    """Scratch: the best rows for one span."""

    rows: NDArray[np.int64]  # (table limit,)
    static: NDArray[np.float64]
    estimate: NDArray[np.float64]


class Options(NamedTuple):
    """The translation options of one sentence, ordered by span, the most promising first."""

    span_first: NDArray[np.int32]  # (words * longest + 1,)  options of start * longest + length - 1
    phrase: NDArray[np.int32]  # (options,)  target phrase, or -1 - position of an unknown word
    row: NDArray[np.int64]  # (options,)  row of the phrase table, or -1
    start: NDArray[np.int32]  # (options,)
    end: NDArray[np.int32]  # (options,)  the last word, inclusive
    static: NDArray[np.float64]  # (options,)  score without language models and reordering
    estimate: NDArray[np.float64]  # (options,)  with language models by themselves
    backward: NDArray[np.float64]  # (options, 4)
    forward: NDArray[np.int32]  # (options,)  row of ``forward_scores``: options alike share one
    forward_scores: NDArray[np.float64]  # (kinds, 4)
    forward_slots: NDArray[np.int32]  # (a power of two,)  scratch: where equal rows are found
    order: NDArray[np.int32]  # (4, options)  options of each span by estimate and backward score
    word_at: NDArray[np.int32]  # (options + 1,)
    words: NDArray[np.int32]  # target words; unknown words are numbered after the vocabulary
    language_words: NDArray[np.int32]  # (models, words)
    states: NDArray[np.int32]  # (models, words + options)  see `trace_phrase`
    scores: NDArray[np.float64]  # (models, words + options)
    future: NDArray[np.float64]  # (words + 1, words + 1)  best estimate for words a..b-1


@kernel
def longest_match(table, source):  # type: ignore[no-untyped-def]
    """The length of the longest source phrase in a sentence, at least 1."""
    longest = 1
    for start in range(source.size):
        node = 0
        for end in range(start, source.size):
            if source[end] == UNKNOWN:
                break
            node = find_child(table, node, source[end])
            if node == NO_NODE:
                break
            if table.first_row[node + 1] > table.first_row[node]:
                longest = max(longest, end - start + 1)
    return longest


@kernel
def _phrase_estimate(model, row):  # type: ignore[no-untyped-def]
    """Static score of a row, and its score with the language models by themselves."""
    table = model.table
    phrase = table.target[row]
    length = table.offsets[phrase + 1] - table.offsets[phrase]
    static = model.phrase_weight - model.word_weight * length
    for i in range(model.table_weights.size):
        static += model.table_weights[i] * table.scores[row, i]
    estimate = static
    last = table.offsets[phrase + 1] + phrase
    for k in range(len(model.languages)):
        estimate += model.language_weights[k] * model.languages[k].scores[last]
    return static, estimate


@kernel
def _collect_spans(model, source, longest, options, choice):  # type: ignore[no-untyped-def]
    """Choose the rows for all spans. Returns the numbers of options and words, or -1 if full."""
    best_rows, best_static, best_estimate = choice
    table = model.table
    n = source.size
    count, words = 0, 0
    for start in range(n):
        node = 0
        for length in range(1, longest + 1):
            span = start * longest + length - 1
            options.span_first[span] = count
            if start + length > n:
                continue
            word = source[start + length - 1]
            if node != NO_NODE:
                node = find_child(table, node, word) if word != UNKNOWN else NO_NODE
            kept = 0
            if node != NO_NODE:
                limit = best_rows.size
                if model.table_limit > 0:
                    limit = min(model.table_limit, limit)
                for row in range(table.first_row[node], table.first_row[node + 1]):
                    static, estimate = _phrase_estimate(model, row)
                    if kept == limit:
                        if estimate <= best_estimate[kept - 1]:
                            continue
                        kept -= 1
                    at = kept
                    while at > 0 and best_estimate[at - 1] < estimate:
                        best_rows[at] = best_rows[at - 1]
                        best_static[at] = best_static[at - 1]
                        best_estimate[at] = best_estimate[at - 1]
                        at -= 1
                    best_rows[at] = row
                    best_static[at] = static
                    best_estimate[at] = estimate
                    kept += 1
            for i in range(kept):
                row = best_rows[i]
                phrase = table.target[row]
                first, stop = table.offsets[phrase], table.offsets[phrase + 1]
                if count == options.phrase.size or words + stop - first > options.words.size:
                    return -1, -1
                options.phrase[count] = phrase
                options.row[count] = row
                options.static[count] = best_static[i]
                options.estimate[count] = best_estimate[i]
                options.start[count] = start
                options.end[count] = start + length - 1
                options.word_at[count] = words
                for k in range(len(model.languages)):
                    language = model.languages[k]
                    for w in range(stop - first):
                        options.language_words[k, words + w] = language.words[
                            table.words[first + w]
                        ]
                    for w in range(stop - first + 1):
                        options.states[k, words + count + w] = language.states[first + phrase + w]
                        options.scores[k, words + count + w] = language.scores[first + phrase + w]
                for w in range(stop - first):
                    options.words[words + w] = table.words[first + w]
                words += stop - first
                count += 1
            if kept == 0 and length == 1:
                if count == options.phrase.size or words == options.words.size:
                    return -1, -1
                _add_unknown(model, options, count, words, start)
                words += 1
                count += 1
    options.span_first[n * longest] = count
    options.word_at[count] = words
    return count, words


@kernel
def _add_unknown(model, options, count, words, start):  # type: ignore[no-untyped-def]
    """A word without a translation is copied, as Moses does. Its numbers are filled in later."""
    options.phrase[count] = -1 - start
    options.row[count] = NO_ROW
    options.start[count] = start
    options.end[count] = start
    options.word_at[count] = words
    options.static[count] = model.phrase_weight - model.word_weight + LOWEST * model.unknown_weight


@kernel
def _score_unknown(model, options, count, copies, copies_in_languages):  # type: ignore[no-untyped-def]
    for option in range(count):
        if options.row[option] != NO_ROW:
            continue
        at = options.word_at[option]
        options.words[at] = copies[options.start[option]]
        estimate = options.static[option]
        for k in range(len(model.languages)):
            word = copies_in_languages[k, options.start[option]]
            options.language_words[k, at] = word
            score, state = advance(model.languages[k].automaton, np.int32(EMPTY), word)
            options.states[k, at + option] = EMPTY
            options.states[k, at + option + 1] = state
            options.scores[k, at + option] = 0.0
            options.scores[k, at + option + 1] = score
            estimate += model.language_weights[k] * score
        options.estimate[option] = estimate


@kernel
def _hash_scores(scores):  # type: ignore[no-untyped-def]
    mixed = np.uint64(0)
    for o in range(ORIENTATIONS):
        bits = np.uint64(np.float64(scores[o]).view(np.int64))
        mixed = (mixed ^ bits) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(32)
    return np.int64(mixed & np.uint64(0x7FFFFFFF))


@kernel
def _score_reordering(model, options, count):  # type: ignore[no-untyped-def]
    """Fill backward and forward scores; options with the same forward scores share a row."""
    kinds = 1  # row 0: no forward scores, as unknown words and the sentence's start have
    options.forward_scores[0, :] = 0.0
    mask = options.forward_slots.size - 1
    options.forward_slots[:] = -1
    options.forward_slots[_hash_scores(options.forward_scores[0]) & mask] = 0
    values = model.backward.shape[1]
    for option in range(count):
        row = options.row[option]
        options.forward[option] = 0
        for o in range(ORIENTATIONS):
            options.backward[option, o] = 0.0
            options.forward_scores[kinds, o] = 0.0
        if row == NO_ROW or values == 0:
            continue
        for o in range(ORIENTATIONS):
            back = 0.0
            ahead = 0.0
            for i in range(values):
                value = model.table.reordering[row, i]
                back += model.backward[o, i] * value
                ahead += model.forward[o, i] * value
            options.backward[option, o] = back
            options.forward_scores[kinds, o] = ahead
        slot = _hash_scores(options.forward_scores[kinds]) & mask
        while True:
            kind = options.forward_slots[slot]
            if kind < 0:
                options.forward_slots[slot] = kind = kinds
                break
            same = True
            for o in range(ORIENTATIONS):
                if options.forward_scores[kind, o] != options.forward_scores[kinds, o]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & mask
        options.forward[option] = kind
        if kind == kinds:
            kinds += 1
    return kinds


@kernel
def _order_options(options, spans):  # type: ignore[no-untyped-def]
    """Sort the options of each span by estimate and backward score, for each orientation."""
    for o in range(ORIENTATIONS):
        for span in range(spans):
            first = options.span_first[span]
            for option in range(first, options.span_first[span + 1]):
                key = options.estimate[option] + options.backward[option, o]
                at = option
                while at > first:
                    other = options.order[o, at - 1]
                    if options.estimate[other] + options.backward[other, o] >= key:
                        break
                    options.order[o, at] = other
                    at -= 1
                options.order[o, at] = option


@kernel
def _fill_future(options, n, longest):  # type: ignore[no-untyped-def]
    """Best estimates for all stretches of the sentence, if nothing is reordered."""
    future = options.future
    for start in range(n, -1, -1):
        future[start, start] = 0.0
        for end in range(start + 1, n + 1):
            future[start, end] = -np.inf
        for length in range(1, min(longest, n - start) + 1):
            span = start * longest + length - 1
            best = -np.inf
            for option in range(options.span_first[span], options.span_first[span + 1]):
                kind = options.forward[option]
                best = max(
                    best,
                    options.estimate[option]
                    + options.backward[option, MONOTONE]
                    + options.forward_scores[kind, MONOTONE],
                )
            if best == -np.inf:
                continue
            for end in range(start + length, n + 1):
                future[start, end] = max(future[start, end], best + future[start + length, end])


@kernel
def collect(model, source, longest, copies, copies_in_languages, options, choice):  # type: ignore[no-untyped-def]
    """Fill ``options`` for a sentence. Returns how many there are, or -1 if they did not fit.

    ``copies`` are the numbers of the sentence's own words in the target language, and
    ``copies_in_languages`` (models, words) their numbers in each language model.
    """
    count, _ = _collect_spans(model, source, longest, options, choice)
    if count < 0:
        return count
    _score_unknown(model, options, count, copies, copies_in_languages)
    _score_reordering(model, options, count)
    _order_options(options, source.size * longest)
    _fill_future(options, source.size, longest)
    return count


@kernel
def expect_penalty(options, guide, n, longest, penalised):  # type: ignore[no-untyped-def]
    """Fill ``penalised``, which shares the rest, with estimates that know a guide's costs.

    What a phrase costs by itself is certain; n-grams across phrases are left to the search.
    """
    for option in range(options.span_first[n * longest]):
        cost, _ = follow(guide, 0, options.word_at[option], options.word_at[option + 1])
        penalised.estimate[option] = options.estimate[option] - cost
    _order_options(penalised, n * longest)
    _fill_future(penalised, n, longest)


def empty_choice(model: Model) -> Choice:
    """Scratch that is large enough for any span."""
    most = int(np.diff(model.table.first_row).max(initial=1))
    size = min(most, model.table_limit) if model.table_limit > 0 else most
    return Choice(np.zeros(size, np.int64), np.zeros(size), np.zeros(size))


def empty_options(n: int, longest: int, options: int, words: int, models: int) -> Options:
    """Room for the options of a sentence of up to n words."""
    return Options(
        span_first=np.empty(n * longest + 1, np.int32),
        phrase=np.empty(options, np.int32),
        row=np.empty(options, np.int64),
        start=np.empty(options, np.int32),
        end=np.empty(options, np.int32),
        static=np.empty(options),
        estimate=np.empty(options),
        backward=np.empty((options, ORIENTATIONS)),
        forward=np.empty(options, np.int32),
        forward_scores=np.empty((options + 2, ORIENTATIONS)),
        forward_slots=np.empty(1 << int(2 * options + 2).bit_length(), np.int32),
        order=np.empty((ORIENTATIONS, options), np.int32),
        word_at=np.empty(options + 1, np.int32),
        words=np.empty(words, np.int32),
        language_words=np.empty((models, words), np.int32),
        states=np.empty((models, words + options), np.int32),
        scores=np.empty((models, words + options)),
        future=np.empty((n + 1, n + 1)),
    )
