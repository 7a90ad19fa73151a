"""Translate sentences: the public face of the search.

    decoder = Decoder(System.open(directory))
    sentence = decoder.collect("ein haus")         # translation options: shared by all searches
    graph = decoder.search(sentence, SearchOptions(pop_limit=1000))
    graph.best().text, graph.best().score
    for derivation in graph.best_derivations(100, unique=True): ...
    decoder.search(sentence, penalty=Penalty({("a", "house"): 0.2}))

One decoder serves any number of threads; kernels release Python's lock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.vocabulary import END
from decoding.core.search import beam as kernels
from decoding.core.search.beam import NO_ROOM, NO_TRANSLATION, Beam
from decoding.core.search.derivations import Columns
from decoding.core.search.graph import Phrase, SearchGraph
from decoding.core.search.guide import (
    Guide,
    OptionWords,
    Penalty,
    no_guide,
    penalty_guide,
    target_guide,
)
from decoding.core.search.model import Model, model_of, reordering_columns
from decoding.core.search.options import (
    Choice,
    Options,
    collect,
    empty_choice,
    empty_options,
    expect_penalty,
    longest_match,
)
from decoding.core.search.workspace import Workspace, empty_workspace, fitted
from decoding.core.system import (
    DISTORTION,
    LANGUAGE,
    PHRASES,
    REORDERING,
    TRANSLATION,
    UNKNOWN_WORDS,
    WORDS,
    System,
)
from evaluation.core.errors import InputError

MAX_WORDS = 1000  # of a sentence; longer lines are no sentences

# Control characters and line separators are blanks in a text to translate.
_BLANKS = dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029], " ")


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How thoroughly to search."""

    pop_limit: int = 1000  # candidates that are accepted for each stack
    stack_limit: int | None = None  # hypotheses of a stack that are extended; None: all
    # How much worse than the best of its stack a hypothesis may be, in units of the sum of the
    # weights' absolute values (so it means the same when weights are scaled); None: any.
    threshold: float | None = 1.2

    def __post_init__(self) -> None:
        """Refuse what would find nothing."""
        if self.pop_limit < 1 or (self.stack_limit is not None and self.stack_limit < 1):
            raise InputError("a search needs a pop limit and a stack limit of at least 1")
        if self.threshold is not None and not self.threshold > 0:
            raise InputError("a search's threshold must be more than 0")

    def narrowed(self) -> SearchOptions:
        """A search of less than a third of the cost, for those that follow a first one.

        In the later rounds of diverse lists on Multi30k it missed the best of the wider search in
        5 to 12 of 100, by 0.002 to 0.006 on the mean of all (n = 4 and 2, lambda 0.1).
        """
        threshold = self.threshold
        return replace(
            self,
            pop_limit=max(1, self.pop_limit // 4),
            threshold=None if threshold is None else max(threshold - 0.2, threshold / 2),
        )


EXHAUSTIVE = SearchOptions(pop_limit=1 << 40, stack_limit=None, threshold=None)


@dataclass(frozen=True)
class SentenceOptions:
    """A sentence and its translation options."""

    tokens: tuple[str, ...]
    options: Options
    count: int  # how many options there are
    longest: int  # words of the longest source phrase
    target_words: Sequence[str] = field(repr=False)  # of the target vocabulary
    # Options that derivations have used, as they show them (DerivationList).
    phrases: dict[int, Phrase] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def words(self) -> OptionWords:
        """The target words of all options, one option after another."""
        stop = self.options.word_at[self.count]
        numbers, places = np.unique(self.options.words[:stop], return_inverse=True)
        words = {self.word(number): place for place, number in enumerate(numbers.tolist())}
        return OptionWords(words, places.astype(np.int32))

    def word(self, number: int) -> str:
        """A target word; numbers after the vocabulary are the sentence's own words."""
        known = len(self.target_words)
        return self.target_words[number] if number < known else self.tokens[number - known]


def tokens_of(text: str) -> tuple[str, ...]:
    """The words of a line: what lies between blanks; control characters count as blanks."""
    return tuple(word for word in text.translate(_BLANKS).split(" ") if word)


class Decoder:
    """Searches translations with one system. Safe to use from several threads."""

    def __init__(self, system: System) -> None:
        """Prepare a system's models and weights for the kernels."""
        self.system = system
        self.model: Model = model_of(system)
        self.columns = _columns(system)
        parts = [f.columns for f in system.features if f.kind != UNKNOWN_WORDS]
        self._scale = float(sum(np.abs(system.weights[part]).sum() for part in parts)) or 1.0
        self._choices: deque[Choice] = deque()
        self._workspaces: deque[tuple[tuple[int, int, int], Workspace]] = deque()

    # Options -------------------------------------------------------------------------------

    def collect(self, text: str | Sequence[str]) -> SentenceOptions:
        """The translation options of a sentence, with everything that no search changes."""
        tokens = tokens_of(text) if isinstance(text, str) else tuple(text)
        if len(tokens) > MAX_WORDS:
            raise InputError(
                f"the sentence has {len(tokens)} words, and {MAX_WORDS} is the most",
                hint="Split it into sentences.",
            )
        system, n = self.system, len(tokens)
        source = system.source.ids(tokens)
        source[source <= END] = 0
        copies, in_languages = self._copies(tokens)
        longest = int(longest_match(self.model.table, source))
        limit = self.model.table_limit or 100
        size = limit * n * min(longest, 4) + n + 64
        choice = self.take_choice()
        try:
            while True:
                options = empty_options(n, longest, size, 4 * size, len(system.languages))
                count = collect(self.model, source, longest, copies, in_languages, options, choice)
                if count >= 0:
                    break
                size *= 2
        finally:
            self.return_choice(choice)
        return SentenceOptions(tokens, options, int(count), longest, system.target.words)

    def take_choice(self) -> Choice:
        """Scratch for collecting options; `return_choice` gives it back."""
        try:
            return self._choices.pop()
        except IndexError:
            return empty_choice(self.model)

    def return_choice(self, choice: Choice) -> None:
        """Give scratch back for the next sentence."""
        self._choices.append(choice)

    def _copies(self, tokens: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The sentence's own words as target words, for those that have no translation."""
        known = len(self.system.target)
        copies = self.system.target.ids(tokens)
        for position in np.flatnonzero(copies <= END).tolist():
            copies[position] = known + tokens.index(tokens[position])
        in_languages = np.zeros((len(self.system.languages), len(tokens)), np.int32)
        for k, language in enumerate(self.system.languages):
            numbers = language.ids(tokens)
            in_languages[k] = np.where(numbers <= END, 0, numbers)
        return copies, in_languages

    # Searches ------------------------------------------------------------------------------

    def search(
        self,
        sentence: SentenceOptions,
        search: SearchOptions | None = None,
        *,
        penalty: Penalty | None = None,
        keep: bool = True,
    ) -> SearchGraph:
        """Search the best translations (ALGORITHMS A1, D1; with a penalty A3).

        ``keep=False`` keeps the best derivation only, which saves memory.
        """
        options, guide = sentence.options, no_guide()
        if penalty is not None and penalty.costs:
            guide = penalty_guide(penalty, sentence.words)
            options = self._penalised(sentence, guide)
        return self._run(sentence, options, guide, search or SearchOptions(), keep)

    def force(
        self,
        sentence: SentenceOptions,
        target: str | Sequence[str],
        search: SearchOptions | None = None,
    ) -> SearchGraph:
        """Search the derivations that yield exactly this translation (ALGORITHMS D6).

        By default nothing is pruned, so that an empty graph means that there is none.
        """
        words = tokens_of(target) if isinstance(target, str) else tuple(target)
        guide = target_guide(words, sentence.words)
        return self._run(sentence, sentence.options, guide, search or EXHAUSTIVE, True)

    def _penalised(self, sentence: SentenceOptions, guide: Guide) -> Options:
        options = sentence.options
        penalised = options._replace(
            estimate=np.empty_like(options.estimate),
            order=np.empty_like(options.order),
            future=np.empty_like(options.future),
        )
        expect_penalty(options, guide, len(sentence.tokens), sentence.longest, penalised)
        return penalised

    def _run(
        self,
        sentence: SentenceOptions,
        options: Options,
        guide: Guide,
        search: SearchOptions,
        keep: bool,
    ) -> SearchGraph:
        n = len(sentence.tokens)
        if n == 0:
            return SearchGraph.empty(self, sentence)
        beam = self.beam(search, keep)
        room = 0
        while True:
            size, ws = self.take_workspace(n, beam, room)
            result = kernels.search_stacks(
                self.model,
                options,
                guide,
                fitted(ws, n * beam.pop_limit + 1),
                n,
                sentence.longest,
                beam,
            )
            if result == NO_ROOM:
                room = 2 * size[2]
                continue
            graph = (
                SearchGraph.empty(self, sentence, failed=True)
                if result == NO_TRANSLATION
                else SearchGraph.of(self, sentence, ws, int(result))
            )
            self.return_workspace(size, ws)
            return graph

    def beam(self, search: SearchOptions, keep: bool) -> Beam:
        """A search's options as kernels take them."""
        threshold = np.inf if search.threshold is None else search.threshold * self._scale
        return Beam(search.pop_limit, search.stack_limit or 1 << 40, float(threshold), keep)

    def take_workspace(
        self, n: int, beam: Beam, room: int = 0
    ) -> tuple[tuple[int, int, int], Workspace]:
        """Memory for a sentence of n words, with its size; `return_workspace` gives it back."""
        limit = self.model.distortion_limit
        window = n if limit < 0 else min(n, limit)
        room = max(room, n * min(beam.pop_limit, 2000) + 64)
        try:
            while True:  # what is too small is let go
                size, ws = self._workspaces.pop()
                if size[0] >= n and size[1] >= window and size[2] >= room:
                    return size, ws
        except IndexError:
            pass
        size = (2 * n, window if limit >= 0 else 2 * n, room + room // 2)
        return size, empty_workspace(*size[:2], len(self.system.languages), size[2])

    def return_workspace(self, size: tuple[int, int, int], ws: Workspace) -> None:
        """Give memory back for the next search."""
        self._workspaces.append((size, ws))


def _columns(system: System) -> Columns:
    def first(kind: str) -> int:
        return next((feature.first for feature in system.of_kind(kind)), -1)

    backward, forward = reordering_columns(system) > 0
    at = [
        column
        for feature in system.of_kind(REORDERING)
        for column in range(feature.first, feature.first + feature.count)
    ]
    return Columns(
        np.array(at, np.int32),
        np.ascontiguousarray(backward),
        np.ascontiguousarray(forward),
        np.array([feature.first for feature in system.of_kind(LANGUAGE)], np.int32),
        first(TRANSLATION),
        first(DISTORTION),
        first(WORDS),
        first(PHRASES),
        first(UNKNOWN_WORDS),
    )
