"""The history of a weight tuning: charts of BLEU and of weights by round, and their table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

History = Mapping[str, Any]  # evaluation.core.tuning.record


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round, as the table shows it."""

    number: int
    score: float
    forecast: float
    hypotheses: int
    new: int
    best: bool


def history_rows(history: History) -> list[RoundRow]:
    """A row for each round."""
    return [
        RoundRow(
            number, done["score"], done["forecast"], done["hypotheses"], done["new"],
            number - 1 == history["best"],
        )
        for number, done in enumerate(history["rounds"], start=1)
    ]  # fmt: skip


def weights_by_round(history: History) -> list[dict[str, Any]]:
    """Every weight of every round, of which the absolute values sum to 1 in each.

    Only their proportions say anything, and MERT and the others give them on different scales.
    """
    values = []
    for number, done in enumerate(history["rounds"], start=1):
        flat = [
            (f"{name} {place}" if len(own) > 1 else name, weight)
            for name, own in done["weights"].items()
            for place, weight in enumerate(own, start=1)
        ]
        total = sum(abs(weight) for _, weight in flat) or 1.0
        values += [
            {"round": number, "feature": name, "weight": round(weight / total, 6)}
            for name, weight in flat
        ]
    return values


def bleu_spec(history: History) -> dict[str, Any]:
    """BLEU on the dev corpus by round, the best one marked."""
    import altair as alt

    rows = history_rows(history)
    data = alt.Data(
        values=[
            {"round": row.number, "BLEU": round(row.score, 3), "best": row.best} for row in rows
        ]
    )
    base = alt.Chart(data).encode(
        x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("BLEU:Q", title="BLEU on the dev corpus", scale=alt.Scale(zero=False)),
        tooltip=[alt.Tooltip("round:O"), alt.Tooltip("BLEU:Q", format=".2f")],
    )
    line = base.mark_line(color="#44546a")
    points = base.mark_point(filled=True, color="#44546a", size=40, opacity=1)
    best = base.mark_point(color="black", size=220, strokeWidth=2).transform_filter("datum.best")
    return _chart(line, points, best)


def weights_spec(history: History) -> dict[str, Any]:
    """Each weight by round."""
    import altair as alt

    data = alt.Data(values=weights_by_round(history))
    nearest = alt.Chart(data).encode(
        x=alt.X("round:O", title="round", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("weight:Q", title="weight (absolute values sum to 1)"),
        color=alt.Color(
            "feature:N", title=None, sort=None, scale=alt.Scale(scheme="tableau20"),
            legend=alt.Legend(columns=1, symbolLimit=30),
        ),
        detail="feature:N",
        tooltip=[
            alt.Tooltip("feature:N"), alt.Tooltip("round:O"), alt.Tooltip("weight:Q", format=".4f"),
        ],
    )  # fmt: skip
    return _chart(nearest.mark_line(), nearest.mark_point(filled=True, size=25, opacity=1))


def _chart(*layers: Any) -> dict[str, Any]:
    import altair as alt

    chart = alt.layer(*layers).properties(width=420, height=220, background="white")
    made: dict[str, Any] = chart.to_dict()
    return made


SPECS = {"bleu": bleu_spec, "weights": weights_spec}


def history_table(history: History, name: str) -> list[list[Any]]:
    """The figures of a chart as lines of CSV, the first with their names."""
    if name == "weights":
        rows = weights_by_round(history)
        return [["round", "feature", "weight"], *[list(row.values()) for row in rows]]
    return [
        ["round", "bleu", "forecast", "translations", "new", "signature"],
        *[
            [row.number, row.score, row.forecast, row.hypotheses, row.new,
             history.get("signature", "")]
            for row in history_rows(history)
        ],
    ]  # fmt: skip
