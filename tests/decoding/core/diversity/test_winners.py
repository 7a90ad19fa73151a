"""What is said of a surface."""

from __future__ import annotations

import pytest

from decoding.core.diversity.winners import Cell, answer, missing, signed, winners_of
from evaluation.core.statistics.intervals import Interval

BEST = Cell(4, 0.2, 61.9, 0, 0, True)
TIED = Cell(3, 0.1, 61.2, -1.5, 0.1, True)
# By its own interval it would be worse; among many it may be the best.
LUCKLESS = Cell(3, 0.2, 61.2, -1.5, -0.1, True)
WORSE = Cell(2, 0.1, 58.0, -5, -2.5, False)
GAIN = Interval(4.98, 3.8, 6.2, 200, 200)


@pytest.mark.parametrize(
    ("cells", "gain", "objective", "says"),
    [
        (
            (WORSE, TIED, BEST), GAIN, "coverage",
            ("The best cell is n = 4, λ = 0.2 with 61.9; 1 of the 2 others cannot be told apart "
            "from it. Its lists cover 5.0 more than unique best ones (95% interval 3.8 to 6.2). "
            "Of those that cannot be told apart and are above unique best lists n = 3, λ = 0.1 has the smallest λ, which costs "
            "least model score."),
        ),
        (
            (WORSE, BEST), Interval(0.5, -0.2, 1.2, 60, 60), "coverage",
            ("The best cell is n = 4, λ = 0.2 with 61.9; all others are worse. Its lists "
            "cover 0.5 more than unique best ones, which may be chance (95% interval −0.2 to 1.2)."),
        ),
        (
            (BEST, LUCKLESS), Interval(-1, -1.75, -0.25, 60, 60), "oracle",
            ("The best cell is n = 4, λ = 0.2 with 61.9; none of the others can be told apart from "
            "it. The oracle BLEU of its lists is 1.0 lower than that of unique best ones "
            "(95% interval 0.2 to 1.8)."),
        ),
        (
            (BEST,), GAIN, "coverage",
            ("The best cell is n = 4, λ = 0.2 with 61.9. Its lists cover 5.0 more than unique best "
            "ones (95% interval 3.8 to 6.2)."),
        ),
        (
            (Cell(4, 0.1, 31.5), Cell(4, 0.2, 44.25)), Interval(14.25, None, None, 0, 0), "coverage",
            "The highest value is that of n = 4, λ = 0.2: 44.2, against 30.0 of unique best lists.",
        ),
    ],
)  # fmt: skip
def test_the_answer(cells, gain, objective, says):
    assert answer(winners_of(cells), objective, 30.0, gain) == says


def test_of_equal_cells_the_best_has_the_smaller_n_then_lambda():
    cells = [Cell(3, 0.1, 40), Cell(2, 0.2, 40), Cell(2, 0.1, 40), Cell(4, 0.1, 39)]
    assert winners_of(cells).best == cells[2]


def test_the_mildest_of_tied_cells_has_the_smallest_lambda_and_then_the_highest_value():
    cells = [BEST, TIED, Cell(5, 0.1, 61.5, -1, 0.5, True), Cell(9, 0.05, 55, -9, -5, False)]
    assert winners_of(cells).mildest(30) == cells[2]
    assert winners_of([BEST, LUCKLESS]).mildest(30) is None
    # None that would be worse than no diversity.
    assert winners_of(cells).mildest(61.3) == cells[2]
    assert winners_of([BEST, TIED]).mildest(61.3) is None


def test_a_row_says_whether_a_cell_may_be_as_good():
    winners = winners_of([BEST, TIED, WORSE])
    rows = [winners.row_of(cell) for cell in (BEST, TIED, WORSE)]
    assert [row["tied_with_best"] for row in rows] == [True, True, False]
    assert rows[1]["less_best"] == pytest.approx(-0.7)
    assert winners_of([Cell(4, 0.1, 31.5)]).row_of(Cell(4, 0.1, 31.5))["tied_with_best"] is None


def test_differences_have_a_true_minus():
    assert winners_of([BEST, TIED]).difference_of(TIED) == "−0.70 (−1.50 to 0.10)"
    assert winners_of([Cell(4, 0.1, 2), Cell(4, 0.2, 1)]).difference_of(Cell(4, 0.2, 1)) == "−1.00"
    assert signed(-0.001, 2) == "0.00"


def test_how_many_sentences_are_missing():
    assert [missing(sentences) for sentences in (1, 7, 8, 200)] == [7, 1, 0, 0]
