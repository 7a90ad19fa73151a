"""The lists and the edits made from them: Figure 1 of the paper, coverage, automatic metrics."""

from __future__ import annotations

import altair as alt

from evaluation.charts.drawing import (
    by_group,
    colour,
    finished,
    group_axis,
    group_labels,
    points,
    table,
    whole,
)
from evaluation.core.report.figures import Report
from evaluation.drawn import FIRST, INK, RULE, SECOND_PALE, Chart


def lists(report: Report) -> Chart | None:
    """Figure 1: bars are medians, lines reach from least to greatest."""
    own = by_group(report.lists)
    if not own or report.grouping is None:
        return None
    labels = group_labels(report.grouping)
    names = list(dict.fromkeys(row.condition for row in own))
    rows = [
        {
            "condition": row.condition,
            "group": labels[row.group or 0],
            "value": row.median.estimate,
            "low": row.minimum.estimate,
            "high": row.maximum.estimate,
            "n": row.lists,
        }
        for row in own
    ]
    fills = [FIRST, SECOND_PALE, *[INK, RULE] * len(names)][: len(names)]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=group_axis(report.grouping),
        xOffset=alt.XOffset("condition:N", sort=names),
    )
    layers = alt.layer(
        base.mark_bar(strokeWidth=1.5).encode(
            y=alt.Y("value:Q", title="BLEU+1"),
            # Full and pale: the two hues are equally dark on a printer without colours.
            fill=alt.Fill("condition:N", scale=alt.Scale(domain=names, range=fills)),
            stroke=colour(names)["stroke"],
            tooltip=[
                alt.Tooltip("condition:N"), alt.Tooltip("group:N"),
                alt.Tooltip("value:Q", format=".1f", title="median"),
                alt.Tooltip("low:Q", format=".1f", title="least"),
                alt.Tooltip("high:Q", format=".1f", title="greatest"),
            ],
        ),
        base.mark_rule(color=INK, strokeWidth=2).encode(y="low:Q", y2="high:Q"),
    )  # fmt: skip
    return Chart(
        name="lists",
        title="BLEU+1 within the lists",
        summary="Heights of the bars are medians, lines reach from the least to the greatest; all "
        "averaged over the sentences of a group.",
        alternative="; ".join(
            f"{row['group']}, {row['condition']}: median {whole(row['value'])}, "
            f"{whole(row['low'])} to {whole(row['high'])}"
            for row in rows
        ),
        columns=("group", "condition", "median", "least", "greatest", "lists"),
        rows=table(rows, "group", "condition"),
        spec=finished(layers, report.marks),
    )


def coverage(report: Report) -> Chart | None:
    return points(
        report,
        [(row.condition, row.group, row.coverage) for row in by_group(report.lists)],
        name="coverage",
        title="Coverage of the lists",
        unit="coverage",
        summary="How much of the references' n-grams a whole list holds.",
    )


def edits_bleu1(report: Report) -> Chart | None:
    return points(
        report,
        [(row.condition, row.group, row.bleu1) for row in by_group(report.edits)],
        name="edits-bleu1",
        title="BLEU+1 of the edits",
        unit="BLEU+1",
        summary="What people wrote, against the references: to be compared with their preference.",
    )


def edits_hter(report: Report) -> Chart | None:
    return points(
        report,
        [(row.condition, row.group, row.hter) for row in by_group(report.edits)],
        name="edits-hter",
        title="HTER of the edits",
        unit="HTER",
        summary="How much people changed of the closest translation that they were shown.",
    )
