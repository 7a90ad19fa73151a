"""A translation system: models, weights and settings, in memory or as a directory.

A system directory has a manifest (``system.json``: format version, features, weights, settings
and checksums), the phrase table's arrays, and one folder for each language model. Arrays are
mapped into memory, so that opening takes milliseconds and processes share the pages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from decoding.core.language.automaton import Automaton, trace_phrase
from decoding.core.language.model import LanguageModel
from decoding.core.language.vocabulary import UNKNOWN, Vocabulary, WordTable, read_only
from decoding.core.room import MEMORY, Room
from decoding.core.translation.phrase_table import PhraseTable
from decoding.core.translation.reordering import parse_reordering_type
from evaluation.core.errors import InputError

FORMAT = 1
MANIFEST = "system.json"

REORDERING = "LexicalReordering"
DISTORTION = "Distortion"
LANGUAGE = "LanguageModel"
WORDS = "WordPenalty"
PHRASES = "PhrasePenalty"
TRANSLATION = "TranslationModel"
UNKNOWN_WORDS = "UnknownWordPenalty"


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature function: what it is, how n-best lists call it, and which columns it has."""

    kind: str  # one of the kinds above
    name: str  # "TranslationModel0"
    count: int  # values
    first: int  # its first column in a feature vector
    reordering: str = ""  # the type of a lexicalised reordering model

    @property
    def columns(self) -> slice:
        """Its part of a feature vector."""
        return slice(self.first, self.first + self.count)

    @property
    def printed(self) -> bool:
        """Whether n-best lists show it: Moses leaves the unknown-word penalty out."""
        return self.kind != UNKNOWN_WORDS


class LanguageFeature(NamedTuple):
    """A language model as the search sees it."""

    automaton: Automaton
    words: NDArray[np.int32]  # (target words,)  the model's number of each target word
    states: NDArray[np.int32]  # (words + phrases,)  of each target phrase by itself ...
    scores: NDArray[np.float64]  # (words + phrases,)  ... see `trace_phrase`


@dataclass(frozen=True, slots=True)
class Settings:
    """What of a system is neither a model nor a weight."""

    distortion_limit: int | None = 6  # None is no limit
    table_limit: int = 20  # translations for each source phrase; 0 is no limit
    early_distortion: bool = False  # pay for jumps as soon as possible (Moore and Quirk 2007)


@dataclass(frozen=True)
class System:
    """A phrase-based system (ALGORITHMS A1, D1). Scores are natural logarithms."""

    features: tuple[Feature, ...]  # in the order of n-best lists, the unknown-word penalty last
    weights: NDArray[np.float64]  # (columns,)
    settings: Settings
    table: PhraseTable
    source: Vocabulary
    target: Vocabulary
    languages: tuple[LanguageModel, ...]
    isolated: tuple[tuple[NDArray[np.int32], NDArray[np.float64]], ...]  # states and scores

    @classmethod
    def build(
        cls,
        features: Sequence[Feature],
        weights: NDArray[np.float64],
        settings: Settings,
        table: PhraseTable,
        source: Vocabulary,
        target: Vocabulary,
        languages: Sequence[LanguageModel],
        room: Room = MEMORY,
    ) -> System:
        """A system of models that are in memory."""
        isolated = []
        for language in languages:
            words = _numbers_in(language, target)
            size = len(table.words) + len(table.offsets) - 1
            states, scores = room.empty(size, np.int32), room.empty(size, np.float64)
            _trace_phrases(language.automaton, words[table.words], table.offsets, states, scores)
            isolated.append((read_only(states), read_only(scores)))
        return cls(
            tuple(features),
            read_only(np.array(weights, np.float64)),
            settings,
            table,
            source,
            target,
            tuple(languages),
            tuple(isolated),
        )

    def of_kind(self, kind: str) -> list[Feature]:
        """The features of a kind."""
        return [feature for feature in self.features if feature.kind == kind]

    def with_weights(self, weights: NDArray[np.float64]) -> System:
        """The same models with other weights; nothing is copied."""
        if weights.shape != self.weights.shape or not np.all(np.isfinite(weights)):
            raise InputError(
                f"expected {self.weights.size} finite weights, found {weights.shape}",
                hint="There is one for each column of the feature vector.",
            )
        changed = replace(self, weights=read_only(np.array(weights, np.float64)))
        changed.__dict__["language_features"] = self.language_features
        return changed

    @cached_property
    def language_features(self) -> tuple[LanguageFeature, ...]:
        """The language models as the search sees them."""
        return tuple(
            LanguageFeature(language.automaton, read_only(_numbers_in(language, self.target)), *own)
            for language, own in zip(self.languages, self.isolated, strict=True)
        )

    @cached_property
    def printed_columns(self) -> dict[str, slice]:
        """Where each feature that n-best lists show stands in a feature vector."""
        return {feature.name: feature.columns for feature in self.features if feature.printed}

    def named(self, vector: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
        """A feature vector, or the weights, by feature."""
        return {feature.name: vector[feature.columns] for feature in self.features}

    def save(self, directory: Path) -> None:
        """Write the arrays and, last, the manifest without which nothing is a system."""
        directory.mkdir(parents=True, exist_ok=True)
        (directory / MANIFEST).unlink(missing_ok=True)
        for name, array in self._arrays().items():
            np.save(directory / f"{name}.npy", array)
        for number, language in enumerate(self.languages):
            language.save(directory / f"language-{number}")
        facts = {
            "format": FORMAT,
            "kind": "phrase",
            "features": [
                {
                    "kind": feature.kind,
                    "name": feature.name,
                    "weights": self.weights[feature.columns].tolist(),
                    **({"type": feature.reordering} if feature.reordering else {}),
                }
                for feature in self.features
            ],
            "distortion_limit": self.settings.distortion_limit,
            "table_limit": self.settings.table_limit,
            "early_distortion": self.settings.early_distortion,
            "sha256": {
                path.relative_to(directory).as_posix(): _sha256(path)
                for path in sorted(directory.rglob("*"))
                if path.suffix in (".npy", ".json")
            },
        }
        (directory / MANIFEST).write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n")

    def save_weights(self, directory: Path) -> None:
        """Put the weights into the manifest of the directory that this system was opened from."""
        manifest = directory / MANIFEST
        facts = json.loads(manifest.read_text())
        for feature, fact in zip(self.features, facts["features"], strict=True):
            fact["weights"] = self.weights[feature.columns].tolist()
        part = manifest.with_suffix(".part")
        part.write_text(json.dumps(facts, indent=1, ensure_ascii=False) + "\n")
        part.replace(manifest)  # a reader finds all old weights or all new ones

    def _arrays(self) -> dict[str, NDArray[Any]]:
        arrays: dict[str, NDArray[Any]] = {
            **{f"table-{name}": array for name, array in self.table._asdict().items()},
            **{f"source-{name}": array for name, array in self.source.table._asdict().items()},
            **{f"target-{name}": array for name, array in self.target.table._asdict().items()},
        }
        for number, (states, scores) in enumerate(self.isolated):
            arrays[f"isolated-{number}-states"] = states
            arrays[f"isolated-{number}-scores"] = scores
        return arrays

    @classmethod
    def open(cls, directory: Path, *, check: bool = False) -> System:
        """Map what `save` wrote into memory. ``check`` compares the checksums, which reads all."""
        manifest = directory / MANIFEST
        try:
            facts = json.loads(manifest.read_text())
            if facts["format"] != FORMAT:
                raise InputError(
                    f"has format {facts['format']}, and this version reads {FORMAT}",
                    path=manifest,
                    hint="Import the system again.",
                )
            if facts["kind"] != "phrase":
                raise InputError(f"is a system of kind {facts['kind']}, not phrase", path=manifest)
            if check:
                _check_sums(directory, facts["sha256"])
            return cls._opened(directory, facts)
        except (OSError, EOFError, ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"is not a complete system ({error})",
                path=directory,
                hint="Make it with import_moses or train_system.",
            ) from error

    @classmethod
    def _opened(cls, directory: Path, facts: Mapping[str, Any]) -> System:
        features: list[Feature] = []
        weights: list[float] = []
        for fact in facts["features"]:
            features.append(
                Feature(
                    fact["kind"],
                    fact["name"],
                    len(fact["weights"]),
                    len(weights),
                    fact.get("type", ""),
                )
            )
            weights.extend(fact["weights"])

        def array(name: str) -> NDArray[Any]:
            path = directory / f"{name}.npy"
            return read_only(np.asarray(np.load(path, mmap_mode="r", allow_pickle=False)))

        numbers = range(sum(feature.kind == LANGUAGE for feature in features))
        return cls(
            tuple(features),
            read_only(np.array(weights, np.float64)),
            Settings(facts["distortion_limit"], facts["table_limit"], facts["early_distortion"]),
            PhraseTable(*(array(f"table-{name}") for name in PhraseTable._fields)),
            Vocabulary(WordTable(*(array(f"source-{name}") for name in WordTable._fields))),
            Vocabulary(WordTable(*(array(f"target-{name}") for name in WordTable._fields))),
            tuple(LanguageModel.open(directory / f"language-{number}") for number in numbers),
            tuple(
                (array(f"isolated-{number}-states"), array(f"isolated-{number}-scores"))
                for number in numbers
            ),
        )


def feature_layout(kinds: Sequence[tuple[str, str, int, str]]) -> tuple[Feature, ...]:
    """Features of (kind, name, count, reordering type) in the order of Moses's n-best lists.

    Features with state come first, each group in the given order, the unknown-word penalty last.
    """
    stateful = (REORDERING, DISTORTION, LANGUAGE)
    features: list[Feature] = []
    first = 0
    for group in (
        [k for k in kinds if k[0] in stateful],
        [k for k in kinds if k[0] not in (*stateful, UNKNOWN_WORDS)],
        [k for k in kinds if k[0] == UNKNOWN_WORDS],
    ):
        for kind, name, count, reordering in group:
            if reordering:
                parse_reordering_type(reordering)
            features.append(Feature(kind, name, count, first, reordering))
            first += count
    return tuple(features)


def _numbers_in(language: LanguageModel, target: Vocabulary) -> NDArray[np.int32]:
    """The language model's number of each target word; boundaries in a text are unknown words."""
    numbers = language.ids(target.words)
    numbers[:3] = UNKNOWN
    return numbers


@njit(cache=True, nogil=True)
def _trace_phrases(lm, words, offsets, states, scores):  # type: ignore[no-untyped-def]
    for phrase in range(offsets.size - 1):
        first, stop = offsets[phrase], offsets[phrase + 1]
        trace_phrase(
            lm,
            words[first:stop],
            states[first + phrase : stop + phrase + 1],
            scores[first + phrase : stop + phrase + 1],
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _check_sums(directory: Path, sums: Mapping[str, str]) -> None:
    for name, wanted in sums.items():
        if _sha256(directory / name) != wanted:
            raise InputError(
                "is not what was written (its checksum differs)",
                path=directory / name,
                hint="Import the system again.",
            )
