"""Many sentences over threads, in order.

`translate_lines` is for best translations alone: whole batches of sentences are read, searched
and traced inside one kernel, so that sentences a millisecond apart do not wait for Python.
`map_sentences` runs any work on sentences, such as n-best or diverse lists.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.vocabulary import END, UNKNOWN
from decoding.core.search.beam import NO_ROOM, search_stacks
from decoding.core.search.compiled import kernel
from decoding.core.search.decoder import (
    MAX_WORDS,
    Decoder,
    SearchOptions,
    SentenceOptions,
    tokens_of,
)
from decoding.core.search.derivations import trace_best
from decoding.core.search.guide import no_guide
from decoding.core.search.options import collect, empty_options, longest_match
from evaluation.core.errors import InputError

T = TypeVar("T")

BATCH = 32  # sentences
LONGEST_TARGET = 8  # words of translation for a source word that a batch has room for at first


class Batch(NamedTuple):
    """Sentences of several words together; sentence i has the words offsets[i]:offsets[i + 1]."""

    source: NDArray[np.int32]
    copies: NDArray[np.int32]  # each word as a target word
    in_languages: NDArray[np.int32]  # (models, words)
    offsets: NDArray[np.int64]


class Translations(NamedTuple):
    """What a batch becomes; sentence i has the words offsets[i]:offsets[i + 1]."""

    words: NDArray[np.int32]  # after the vocabulary come the sentence's own words
    offsets: NDArray[np.int64]
    totals: NDArray[np.float64]
    chosen: NDArray[np.int32]  # scratch


@kernel
def _translate_batch(model, batch, first, options, choice, guide, ws, beam, into):  # type: ignore[no-untyped-def]
    """Translate sentences from ``first`` on, as far as there is room; returns how far it came."""
    for i in range(first, batch.offsets.size - 1):
        start, stop = batch.offsets[i], batch.offsets[i + 1]
        filled = into.offsets[i]
        into.offsets[i + 1] = filled
        into.totals[i] = -np.inf
        if start == stop:
            continue
        source = batch.source[start:stop]
        longest = longest_match(model.table, source)
        if source.size * longest + 1 > options.span_first.size:
            return i
        count = collect(
            model, source, longest, batch.copies[start:stop], batch.in_languages[:, start:stop],
            options, choice,
        )  # fmt: skip
        if count < 0:
            return i
        goal = search_stacks(model, options, guide, ws, source.size, longest, beam)
        if goal == NO_ROOM:
            return i
        if goal < 0:
            continue
        for k in range(trace_best(ws.hypotheses, goal, into.chosen)):
            option = np.int64(into.chosen[k])
            for w in range(options.word_at[option], options.word_at[option + 1]):
                if filled == into.words.size:
                    return i
                into.words[filled] = options.words[w]
                filled += 1
        into.offsets[i + 1] = filled
        into.totals[i] = ws.hypotheses[goal].score
    return batch.offsets.size - 1


def translate_lines(
    decoder: Decoder,
    lines: Iterable[str],
    search: SearchOptions | None = None,
    *,
    threads: int = 1,
) -> Iterator[tuple[str, float]]:
    """The best translation of each line and its score, in order; empty for an empty line.

    A line that has no translation under the distortion limit is an error.
    """

    def work(batch: list[tuple[int, str]]) -> list[tuple[str, float]]:
        return _translate(decoder, batch, search or SearchOptions())

    for results in _in_order(work, _batches(enumerate(lines, 1), BATCH), threads):
        yield from results


def map_sentences(
    decoder: Decoder,
    lines: Iterable[str],
    work: Callable[[SentenceOptions], T],
    *,
    threads: int = 1,
) -> Iterator[T]:
    """What ``work`` makes of each line's translation options, in order."""

    def one(line: tuple[int, str]) -> T:
        tokens = _tokens(*line)
        return work(decoder.collect(tokens))

    yield from _in_order(one, enumerate(lines, 1), threads)


def _tokens(number: int, line: str) -> tuple[str, ...]:
    tokens = tokens_of(line)
    if len(tokens) > MAX_WORDS:
        raise InputError(
            f"the sentence has {len(tokens)} words, and {MAX_WORDS} is the most",
            line=number,
            hint="Split it into sentences.",
        )
    return tokens


def _batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def _in_order(work: Callable[..., T], items: Iterable[object], threads: int) -> Iterator[T]:
    """The results of work on items, as they come; so many threads stay a little ahead."""
    if threads == 1:
        yield from map(work, items)
        return
    waiting: deque[Future[T]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(work, item))
                if len(waiting) > 4 * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def _translate(
    decoder: Decoder, lines: list[tuple[int, str]], search: SearchOptions
) -> list[tuple[str, float]]:
    """The best translations of a few lines, each with its number."""
    sentences = [_tokens(*line) for line in lines]
    batch = _encoded(decoder, sentences)
    n = max(1, max(map(len, sentences)))
    beam = decoder.beam(search, keep=False)
    size, ws = decoder.take_workspace(n, beam)
    choice = decoder.take_choice()
    room = 1000 * n
    options = empty_options(n, n, room, 4 * room, len(decoder.system.languages))
    into = _room_for(len(lines), LONGEST_TARGET * len(batch.source) + 1, n)
    done, guide = 0, no_guide()
    while True:
        reached = _translate_batch(
            decoder.model, batch, done, options, choice, guide, ws, beam, into
        )
        if reached == len(lines):
            break
        if reached == done:  # what a sentence had was not enough: double all
            size, ws = decoder.take_workspace(n, beam, 2 * size[2])
            room *= 2
            options = empty_options(n, n, room, 4 * room, len(decoder.system.languages))
            larger = _room_for(len(lines), 2 * len(into.words), n)
            for name, array in into._asdict().items():
                getattr(larger, name)[: len(array)] = array
            into = larger
        done = reached
    decoder.return_workspace(size, ws)
    decoder.return_choice(choice)
    return [
        (_text(decoder, sentence, into, i, lines[i][0]), float(into.totals[i]))
        for i, sentence in enumerate(sentences)
    ]


def _text(
    decoder: Decoder, sentence: tuple[str, ...], into: Translations, i: int, line: int
) -> str:
    if sentence and into.totals[i] == -np.inf:
        raise InputError(
            "the sentence has no translation", line=line, hint="Raise the distortion limit."
        )
    known, target = len(decoder.system.target), decoder.system.target.words
    numbers = into.words[into.offsets[i] : into.offsets[i + 1]].tolist()
    return " ".join([target[w] if w < known else sentence[w - known] for w in numbers])


def _room_for(lines: int, words: int, longest: int) -> Translations:
    return Translations(
        np.empty(words, np.int32),
        np.zeros(lines + 1, np.int64),
        np.empty(lines),
        np.empty(longest, np.int32),
    )


def _encoded(decoder: Decoder, sentences: list[tuple[str, ...]]) -> Batch:
    system = decoder.system
    text = "\n".join(map(" ".join, sentences)).encode()
    source, offsets = system.source.encode(text)
    source[source <= END] = UNKNOWN
    copies, _ = system.target.encode(text)
    offsets = np.cumsum([0, *map(len, sentences)])
    own = np.arange(len(copies)) - np.repeat(offsets[:-1], np.diff(offsets)) + len(system.target)
    in_languages = np.empty((len(system.languages), len(copies)), np.int32)
    for k, language in enumerate(system.languages):
        numbers, _ = language.vocabulary.encode(text)
        in_languages[k] = np.where(numbers <= END, UNKNOWN, numbers)
    copies = np.where(copies <= END, own, copies).astype(np.int32)
    return Batch(source, copies, in_languages, offsets.astype(np.int64))
