"""A language model ready to be asked: its automaton, its vocabulary, and their files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from decoding.core.language import automaton as kernels
from decoding.core.language.automaton import ENTRY, STATE, UNIGRAM, Automaton
from decoding.core.language.bounds import Bounds, bound
from decoding.core.language.ngrams import BackoffModel
from decoding.core.language.vocabulary import (
    BEGIN,
    END,
    UNKNOWN,
    Vocabulary,
    WordTable,
    read_only,
)
from decoding.core.room import MEMORY, Room
from evaluation.core.errors import InputError

FORMAT = 3
_MANIFEST = "language-model.json"
_RECORDS = {dtype.names: dtype for dtype in (ENTRY, STATE, UNIGRAM)}


class WordScore(NamedTuple):
    """How one word of a sentence was scored."""

    log10_probability: float
    ngram_length: int  # of the n-gram that gave the probability, before any back-off
    unknown: bool


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """An n-gram model. Scores are log10, words are numbers of its own vocabulary."""

    automaton: Automaton
    bounds: Bounds
    vocabulary: Vocabulary
    order: int

    @classmethod
    def build(cls, model: BackoffModel, room: Room = MEMORY) -> LanguageModel:
        """From the n-grams of an ARPA file or of an estimation."""
        automaton = kernels.build(model, room)
        return cls(automaton, bound(automaton, room), model.vocabulary, model.order)

    @classmethod
    def open(cls, directory: Path) -> LanguageModel:
        """Map what `save` wrote into memory: takes milliseconds, and processes share the pages."""
        manifest = directory / _MANIFEST
        try:
            facts = json.loads(manifest.read_text())
            if facts["format"] != FORMAT:
                raise InputError(
                    f"has format {facts['format']}, and this version reads {FORMAT}",
                    path=manifest,
                    hint="Import the model again.",
                )
            automaton = Automaton(*_mapped(directory, "automaton", Automaton._fields))
            bounds = Bounds(*_mapped(directory, "bound", Bounds._fields))
            table = WordTable(*_mapped(directory, "word", WordTable._fields))
        except (OSError, EOFError, ValueError, KeyError) as error:
            raise InputError(
                f"is not a complete language model ({error})",
                path=directory,
                hint="Import the model again.",
            ) from error
        return cls(automaton, bounds, Vocabulary(table), int(facts["order"]))

    def save(self, directory: Path) -> None:
        """Write the arrays and, last, the manifest without which nothing is a model."""
        directory.mkdir(parents=True, exist_ok=True)
        parts: dict[str, dict[str, NDArray[Any]]] = {
            "automaton": self.automaton._asdict(),
            "bound": self.bounds._asdict(),
            "word": self.vocabulary.table._asdict(),
        }
        for part, arrays in parts.items():
            for name, array in arrays.items():
                np.save(directory / f"{part}-{name}.npy", array)
        facts = {"format": FORMAT, "order": self.order, "base": 10, "words": len(self.vocabulary)}
        (directory / _MANIFEST).write_text(json.dumps(facts, indent=1) + "\n")

    @property
    def begin(self) -> int:
        """The state at the start of a sentence."""
        return int(self.automaton.unigrams[BEGIN]["next"])

    def ids(self, words: Iterable[str]) -> NDArray[np.int32]:
        """The numbers of words. Given a decoder's whole vocabulary, this is the mapping to here."""
        return self.vocabulary.ids(words)

    def score(self, sentence: str, *, begin: bool = True, end: bool = True) -> float:
        """The log10 probability of the words of a sentence."""
        ids = self.ids(sentence.split())
        return float(kernels.score_sentence(self.automaton, ids, begin, end))

    def score_lines(
        self, text: bytes, *, begin: bool = True, end: bool = True
    ) -> NDArray[np.float64]:
        """The log10 probability of every line of a text."""
        ids, offsets = self.vocabulary.encode(text)
        return self.score_ids(ids, offsets, begin=begin, end=end)

    def score_ids(
        self,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        *,
        begin: bool = True,
        end: bool = True,
    ) -> NDArray[np.float64]:
        """The log10 probability of each sentence ``ids[offsets[i]:offsets[i + 1]]``."""
        totals = np.empty(len(offsets) - 1)
        kernels.score_sentences(self.automaton, ids, offsets, begin, end, totals)
        return totals

    def word_scores(
        self, sentence: str, *, begin: bool = True, end: bool = True
    ) -> list[WordScore]:
        """How each word is scored, and the sentence's end: KenLM's ``full_scores``."""
        ids = [*self.ids(sentence.split()), END] if end else list(self.ids(sentence.split()))
        state, scores = (self.begin if begin else kernels.EMPTY), []
        for word in ids:
            length = kernels.matched_length(self.automaton, state, word)
            score, state = kernels.advance(self.automaton, state, word)
            scores.append(WordScore(float(score), int(length), bool(word == UNKNOWN)))
        return scores


def _mapped(directory: Path, part: str, names: Iterable[str]) -> Iterator[NDArray[Any]]:
    """Arrays in files as memory maps, typed as kernels expect them."""
    for name in names:
        array = np.load(directory / f"{part}-{name}.npy", mmap_mode="r", allow_pickle=False)
        yield read_only(np.asarray(array).view(_RECORDS.get(array.dtype.names, array.dtype)))
