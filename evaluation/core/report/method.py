"""The method in words that can go into a paper, with the numbers of this very study."""

from __future__ import annotations

from evaluation.core.report.figures import Counts, Grouping
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import Tables


def method(
    tables: Tables, cut: Slice, counts: Counts, grouping: Grouping | None
) -> tuple[str, ...]:
    """Paragraphs: the answers, the groups, the intervals, what was left out, the metrics."""
    return tuple(
        paragraph
        for paragraph in (
            _answers(tables, cut, counts),
            _groups(tables, grouping, cut),
            _intervals(cut),
            _left_out(counts),
            _metrics(tables),
            _changes(tables),
        )
        if paragraph
    )


def _answers(tables: Tables, cut: Slice, counts: Counts) -> str:
    edits = (
        f" People wrote {counts.edits:,} sentences, each from several machine translations of "
        "one sentence, without seeing its source or its reference."
        if counts.edits
        else ""
    )
    conditions = ", ".join(tables.conditions)
    compared = f", of which {cut.first} and {cut.second} are compared here" * (
        len(tables.conditions) > 2
    )
    return (
        f"{counts.sentences:,} sentences were studied under the conditions {conditions}"
        f"{compared}.{edits} {counts.judges:,} people gave {counts.judgments:,} judgments of which "
        "of two outputs was better, or that they were the same."
    )


def _groups(tables: Tables, grouping: Grouping | None, cut: Slice) -> str:
    if grouping is None:
        return ""
    cuts = ", ".join(f"{value:.1f}" for value in grouping.cuts if value is not None)
    how = "at chosen points" if cut.cuts else "into groups of equal size"
    without = (
        f" {grouping.without:,} sentences without it belong to no group."
        if grouping.without
        else ""
    )
    return (
        f"Sentences were sorted by {grouping.label} and cut {how} "
        f"({len(grouping.groups)} groups{f'; cut points {cuts}' if cuts else ''}).{without}"
    )


def _intervals(cut: Slice) -> str:
    drawn = cut.bootstrap.resample
    test = (
        "Student's with the two-way cluster-robust variance (Cameron, Gelbach and Miller 2011)"
        if cut.workers
        else "exact, by flipping the signs of whole sentences"
    )
    return (
        f"Intervals have the level {cut.level * 100:g}%. They are bootstrap BCa intervals (Efron "
        "1987), with levels widened for few clusters (Hesterberg 2015), from "
        f"{cut.samples:,} samples of {drawn} (seed {cut.seed}), since judgments of one sentence "
        f"resemble each other. The test of no difference is {test}; over groups its p is "
        "corrected by Holm's method (1979). The point at which the preference changes sides is "
        "that of a logistic regression of the decided judgments on the covariate; its interval "
        f"is by percentiles of {min(cut.samples, 2_000):,} samples of sentences."
    )


def _left_out(counts: Counts) -> str:
    parts = [
        f"{number:,} {words}"
        for number, words in (
            (counts.surplus, "that came when no more were wanted"),
            (counts.excluded, "of excluded participants"),
            (counts.flagged, "of flagged participants"),
            (counts.simulated, "that were simulated"),
        )
        if number
    ]
    return f"Left out were answers: {', '.join(parts)}." if parts else "No answer was left out."


def _metrics(tables: Tables) -> str:
    if not tables.facts.signatures:
        return ""
    parts = (f"{name}: {signature}" for name, signature in tables.facts.signatures.items())
    return f"Metrics: {'; '.join(parts)}."


def _changes(tables: Tables) -> str:
    plan = f"The plan's checksum is {tables.facts.checksum}. " if tables.facts.checksum else ""
    if not tables.facts.amendments:
        return plan.strip()
    changes = "; ".join(
        f"({one.number}) {one.date}: {one.what}, because: {one.reason}"
        for one in tables.facts.amendments
    )
    return f"{plan}After the plan stood it was amended: {changes}."
