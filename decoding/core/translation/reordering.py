"""Lexicalised reordering: what kind of model a type's name means, and its orientations.

A phrase is placed monotone (M), swapped (S), or discontinuous to the right (DR) or left (DL) of
the phrase placed before it. A model that tells fewer of these apart shares values among them;
in memory all four have a column, so that the search knows one kind of model only.
"""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.core.errors import InputError

MONOTONE, SWAP, RIGHT, LEFT = range(4)
ORIENTATIONS = 4

# For each family its classes, as columns for M, S, DR, DL. The order of values in tables is
# that of Moses: msd is M S D, mslr is M S DL DR, leftright is R L, monotonicity is M and not M.
_FAMILIES = {
    "msd": (0, 1, 2, 2),
    "mslr": (0, 1, 3, 2),
    "monotonicity": (0, 1, 1, 1),
    "leftright": (0, 1, 0, 1),
}


@dataclass(frozen=True, slots=True)
class ReorderingType:
    """A type such as ``wbe-msd-bidirectional-fe-allff``, taken apart."""

    family: str
    backward: bool  # a phrase's orientation towards the phrase before it
    forward: bool  # ... and of the phrase after it
    with_target: bool  # the table's entries are phrase pairs (fe), not source phrases (f)

    @property
    def columns(self) -> tuple[int, int, int, int]:
        """Which of the family's values each of M, S, DR and DL has."""
        return _FAMILIES[self.family]

    @property
    def classes(self) -> int:
        """How many values each direction has."""
        return max(self.columns) + 1

    @property
    def scores(self) -> int:
        """How many values a table's line has, and the feature has."""
        return self.classes * (self.backward + self.forward)

    @property
    def backward_at(self) -> int:
        """The first of the backward values, or -1."""
        return 0 if self.backward else -1

    @property
    def forward_at(self) -> int:
        """The first of the forward values, or -1."""
        return self.classes * self.backward if self.forward else -1


def parse_reordering_type(text: str) -> ReorderingType:
    """The type that a moses.ini names, in any order of its parts."""
    family, directions, condition = "", "", ""
    for part in text.split("-"):
        if part in _FAMILIES:
            family = part
        elif part in ("bidirectional", "backward", "unidirectional", "forward"):
            directions = part
        elif part in ("fe", "f"):
            condition = part
        elif part == "hier" or part == "collapseff":
            raise InputError(
                f"the reordering type {text} is not supported, for {part} is not",
                hint="Variorum reads wbe and phrase models with a weight for each value (allff).",
            )
        elif part not in ("wbe", "phrase", "allff"):
            raise InputError(f"the reordering type {text} has an unknown part, {part!r}")
    if not family or not condition:
        raise InputError(
            f"the reordering type {text!r} does not say enough",
            hint="A type is for example wbe-msd-bidirectional-fe-allff.",
        )
    directions = directions or "backward"
    return ReorderingType(
        family,
        backward=directions != "forward",
        forward=directions in ("forward", "bidirectional"),
        with_target=condition == "fe",
    )


def orientation(previous_start: int, previous_end: int, start: int, end: int) -> int:
    """How a phrase lies to the one before it; before the first, that is (-1, -1)."""
    if start == previous_end + 1:
        return MONOTONE
    if end + 1 == previous_start:
        return SWAP
    return RIGHT if start > previous_end else LEFT
