from __future__ import annotations

import csv

import pytest

from evaluation.core.spreadsheets import csv_lines


@pytest.mark.parametrize("formula", ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "  =1"])
def test_a_formula_gets_an_apostrophe(formula):
    (row,) = csv.reader(csv_lines([[formula, "plain"]]), strict=True)
    assert row == ["'" + formula, "plain"]


@pytest.mark.parametrize("cell", ["", " ", "a=1", "1-2", 'ünï, "quoted"\nlines', "'=1"])
def test_other_text_stays(cell):
    (row,) = csv.reader(csv_lines([[cell, cell]]), strict=True)
    assert row == [cell, cell]


def test_numbers_are_numbers():
    assert list(csv_lines([(-1, -0.5, None, True)])) == ["-1,-0.5,,True\r\n"]


def test_lines_are_written_as_rows_come():
    def rows():
        yield ("first",)
        raise AssertionError("nobody has asked for the second yet")

    assert next(csv_lines(rows())) == "first\r\n"
