"""A figure that has been drawn: what is kept of it, and its forms for papers and pages.

Nothing here needs Altair, so a page that shows kept figures does not wait for it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from decoding.charts import picture
from evaluation.core.spreadsheets import csv_lines

# The hues of config/static/css/tokens.css: first condition, second, "same"; ink, rules, paper.
FIRST, SECOND, SAME = "#0a5c9e", "#b34a00", "#5c564c"
SECOND_PALE = "#e8c8b4"
INK, RULE, PAPER = "#1f1d1a", "#d9d3c6", "#ffffff"
# Which colour stands for which on a dark page.
DARK = {
    FIRST: "#74b9f3",
    SECOND: "#f0a04b",
    SECOND_PALE: "#5f4123",
    SAME: "#b3ada1",
    INK: "#ece8df",
    RULE: "#3f3c37",
    PAPER: "#211f1d",
}

Form = Literal["svg", "png", "pdf", "csv", "json"]


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure with everything that a page, a paper and a screen reader need."""

    name: str
    title: str
    summary: str  # what to look at, in a sentence
    alternative: str  # what it shows, in words
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]  # its data, unrounded
    spec: Mapping[str, Any]  # Vega-Lite

    @property
    def spec_id(self) -> str:
        """Where a page keeps the specification."""
        return f"{self.name}-spec"


FORMS: tuple[Form, ...] = ("svg", "png", "pdf", "csv", "json")


def rendered(chart: Chart, form: Form) -> bytes:
    """The figure as a file."""
    if form == "csv":
        return "".join(csv_lines([chart.columns, *chart.rows])).encode()
    if form == "json":
        return json.dumps(chart.spec, ensure_ascii=False).encode()
    return picture(dict(chart.spec), form)
