"""A report for a terminal."""

from __future__ import annotations

import textwrap

from evaluation.core.report.figures import Report
from evaluation.report_tables import Table, tables

_WIDTH = 100


def as_text(report: Report) -> str:
    """The answer, the tables and the method."""
    title = report.facts.title
    if report.marks:
        title += f" ({', '.join(report.marks)})"
    parts = [
        f"{title}\n{'=' * len(title)}",
        textwrap.fill(report.answer, _WIDTH),
        *(_section(table) for table in tables(report).values()),
        "Method\n------\n" + "\n\n".join(textwrap.fill(p, _WIDTH) for p in report.method),
    ]
    return "\n\n".join(parts)


def _section(table: Table) -> str:
    """A titled table whose columns are as wide as what they hold."""
    rows = [table.head, *table.rows]
    widths = [max(len(row[c]) for row in rows) for c in range(len(table.head))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([table.title, "-" * len(table.title), *lines])
