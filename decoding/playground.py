"""One sentence, two lists, and what their difference costs: computed while somebody looks on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from decoding.core.corpus.words import count_words
from decoding.figures import ListFigures, list_figures
from decoding.makers import Translation, list_by_decoding
from decoding.models import RecipeVersion, System
from decoding.preparing import texts_of
from evaluation.core.errors import InputError

MOST_WORDS = 80


@dataclass(frozen=True, slots=True)
class Trial:
    """A unique best and a diverse list of a sentence."""

    best: list[Translation]
    diverse: list[Translation]
    best_figures: ListFigures | None  # None without references
    diverse_figures: ListFigures | None
    milliseconds: float

    @property
    def gain(self) -> float | None:
        """By how much diversity raises coverage."""
        if self.best_figures is None or self.diverse_figures is None:
            return None
        return self.diverse_figures.coverage - self.best_figures.coverage

    @property
    def paid(self) -> float:
        """By how much the diverse translations' model scores are lower, on average."""
        return _mean(self.diverse) - _mean(self.best)

    @property
    def in_both(self) -> int:
        """How many of the diverse translations are in the best list as well."""
        return sum(one.text in {other.text for other in self.best} for one in self.diverse)


def try_out(
    system: System,
    source: str,
    references: Sequence[str],
    settings: Mapping[str, Any],
) -> Trial:
    """Make both lists of a sentence (ALGORITHMS A3, A4); settings are a diverse recipe's."""
    words = count_words(source, system.source_language)
    if words > MOST_WORDS:
        raise InputError(
            f"the sentence has {words} words, and {MOST_WORDS} is the most here",
            hint="Longer ones are for jobs: make lists of a corpus.",
        )
    kinds = RecipeVersion.Kind
    wanted = (
        RecipeVersion(kind=kinds.UNIQUE_BEST, length=settings["length"]),
        RecipeVersion(kind=kinds.DIVERSE, **settings),
    )
    start = time.perf_counter()
    best, diverse = (list_by_decoding(system, version, source) for version in wanted)
    taken = 1000 * (time.perf_counter() - start)
    known = [texts_of(system).to_compare(reference) for reference in references]
    figures = list_figures(
        [[one.text for one in best], [one.text for one in diverse]], [known, known]
    )
    return Trial(best, diverse, *figures, milliseconds=taken)


def _mean(translations: Sequence[Translation]) -> float:
    scores = [one.score for one in translations if one.score is not None]
    return sum(scores) / len(scores) if scores else 0.0
