"""Two lists of a sentence beside each other, as the lists browser and the playground show them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from decoding.display import is_lost
from decoding.makers import Translation
from decoding.models import Job, ListEntry, RecipeVersion, TranslationList
from evaluation.core.differences import Span, differences


@dataclass(frozen=True, slots=True)
class Line:
    """A translation, as it is shown."""

    made: Translation | ListEntry
    spans: list[Span]  # what is new against the baseline's first translation
    bleu1: float | None
    in_baseline: bool
    is_lost: bool  # nothing of it is left to read

    @property
    def phrases(self) -> list[tuple[str, str]]:
        """Its phrases, each with the numbers of the source's words that it is for, from 1."""
        words, at = self.made.text.split(), 0
        phrases = []
        for start, end, length in self.made.segmentation:
            numbers = f"{start + 1}" if start == end else f"{start + 1}–{end + 1}"
            phrases.append((" ".join(words[at : at + length]), numbers))
            at += length
        return phrases


@dataclass(frozen=True, slots=True)
class Side:
    """One of two lists."""

    version: RecipeVersion
    translations: Sequence[Translation | ListEntry]
    bleu1: Iterable[float | None] = ()
    coverage: float | None = None
    oracle: float | None = None
    made: TranslationList | None = None  # where it is kept
    job: Job | None = None  # which made it, if one may see that

    @property
    def condition(self) -> str:
        """By which the list is coloured and signed."""
        return "diverse" if self.version.is_penalized else "best"

    @property
    def settings(self) -> dict[str, Any]:
        """What was asked for when the list was made, by its names; nothing that had no meaning."""
        kept: Mapping[str, Any] = self.made.provenance.get("recipe", {}) if self.made else {}
        known = {field.name: str(field.verbose_name) for field in RecipeVersion._meta.fields}
        return {
            known.get(name, name): "yes" if value is True else value
            for name, value in kept.items()
            if name not in self.version.without_meaning and value is not False
        }


@dataclass(frozen=True, slots=True)
class Beside:
    """A baseline and what is compared with it."""

    baseline: Side
    other: Side
    show: Callable[[str], str]  # a translation, as people shall read it
    language: str
    direction: str = ""  # empty where nobody knows

    @property
    def sides(self) -> list[tuple[Side, list[Line]]]:
        """Both, each with its lines."""
        first = self.show(self.baseline.translations[0].text) if self.baseline.translations else ""
        there = self._texts(self.baseline)

        def line(made: Translation | ListEntry, bleu1: float | None) -> Line:
            shown = self.show(made.text)
            return Line(
                made,
                differences(shown, first),
                bleu1,
                in_baseline=made.text in there,
                is_lost=is_lost(made.text, shown),
            )

        return [
            (side, [line(*one) for one in zip_longest(side.translations, side.bleu1)])
            for side in (self.baseline, self.other)
        ]

    @property
    def different(self) -> int:
        """How many different translations are compared with the baseline's."""
        return len(self._texts(self.other))

    @property
    def in_both(self) -> int:
        """How many of those the baseline has too."""
        return len(self._texts(self.other) & self._texts(self.baseline))

    @property
    def gain(self) -> float | None:
        """By how much coverage is higher than the baseline's."""
        if self.other.coverage is None or self.baseline.coverage is None:
            return None
        return self.other.coverage - self.baseline.coverage

    @staticmethod
    def _texts(side: Side) -> set[str]:
        return {made.text for made in side.translations}
