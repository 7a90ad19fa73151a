"""The graph that a search leaves behind, and the derivations in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from decoding.core.language.automaton import LN10
from decoding.core.search.derivations import (
    ENTRY,
    Listed,
    Scratch,
    Ways,
    derivation_features,
    list_best,
    list_ways,
)
from decoding.core.search.workspace import (
    ACCEPTED,
    BUNDLES,
    EVALUATED,
    HYPOTHESES,
    HYPOTHESIS,
    Workspace,
    power_of_two,
)

if TYPE_CHECKING:
    from decoding.core.search.decoder import Decoder, SentenceOptions

# How many derivations are looked at for each unique translation that is asked for, and at least.
DERIVATIONS_EACH, DERIVATIONS_LEAST = 200, 1000


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase of a derivation, in the order of the translation."""

    start: int  # source words start..end, from 0, inclusive
    end: int
    text: str
    words: int  # of the text
    alignment: tuple[tuple[int, int], ...]  # source and target position within the phrase
    unknown: bool  # a source word without translation, copied


@dataclass(frozen=True, slots=True)
class Derivation:
    """A translation and how it came about."""

    text: str
    score: float  # of the model: weights times features
    total: float  # what the search maximised: with the penalty, if there was one
    features: NDArray[np.float64]  # (columns,)
    phrases: tuple[Phrase, ...]

    @property
    def segmentation(self) -> str:
        """As Moses prints it: ``the house |0-1| is |2-2|``."""
        return " ".join(f"{p.text} |{p.start}-{p.end}|" for p in self.phrases)

    @property
    def alignment(self) -> str:
        """Word alignment over the sentence: ``0-0 1-1``, source and target."""
        points = []
        at = 0
        for phrase in self.phrases:
            points += [(phrase.start + s, at + t) for s, t in phrase.alignment]
            at += phrase.words
        return " ".join(f"{s}-{t}" for s, t in sorted(points))


@dataclass(frozen=True)
class DerivationList:
    """Derivations as arrays; indexing makes a `Derivation`."""

    graph: SearchGraph
    chosen: NDArray[np.int32]  # options of derivation i: chosen[offsets[i]:offsets[i + 1]]
    offsets: NDArray[np.int64]
    totals: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.totals)

    def __iter__(self) -> Iterator[Derivation]:
        return (self[i] for i in range(len(self)))

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """The feature vectors, (derivations, columns)."""
        decoder, sentence = self.graph.decoder, self.graph.sentence
        features = np.zeros((len(self), decoder.system.weights.size))
        derivation_features(
            decoder.model,
            decoder.columns,
            sentence.options,
            len(sentence.tokens),
            self.chosen,
            self.offsets,
            np.zeros(len(decoder.system.languages), np.int32),
            np.zeros(len(sentence.tokens), np.bool_),
            features,
        )
        if not sentence.tokens:
            _score_empty(decoder, features)
        return features

    @cached_property
    def scores(self) -> NDArray[np.float64]:
        """The model's scores: weights times features."""
        scores: NDArray[np.float64] = self.features @ self.graph.decoder.system.weights
        return scores

    def text(self, i: int) -> str:
        """The translation of derivation i."""
        sentence = self.graph.sentence
        options, words = sentence.options, []
        for option in self.chosen[self.offsets[i] : self.offsets[i + 1]].tolist():
            numbers = options.words[options.word_at[option] : options.word_at[option + 1]]
            words += [sentence.word(number) for number in numbers.tolist()]
        return " ".join(words)

    @property
    def texts(self) -> list[str]:
        """The translations."""
        return [self.text(i) for i in range(len(self))]

    def __getitem__(self, i: int) -> Derivation:
        i = range(len(self))[i]
        chosen = self.chosen[self.offsets[i] : self.offsets[i + 1]].tolist()
        phrases = tuple(self._phrase(option) for option in chosen)
        return Derivation(
            " ".join(phrase.text for phrase in phrases if phrase.text),
            float(self.scores[i]),
            float(self.totals[i]),
            self.features[i],
            phrases,
        )

    def _phrase(self, option: int) -> Phrase:
        """The derivations of a sentence share most of their phrases, so each is made once."""
        phrases = self.graph.sentence.phrases
        if option not in phrases:
            phrases[option] = self._make_phrase(option)
        return phrases[option]

    def _make_phrase(self, option: int) -> Phrase:
        sentence, table = self.graph.sentence, self.graph.decoder.model.table
        options = sentence.options
        row = int(options.row[option])
        numbers = options.words[options.word_at[option] : options.word_at[option + 1]]
        first, stop = (table.points_at[row], table.points_at[row + 1]) if row >= 0 else (0, 0)
        points = [(s, t) for s, t in table.points[first:stop].tolist()] if row >= 0 else [(0, 0)]
        return Phrase(
            int(options.start[option]),
            int(options.end[option]),
            " ".join(sentence.word(number) for number in numbers.tolist()),
            len(numbers),
            tuple(points),
            row < 0,
        )


@dataclass(frozen=True)
class SearchGraph:
    """What a search found: nodes that recombined hypotheses share, up to one goal."""

    decoder: Decoder
    sentence: SentenceOptions
    hypotheses: NDArray[np.void]
    goal: int  # the finished node, or -1: there is no translation
    effort: Mapping[str, int]

    @classmethod
    def of(
        cls, decoder: Decoder, sentence: SentenceOptions, ws: Workspace, goal: int
    ) -> SearchGraph:
        """Take the graph out of a search's workspace, which may then be used again."""
        counters = ws.counters
        return cls(
            decoder,
            sentence,
            ws.hypotheses[: counters[HYPOTHESES]].copy(),
            goal,
            {
                "evaluated": int(counters[EVALUATED]),
                "accepted": int(counters[ACCEPTED]),
                "bundles": int(counters[BUNDLES]),
            },
        )

    @classmethod
    def empty(
        cls, decoder: Decoder, sentence: SentenceOptions, *, failed: bool = False
    ) -> SearchGraph:
        """The graph of a sentence without words, or of a search that found nothing."""
        hypotheses = np.zeros(1, HYPOTHESIS)
        hypotheses[0]["back"] = hypotheses[0]["twin"] = hypotheses[0]["option"] = -1
        graph = cls(decoder, sentence, hypotheses, -1 if failed else 0, {})
        if not failed:
            features = np.zeros((1, decoder.system.weights.size))
            _score_empty(decoder, features)
            hypotheses[0]["score"] = features[0] @ decoder.system.weights
        return graph

    @property
    def found(self) -> bool:
        """Whether there is any translation."""
        return self.goal >= 0

    @cached_property
    def ways(self) -> Ways:
        """The ways into each node, best first: the graph as a lattice."""
        size = len(self.hypotheses)
        ways = Ways(np.zeros(size + 1, np.int32), np.zeros(size, np.int32))
        list_ways(self.hypotheses, ways)
        return ways

    def best(self) -> Derivation:
        """The best derivation; the graph must have one."""
        return self.best_derivations(1)[0]

    def best_derivations(
        self, count: int, *, unique: bool = False, most: int | None = None
    ) -> DerivationList:
        """Exactly the best derivations of the graph, fewer if there are no more.

        With ``unique`` the best derivation of each of ``count`` translations (ALGORITHMS A4),
        found among the ``most`` best derivations.
        """
        if most is None:
            most = max(DERIVATIONS_LEAST, DERIVATIONS_EACH * count) if unique else count
        if not self.found:
            return DerivationList(self, np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0))
        room = min(most, DERIVATIONS_LEAST)
        while True:
            listed, exhausted = self._list(count, room, unique)
            if len(listed) == count or exhausted or room >= most:
                return listed
            room = min(most, 8 * room)

    def _list(self, count: int, most: int, unique: bool) -> tuple[DerivationList, bool]:
        """The list, and whether the graph has no more."""
        n = len(self.sentence.tokens)
        kept = min(count, most)
        entries = np.empty(most * (n + 2) + 2, ENTRY)
        scratch = Scratch(
            entries,
            np.empty(len(entries), np.int64),
            np.empty(kept + 1, np.uint64),
            np.full(power_of_two(2 * kept + 2), -1, np.int64),
            np.empty(n + 2, np.int64),
        )
        chosen, offsets, totals = into = Listed(
            np.empty((kept + 1) * n + 1, np.int32), np.empty(kept + 2, np.int64), np.empty(kept + 1)
        )
        found, exhausted = list_best(
            self.hypotheses,
            self.ways,
            self.sentence.options,
            self.goal,
            kept,
            most,
            unique,
            scratch,
            into,
        )
        offsets = offsets[: found + 1].copy()
        listed = DerivationList(self, chosen[: offsets[-1]].copy(), offsets, totals[:found].copy())
        return listed, bool(exhausted)


def _score_empty(decoder: Decoder, features: NDArray[np.float64]) -> None:
    """The only derivation of an empty sentence: the sentence's end, and nothing else."""
    for column, language in zip(decoder.columns.languages, decoder.system.languages, strict=True):
        features[:, column] = language.score("") * LN10
