"""What edits took, what they were made from, and how far judges agree."""

from __future__ import annotations

import altair as alt

from evaluation.charts.drawing import (
    finished,
    level,
    row_of,
    table,
    tooltip,
    whole,
)
from evaluation.core.report.figures import Report
from evaluation.drawn import INK, PAPER, RULE, SAME, Chart


def seconds(report: Report) -> Chart | None:
    if report.effort is None:
        return None
    rows = [row_of(row.seconds.median, condition=row.condition) for row in report.effort.conditions]
    return level(
        report,
        rows,
        name="seconds",
        title="Time for an edit",
        summary="Medians, for times have long tails; lines are their intervals.",
        unit="seconds, median",
    )


def origin(report: Report) -> Chart | None:
    """Stacked shares of an edit's words: from the first, from the others, new."""
    if report.effort is None:
        return None
    kinds = ("the first translation", "the others shown", "nobody: new")
    rows = [
        row_of(value, scale=100, condition=row.condition, origin=kind, order=place)
        for row in report.effort.conditions
        for place, (kind, value) in enumerate(
            zip(kinds, (row.kept_first, row.kept_others, row.new), strict=True)
        )
        if value.defined
    ]
    if not rows:
        return None
    chart = alt.Chart(alt.Data(values=rows)).mark_bar(stroke=PAPER).encode(
        y=alt.Y("condition:N", title=None, sort=None),
        x=alt.X(
            "value:Q",
            title="% of an edit's words",
            stack="zero",
            scale=alt.Scale(domain=[0, 100], clamp=True),  # shares need not sum to 100 exactly
        ),
        color=alt.Color(
            "origin:N", scale=alt.Scale(domain=list(kinds), range=[INK, SAME, RULE])
        ),
        order="order:Q",
        tooltip=tooltip("%", "condition:N", "origin:N"),
    )  # fmt: skip
    return Chart(
        name="origin",
        title="What edits were made from",
        summary="Spans of words that stand in a shown translation count as kept from it.",
        alternative="; ".join(
            f"{row['condition']}, from {row['origin']}: {whole(row['value'])}%" for row in rows
        ),
        columns=("condition", "from", "% of words", "low", "high", "edits"),
        rows=table(rows, "condition", "origin"),
        spec=finished(chart, report.marks, height=56 * len(report.effort.conditions)),
    )


def agreement(report: Report) -> Chart | None:
    found = report.quality.agreement
    values = (
        ("kappa between judges", found.strict.kappa),
        ("kappa as WMT counts", found.inter.kappa),
        ("kappa with oneself", found.intra.kappa),
        ("Fleiss' kappa", found.fleiss),
        ("Krippendorff's alpha", found.alpha_nominal),
        ("ordinal alpha", found.alpha_ordinal),
    )
    rows = [row_of(value, condition=name) for name, value in values if value.defined]
    if not rows:
        return None
    return level(
        report,
        rows,
        name="agreement",
        title="Agreement of judges",
        summary="Beyond chance: 0 is chance, 1 is perfect. Lines are intervals.",
        unit="agreement beyond chance",
        middle=0.0,
        digits=2,
    )
