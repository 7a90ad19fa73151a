"""HTER: how much of a machine's translation a person changed (Snover et al. 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import sacrebleu
from numpy.typing import NDArray

from evaluation.core.errors import InputError


@dataclass(frozen=True, slots=True)
class HterOptions:
    """What Tercom, and sacrebleu after it, leave to choose."""

    normalized: bool = True  # punctuation is separated from words, for edits are plain text
    case_sensitive: bool = False


def hter_statistics(
    translations: Sequence[str], edits: Sequence[str], options: HterOptions | None = None
) -> NDArray[np.float64]:
    """Edits and length of each sentence: (S, 2).

    HTER is TER with the person's own edit as the one reference: the words to insert, delete,
    replace, and the blocks to move, that lead from the translation to the edit, as sacrebleu
    finds them. Who edited several translations at once has an HTER against each.
    """
    if len(translations) != len(edits):
        short = min(len(translations), len(edits)) + 1
        raise InputError(
            f"there are {len(translations)} translations and {len(edits)} edits of them: "
            f"sentence {short} has only one of the two",
            hint="Both must be of the same sentences, in the same order.",
        )
    metric = _ter(options)
    statistics = np.empty((len(edits), 2))
    for s, (translation, edit) in enumerate(zip(translations, edits, strict=True)):
        if not edit.split():
            raise InputError(f"the edit of sentence {s + 1} is empty", hint="Leave the pair out.")
        score = metric.sentence_score(translation, [edit])
        statistics[s] = score.num_edits, score.ref_length
    return statistics


def hter(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    """HTER of each row of statistics, or of a sum of rows: 0..100, and above if all was changed.

    100 means as many edits as the edited sentence has words.
    """
    return np.asarray(100.0 * statistics[..., 0] / statistics[..., 1])


def hter_signature(options: HterOptions | None = None) -> str:
    """How the figure was made, by sacrebleu."""
    metric = _ter(options)
    metric.sentence_score("a", ["a"])  # it knows the number of references only afterwards
    return str(metric.get_signature())


def _ter(options: HterOptions | None) -> sacrebleu.TER:
    options = options or HterOptions()
    return sacrebleu.TER(
        normalized=options.normalized, case_sensitive=options.case_sensitive, asian_support=False
    )
