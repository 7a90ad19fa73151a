"""What a surface says: its best cell, which others may be as good, and what the best one wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evaluation.core.statistics.intervals import FEWEST_SENTENCES, Interval


@dataclass(frozen=True, slots=True)
class Cell:
    """An n and lambda, and what was measured."""

    order: int
    penalty: float
    value: float
    # of the interval of the difference to the best cell, looked at alone
    low: float | None = None
    high: float | None = None
    # whether it may be the best of all cells; None: nobody knows
    tied: bool | None = None

    def __str__(self) -> str:
        return f"n = {self.order}, λ = {self.penalty:g}"

    @property
    def interval(self) -> str:
        """The interval in words, if there is one."""
        if self.low is None or self.high is None:
            return ""
        return f"{signed(self.low, 2)} to {signed(self.high, 2)}"


@dataclass(frozen=True, slots=True)
class Winners:
    """The best cell, and those that cannot be told apart from it."""

    best: Cell
    tied: tuple[Cell, ...]  # without the best, in the grid's order
    cells: int
    compared: bool  # whether it is known of every cell if it may be the best

    def mildest(self, unique_best: float) -> Cell | None:
        """Of the tied cells that with the smallest lambda, if it is smaller than the best's.

        The smaller lambda, the less of the model's score is given for being different. Cells
        whose value is not above that of unique best lists are not worth naming: with few
        sentences those may be tied too.
        """
        milder = [
            cell
            for cell in self.tied
            if cell.penalty < self.best.penalty and cell.value > unique_best
        ]
        return min(milder, key=lambda cell: (cell.penalty, -cell.value), default=None)

    def difference_of(self, cell: Cell) -> str:
        """A cell's value less the best one's, with its interval."""
        difference = signed(cell.value - self.best.value, 2)
        return f"{difference} ({cell.interval})" if self.compared else difference

    def row_of(self, cell: Cell) -> dict[str, Any]:
        """A cell as a row of figures."""
        return {
            "n": cell.order,
            "lambda": cell.penalty,
            "value": cell.value,
            "less_best": cell.value - self.best.value,
            "low": cell.low,
            "high": cell.high,
            "tied_with_best": cell.tied,
        }


def winners_of(cells: Sequence[Cell]) -> Winners:
    """Of equal cells the best has the smaller n, then lambda."""
    best = max(cells, key=lambda cell: (cell.value, -cell.order, -cell.penalty))
    tied = tuple(cell for cell in cells if cell is not best and cell.tied)
    return Winners(best, tied, len(cells), all(cell.tied is not None for cell in cells))


def answer(winners: Winners, objective: str, unique_best: float, gain: Interval) -> str:
    """The best cell, how many may be as good, and by how much its lists beat unique best ones."""
    best, tied, others = winners.best, len(winners.tied), winners.cells - 1
    if not winners.compared:
        against = f"against {unique_best:.1f} of unique best lists"
        return f"The highest value is that of {best}: {best.value:.1f}, {against}."
    sentence = f"The best cell is {best} with {best.value:.1f}"
    if tied == others > 0:
        sentence += "; none of the others can be told apart from it"
    elif tied:
        sentence += f"; {tied} of the {others} others cannot be told apart from it"
    elif others:
        sentence += "; all others are worse"
    sentences = [f"{sentence}.", _said(objective, gain)]
    if (mildest := winners.mildest(unique_best)) is not None:
        sentences.append(
            f"Of those that cannot be told apart and are above unique best lists {mildest} has the "
            "smallest λ, which costs least model score."
        )
    return " ".join(sentences)


def missing(sentences: int) -> int:
    """How many sentences more it takes for intervals."""
    return max(0, FEWEST_SENTENCES - sentences)


def _said(objective: str, gain: Interval) -> str:
    """How the best cell's lists compare with unique best ones."""
    size, low, high = gain.estimate or 0.0, gain.low, gain.high
    less = size < 0
    if objective == "oracle":
        by = f"{abs(size):.1f} {'lower' if less else 'higher'}"
        words = f"The oracle BLEU of its lists is {by} than that of unique best ones"
    else:
        by = f"{abs(size):.1f} {'less' if less else 'more'}"
        words = f"Its lists cover {by} than unique best ones"
    if low is None or high is None:
        return f"{words}."
    if low <= 0 <= high:
        words += ", which may be chance"
    if less:
        low, high = -high, -low
    return f"{words} (95% interval {signed(low, 1)} to {signed(high, 1)})."


def signed(number: float, digits: int) -> str:
    """With a true minus, and none before what rounds to 0."""
    return f"{number:z.{digits}f}".replace("-", "−")
