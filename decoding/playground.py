"""One sentence, two lists, and what their difference costs: computed while somebody looks on."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from decoding.core.corpus.words import count_words
from decoding.figures import ListFigures, list_figures
from decoding.makers import Translation, list_by_decoding
from decoding.models import RecipeVersion, System
from decoding.preparing import texts_of
from evaluation.core.errors import InputError, VariorumError

MOST_WORDS = 80
PATIENCE_SECONDS = 1.0
_one_at_a_time = threading.Lock()


@dataclass(frozen=True, slots=True)
class Trial:
    """A unique best and a diverse list of a sentence."""

    versions: tuple[RecipeVersion, RecipeVersion]  # which nobody keeps
    best: list[Translation]
    diverse: list[Translation]
    best_figures: ListFigures | None  # None without references
    diverse_figures: ListFigures | None
    milliseconds: float

    @property
    def paid(self) -> float:
        """By how much the diverse translations' model scores are lower, on average."""
        return _mean(self.diverse) - _mean(self.best)


def try_out(
    system: System,
    source: str,
    references: Sequence[str],
    settings: Mapping[str, Any],
) -> Trial:
    """Make both lists of a sentence (ALGORITHMS A3, A4); settings are a diverse recipe's."""
    # As the system knows them, for those are what decoding takes time for.
    words = count_words(texts_of(system).to_decode(source), system.source_language)
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
    with _decoding():
        start = time.perf_counter()
        best, diverse = (list_by_decoding(system, version, source) for version in wanted)
        taken = 1000 * (time.perf_counter() - start)
    known = [texts_of(system).to_compare(reference) for reference in references]
    figures = list_figures(
        [[one.text for one in best], [one.text for one in diverse]], [known, known]
    )
    return Trial(wanted, best, diverse, *figures, milliseconds=taken)


@contextmanager
def _decoding() -> Iterator[None]:
    """While one decodes, the others wait a moment: a web process has other pages to give too."""
    if not _one_at_a_time.acquire(timeout=PATIENCE_SECONDS):
        raise VariorumError("Somebody else is trying out a sentence. Try again in a moment.")
    try:
        yield
    finally:
        _one_at_a_time.release()


def _mean(translations: Sequence[Translation]) -> float:
    scores = [one.score for one in translations if one.score is not None]
    return sum(scores) / len(scores) if scores else 0.0
