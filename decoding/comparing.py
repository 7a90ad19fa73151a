"""How well systems translate a corpus: their first translations against its references.

A system's first translation is that of its list by a recipe for best lists, so what has been made
already is used, and what is made for this can be browsed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from decoding.core.corpus.words import base_language
from decoding.models import Corpus, ListEntry, Reference, System
from decoding.preparing import texts_of
from decoding.training import looks_tokenised
from evaluation.core.errors import VariorumError

if TYPE_CHECKING:
    from evaluation.core.metrics.figures import FigureOptions

# How many sentences are shown that one system translates better than the other.
_MOST_SHOWN = 10
_TOKENIZERS = {"zh": "zh", "ja": "char"}


@dataclass(frozen=True, slots=True)
class Translated:
    """The segments of a corpus that have references, and what systems make of them."""

    numbers: list[int]
    sources: list[str]
    references: list[list[str]]
    translations: list[list[str]]  # of each system, in the segments' order; "" if there is none

    def untranslated(self, system: int) -> int:
        """How many segments the system at this place has no translation of."""
        return sum(not text for text in self.translations[system])


def translated(corpus: Corpus, versions: Mapping[System, int]) -> Translated:
    """The first translations of a corpus in each system's lists by a recipe version, as read."""
    references: dict[int, list[str]] = {}
    rows = Reference.objects.filter(segment__corpus=corpus).order_by("segment__number", "number")
    for number, text in rows.values_list("segment__number", "text"):
        references.setdefault(number, []).append(text)
    if not references:
        raise VariorumError("The corpus has no references, so nothing can be measured on it.")
    sources = dict(corpus.segments.values_list("number", "source"))
    found = []
    for system, version in versions.items():
        texts = texts_of(system)
        entries = ListEntry.objects.filter(
            translation_list__corpus=corpus,
            translation_list__system=system,
            translation_list__recipe_version=version,
            rank=1,
        )
        first = dict(entries.values_list("translation_list__segment__number", "text"))
        found.append([texts.to_read(first.get(number, "")) for number in references])
    return Translated(
        list(references), [sources[number] for number in references], list(references.values()),
        found,
    )  # fmt: skip


def figure_options(corpus: Corpus, systems: Iterable[System], of: Translated) -> FigureOptions:
    """Words between blanks where all is tokenised, sacrebleu's tokenizer for text to read."""
    from evaluation.core.metrics.figures import FigureOptions

    texts = [texts_of(system) for system in systems]
    tokenised = all(one.is_tokenised for one in texts) and looks_tokenised(
        [reference for own in of.references[:200] for reference in own]
    )
    language = base_language(corpus.target_language)
    return FigureOptions(
        tokenize="none" if tokenised else _TOKENIZERS.get(language, "13a"),
        lowercase=any(one.is_lower_case for one in texts),
    )


@dataclass(frozen=True, slots=True)
class Measured:
    """A system's BLEU on a corpus."""

    bleu: float
    signature: str
    segments: int
    untranslated: int


def measure(corpus: Corpus, system: System, version: int) -> Measured:
    """Corpus BLEU of a system's lists by a recipe version, by sacrebleu (ALGORITHMS B1)."""
    from evaluation.core.metrics.figures import bleu_figure

    known = translated(corpus, {system: version})
    figure = bleu_figure(
        [[text] for text in known.translations[0]],
        known.references,
        figure_options(corpus, [system], known),
    )
    return Measured(figure.score, figure.signature[:200], len(known.numbers), known.untranslated(0))


def compare(corpus: Corpus, versions: Mapping[System, int], seed: int) -> dict[str, Any]:
    """Two systems' BLEU, their difference with its interval, and the sentences behind it.

    Of each system's lists by a recipe version.
    """
    from evaluation.core.metrics.bleu import sentence_bleu1
    from evaluation.core.metrics.figures import bleu_figure, bleu_statistics
    from evaluation.core.statistics.intervals import Bootstrap
    from evaluation.core.statistics.systems import bleu_difference

    known = translated(corpus, versions)
    options = figure_options(corpus, versions, known)
    bootstrap = Bootstrap(seed)
    lists = [[[text] for text in own] for own in known.translations]
    figures = [bleu_figure(own, known.references, options) for own in lists]
    first, second = (bleu_statistics(own, known.references, options) for own in lists)
    told = bleu_difference(first, second, bootstrap)
    better = sentence_bleu1(second) - sentence_bleu1(first)
    order = better.argsort(kind="stable").tolist()

    def shown(places: list[int]) -> list[dict[str, Any]]:
        return [
            {
                "number": known.numbers[place],
                "source": known.sources[place],
                "reference": known.references[place][0],
                "first": known.translations[0][place],
                "second": known.translations[1][place],
                "difference": round(float(better[place]), 2),
            }
            for place in places
        ]

    return {
        "bleu": [figure.score for figure in figures],
        "signature": figures[0].signature,
        "segments": len(known.numbers),
        "untranslated": [known.untranslated(0), known.untranslated(1)],
        "difference": asdict(told.difference),
        "p": told.p,
        "bootstrap": asdict(bootstrap),
        "same": sum(a == b for a, b in zip(*known.translations, strict=True)),
        "second_better": shown([p for p in reversed(order) if better[p] > 0][:_MOST_SHOWN]),
        "first_better": shown([p for p in order if better[p] < 0][:_MOST_SHOWN]),
    }
