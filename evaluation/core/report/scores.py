"""From texts to the numbers that a report is made from: edits and lists against references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
import sacrebleu

from evaluation.core.metrics.figures import FigureOptions, bleu1_figure, first_bleu1, signature
from evaluation.core.metrics.hter import hter_signature, hter_statistics
from evaluation.core.metrics.oracle import list_spread
from evaluation.core.metrics.references import index_references
from evaluation.core.metrics.words import Vocabulary
from evaluation.core.report.tables import ListRow
from evaluation.core.statistics.effort import origin

# Spans of fewer words are in many translations by chance.
SHORTEST_SPAN = 1


@dataclass(frozen=True, slots=True)
class EditScores:
    """The figures of one edit; None where it cannot have one."""

    words: int
    characters: int
    bleu1: float | None
    chrf: float | None
    changes: float | None  # to the closest of the shown translations, as TER counts
    length: float | None
    kept_first: float | None
    kept_others: float | None


@dataclass(frozen=True, slots=True)
class EditText:
    """What somebody wrote, what they were shown, and what they could not see."""

    text: str
    shown: Sequence[str]
    ranks: Sequence[int]  # of the shown translations in their list, from 1
    references: Sequence[str]


def tokenizer_for(language: str) -> str:
    """sacrebleu's tokenizer for plain text of a language."""
    code = language.partition("-")[0]
    return {"zh": "zh", "ja": "char", "th": "char"}.get(code, "13a")


def score_edits(edits: Sequence[EditText], *, language: str) -> list[EditScores]:
    """BLEU+1 and chrF against the references, HTER and origin against what was shown (B2).

    Case does not count: edits are plain sentences, references may be in small letters.
    """
    options = _options(language)
    chrf = sacrebleu.CHRF(lowercase=True)
    scored = [number for number, edit in enumerate(edits) if edit.text.split() and edit.references]
    bleu1: dict[int, float] = {}
    if scored:
        lists = [[edits[n].text] for n in scored]
        found = first_bleu1(lists, [list(edits[n].references) for n in scored], options)
        bleu1 = dict(zip(scored, found, strict=True))
    rows = []
    for number, edit in enumerate(edits):
        changes, length = _closest(edit)
        first, others = _origin(edit)
        rows.append(
            EditScores(
                words=len(edit.text.split()),
                characters=len(edit.text),
                bleu1=bleu1.get(number),
                chrf=chrf.sentence_score(edit.text, list(edit.references)).score
                if number in bleu1
                else None,
                changes=changes,
                length=length,
                kept_first=first,
                kept_others=others,
            )
        )
    return rows


def edit_signatures(edit: EditText, *, language: str) -> dict[str, str]:
    """How the figures of edits are made, with as many references as this one has."""
    options = _options(language)
    references = [list(edit.references) or ["a"]]
    chrf = sacrebleu.CHRF(lowercase=True)
    chrf.corpus_score(["a"], [[one] for one in references[0]])
    return {
        "BLEU+1 of edits": bleu1_figure([["a"]], references, options).signature,
        "chrF of edits": str(chrf.get_signature()),
        "HTER of edits": f"{hter_signature()}|against:closest-shown",
    }


def list_row(
    bleu1: Sequence[float],
    coverage: float,
    statistics: Mapping[str, Sequence[int]],
    name: tuple[str, str],
) -> ListRow:
    """The figures of a list, which is (sentence, condition) by ``name`` (B3, B4, B5)."""
    spread = list_spread(np.array(bleu1), np.array([0, len(bleu1)]))
    sentence, condition = name
    return ListRow(
        sentence=sentence,
        condition=condition,
        size=len(bleu1),
        median=float(spread.median[0]),
        minimum=float(spread.minimum[0]),
        maximum=float(spread.maximum[0]),
        coverage=coverage,
        first=tuple(statistics["first"]),
        oracle=tuple(statistics["oracle"]),
    )


def list_signatures(references: Sequence[str]) -> dict[str, str]:
    """How the figures of lists are made, with as many references as this sentence has."""
    index = index_references(Vocabulary().encode_lists([list(references) or ["a"]]))
    options = FigureOptions()
    return {
        "BLEU+1 of lists": signature(index, options, "smooth:add-k[1.00]"),
        "coverage": signature(index, options, f"pool:{options.pooling}", "smooth:add-k[1.00]"),
        "BLEU of lists": signature(index, options, "smooth:exp"),
    }


def columns() -> tuple[str, ...]:
    """The names of an edit's figures, for whoever keeps them."""
    return tuple(field.name for field in fields(EditScores))


def _options(language: str) -> FigureOptions:
    return FigureOptions(tokenize=tokenizer_for(language), lowercase=True)


def _closest(edit: EditText) -> tuple[float | None, float | None]:
    """TER's edits and words against the shown translation that is the least work away."""
    if not edit.text.split() or not edit.shown:
        return None, None
    statistics = hter_statistics(list(edit.shown), [edit.text] * len(edit.shown))
    nearest = statistics[statistics[:, 0].argmin()]
    return float(nearest[0]), float(nearest[1])


def _origin(edit: EditText) -> tuple[float | None, float | None]:
    """Shares of the words kept from the list's first translation, and from the others shown."""
    found = origin(
        edit.text.lower().split(),
        [shown.lower().split() for shown in edit.shown],
        shortest=SHORTEST_SPAN,
    )
    if found.new is None:
        return None, None
    kept = {True: 0.0, False: 0.0}
    for rank, share in zip(edit.ranks, found.kept, strict=True):
        kept[rank == 1] += share or 0.0
    return kept[True], kept[False]
