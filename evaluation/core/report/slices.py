"""Which part of a study a report is about, and how it is cut into groups.

A slice is small and plain, so that the address of a page can hold it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import pairwise
from math import isfinite

from evaluation.core.errors import InputError
from evaluation.core.report.tables import EXCLUDED, FLAGGED, SIMULATED, SURPLUS
from evaluation.core.statistics.intervals import Bootstrap

MOST_GROUPS = 20


@dataclass(frozen=True, slots=True)
class Slice:
    """The defaults are the paper's: quartiles of the baseline's BLEU+1 (ALGORITHMS B5, C6)."""

    first: str = ""  # the baseline; empty: the study's first condition
    second: str = ""  # empty: the next condition
    covariate: str = ""  # empty: the study's usual one
    groups: int = 4
    cuts: tuple[float, ...] = ()  # instead of equal groups
    surplus: bool = False  # answers that came when no more were wanted
    excluded: bool = False  # of participants whom the researcher excluded
    flagged: bool = True  # of participants whom a check flagged
    simulated: bool = False  # beside real ones; a wholly simulated study needs no switch
    workers: bool = False  # intervals that draw workers too
    seed: int = 1
    samples: int = 10_000
    level: float = 0.95

    def __post_init__(self) -> None:
        """Refuse what cannot be reported."""
        if not 1 <= self.groups <= MOST_GROUPS:
            raise InputError(
                f"{self.groups} groups are not to be had", hint=f"Ask for 1 to {MOST_GROUPS}."
            )
        rising = all(a < b for a, b in pairwise(self.cuts))
        if not (rising and all(map(isfinite, self.cuts))):
            raise InputError(
                "the cut points do not rise", hint="Give each once, from low to high: 20,35,50."
            )
        if len(self.cuts) >= MOST_GROUPS:
            raise InputError("there are too many cut points", hint=f"Give up to {MOST_GROUPS - 1}.")
        if not 0 <= self.seed < 2**63 or self.samples > 100_000:
            raise InputError(
                "the seed is negative or too large, or there are more than 100,000 samples",
                hint="10,000 samples are enough for two digits.",
            )
        Bootstrap(self.seed, self.samples, self.level)  # refuses the rest

    @property
    def bootstrap(self) -> Bootstrap:
        """How the intervals of judgments are found."""
        resample = "sentences and workers" if self.workers else "sentences"
        return Bootstrap(self.seed, self.samples, self.level, resample)  # type: ignore[arg-type]

    @property
    def of_sentences(self) -> Bootstrap:
        """The same where only sentences can be drawn."""
        return Bootstrap(self.seed, self.samples, self.level)

    @property
    def left_out(self) -> frozenset[str]:
        """The marks of answers that are not counted, simulated ones aside."""
        counted = {SURPLUS: self.surplus, EXCLUDED: self.excluded, FLAGGED: self.flagged}
        return frozenset(mark for mark, kept in counted.items() if not kept)

    def keeps(self, marks: frozenset[str], *, real: bool) -> bool:
        """Whether an answer with these marks counts; ``real``: there are others than simulated."""
        if SIMULATED in marks and real and not self.simulated:
            return False
        return not marks & self.left_out

    def as_query(self) -> dict[str, str]:
        """What differs from the defaults, for an address; `slice_from` reads it back."""
        usual = Slice()
        query = {}
        for name in (part.name for part in fields(self)):
            value = getattr(self, name)
            if value != getattr(usual, name):
                if isinstance(value, bool):
                    query[name] = "yes" if value else "no"
                elif isinstance(value, tuple):
                    query[name] = ",".join(f"{cut:g}" for cut in value)
                else:
                    query[name] = str(value)
        return query


def slice_from(query: Mapping[str, str]) -> Slice:
    """The slice that an address holds; parts that are no slice's are left alone."""
    usual = Slice()
    parts: dict[str, object] = {}
    for name in (part.name for part in fields(Slice)):
        text = query.get(name, "").strip()
        if not text:
            continue
        value = getattr(usual, name)
        try:
            if isinstance(value, bool):
                parts[name] = {"yes": True, "no": False}[text]
            elif isinstance(value, tuple):
                parts[name] = tuple(float(cut) for cut in text.split(","))
            else:
                parts[name] = type(value)(text)
        except (ValueError, KeyError) as error:
            wanted = {bool: "yes or no", tuple: "numbers such as 20,35"}.get(
                type(value), "a number"
            )
            raise InputError(
                f"{name} is {text!r}", hint=f"The address of a report wants {wanted} there."
            ) from error
    return Slice(**parts)  # type: ignore[arg-type]
