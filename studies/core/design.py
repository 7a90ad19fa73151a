"""The design of a study: what a researcher decides, and what follows from it (ALGORITHMS C)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import combinations
from math import comb

from evaluation.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Design:
    """The defaults are those of the paper (section 9), ALGORITHMS C1 to C5."""

    seed: int
    conditions: tuple[str, ...]  # one list each; the first is the baseline by convention
    sample_size: int = 200  # C1: S
    shortest_reference: int = 5  # C1: in words
    longest_reference: int = 25
    stratified: bool = False  # the same number of sentences from each quartile (B5)
    list_length: int = 5  # C2
    shown: int = 3  # C3: translations in an EDITING task: the first and shown - 1 drawn
    draws: int = 3  # C3: EDITING tasks a sentence and condition
    distinct_draws: bool = False  # no two draws of a sentence show the same translations
    shuffle_shown: bool = True  # the place on the page tells nothing of the rank
    judges: int = 3  # C5: judgments a pair
    # C5: None is all draws x draws pairs of two conditions, else so many drawn from them
    pairs_per_comparison: int | None = None
    # pairs of conditions to compare; empty means all
    comparisons: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what cannot be carried out, in words for the person who typed it."""
        for wrong, problem, hint in (
            (
                len(set(self.conditions)) < 2,
                "a study compares two or more conditions",
                "Choose another list to compare with.",
            ),
            (
                len(set(self.conditions)) < len(self.conditions),
                "a condition is named twice",
                "Give each condition a name of its own.",
            ),
            (self.sample_size < 1, "the sample is empty", "Ask for one sentence or more."),
            (
                not 1 <= self.shortest_reference <= self.longest_reference,
                f"no reference has {self.shortest_reference} to {self.longest_reference} words",
                "The shortest must be at least 1 and at most the longest.",
            ),
            (
                not 1 <= self.shown <= self.list_length,
                f"{self.shown} translations cannot be shown of a list of {self.list_length}",
                "Show fewer, or make longer lists.",
            ),
            (self.draws < 1, "there is no draw", "Ask for one draw or more."),
            (
                self.distinct_draws and self.draws > self.possible_draws,
                f"there are only {self.possible_draws} different draws, not {self.draws}",
                "Allow repeated draws, ask for fewer, or make longer lists.",
            ),
            (self.judges < 1, "nobody judges", "Ask for one judge or more."),
            (
                self.pairs_per_comparison is not None
                and not 1 <= self.pairs_per_comparison <= self.draws**2,
                f"a comparison has {self.draws**2} pairs, not {self.pairs_per_comparison}",
                f"Ask for 1 to {self.draws**2}, or for all.",
            ),
            (
                any(
                    len({*pair}) != 2 or not {*pair} <= {*self.conditions}
                    for pair in self.comparisons
                ),
                "a comparison names a condition that is not in the study, or one twice",
                "Compare two different conditions of this study.",
            ),
        ):
            if wrong:
                raise InputError(problem, hint=hint)

    @property
    def possible_draws(self) -> int:
        """How many sets of translations an EDITING task can show: the first is always there."""
        return comb(self.list_length - 1, self.shown - 1)

    @property
    def compared(self) -> tuple[tuple[str, str], ...]:
        """The pairs of conditions that are compared, in the order of the conditions."""
        return self.comparisons or tuple(combinations(self.conditions, 2))

    @property
    def editing_tasks(self) -> int:
        """C3: 1,200 in the paper."""
        return self.sample_size * len(self.conditions) * self.draws

    @property
    def eval_tasks(self) -> int:
        """C5: 1,800 in the paper."""
        pairs = self.pairs_per_comparison or self.draws**2
        return self.sample_size * len(self.compared) * pairs

    @property
    def judgments(self) -> int:
        """C5: 5,400 in the paper."""
        return self.eval_tasks * self.judges

    def as_dict(self) -> dict[str, object]:
        """For JSON; `design_from` reads it back."""
        return asdict(self)


def design_from(saved: dict[str, object]) -> Design:
    """The design that `Design.as_dict` wrote, from JSON."""
    known = set(Design.__dataclass_fields__)
    unknown = set(saved) - known
    if unknown:
        raise InputError(
            f"the design has unknown parts: {', '.join(sorted(unknown))}",
            hint="It was written by a newer version of Variorum; use that one.",
        )
    parts = dict(saved)
    for name in ("conditions", "comparisons"):
        value = parts.get(name)
        if isinstance(value, (list, tuple)):
            parts[name] = tuple(tuple(v) if isinstance(v, (list, tuple)) else v for v in value)
    return Design(**parts)  # type: ignore[arg-type]
