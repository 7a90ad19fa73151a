"""Tables as CSV, in which no spreadsheet finds a formula that a stranger wrote."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any


class _Echo:
    """A file for the csv module that gives back what is written."""

    def write(self, text: str) -> str:
        return text


def csv_lines(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    r"""The lines of a file, with their ends, as the rows come.

    >>> list(csv_lines([("name", "value"), ("=1+1", -2)]))
    ['name,value\r\n', "'=1+1,-2\r\n"]
    """
    writer = csv.writer(_Echo())
    for row in rows:
        yield writer.writerow([_neutral(cell) for cell in row])


def _neutral(cell: Any) -> Any:
    """What a spreadsheet would take for a formula gets an apostrophe before it."""
    if isinstance(cell, str) and cell.lstrip(" ")[:1] in ("=", "+", "-", "@", "\t", "\r", "\n"):
        return "'" + cell
    return cell
