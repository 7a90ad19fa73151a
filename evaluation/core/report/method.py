"""The method in words that can go into a paper, with the numbers of this very study."""

from __future__ import annotations

from evaluation.core.report.figures import Counts, EffortPart, Grouping
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import GUESS, Tables
from evaluation.core.statistics.agreement import Agreement
from evaluation.core.statistics.crossover import Crossover
from evaluation.core.statistics.intervals import Interval


def method(
    tables: Tables,
    cut: Slice,
    counts: Counts,
    grouping: Grouping | None,
    crossover: Crossover | None,
    effort: EffortPart | None,
    agreement: Agreement,
) -> tuple[str, ...]:
    """Paragraphs: what was done, then what beside the answer a paper says of it in figures."""
    return tuple(
        paragraph
        for paragraph in (
            _answers(tables, cut, counts),
            _groups(tables, grouping, cut),
            _intervals(cut),
            _guesses(tables),
            _left_out(counts),
            _crossing(crossover, grouping),
            _agreed(agreement),
            _took(effort, cut),
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


def _guesses(tables: Tables) -> str:
    if GUESS not in tables.covariates:
        return ""
    return (
        "BLEU+1 of the first translations was also guessed without references, by a ridge "
        "regression on what is known of a list: model score and features by words, length, entropy "
        "and spread. Each guess is by a model that has not seen the sentence (10 folds, the "
        "penalty chosen within each)."
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


def _crossing(crossover: Crossover | None, grouping: Grouping | None) -> str:
    """Both curves, for a reader who asks how much hangs on the kind of curve."""
    if crossover is None or grouping is None or crossover.logistic.at.estimate is None:
        return ""
    local = (
        f"a local regression puts it at {_figure(crossover.local.at)}"
        if crossover.local.at.estimate is not None
        else "a local regression finds no such point"
    )
    return (
        f"By the logistic regression the preference changes sides at a {grouping.label} of "
        f"{_figure(crossover.logistic.at)}; {local}."
    )


def _agreed(agreement: Agreement) -> str:
    if agreement.fleiss.estimate is None:
        return ""
    return (
        f"Judges of the same pair agreed with kappa {_figure(agreement.strict.kappa, 2)}, Fleiss' "
        f"kappa {_figure(agreement.fleiss, 2)}, Krippendorff's alpha "
        f"{_figure(agreement.alpha_nominal, 2)} (nominal) and "
        f"{_figure(agreement.alpha_ordinal, 2)} (ordinal)."
    )


def _took(effort: EffortPart | None, cut: Slice) -> str:
    if effort is None or effort.times_as_long.estimate is None:
        return ""
    medians = "; ".join(
        f"{row.condition} {_figure(row.seconds.median)} seconds"
        + (
            f" and {_figure(row.keystrokes.median)} keys"
            if row.keystrokes.median.estimate is not None
            else ""
        )
        for row in effort.conditions
    )
    keys = (
        f" and {_figure(effort.times_the_keys, 2)} times the keys"
        if effort.times_the_keys.estimate is not None
        else ""
    )
    return (
        f"Medians of an edit: {medians}. Sentence by sentence, {cut.second} took "
        f"{_figure(effort.times_as_long, 2)} times as long{keys} as {cut.first}."
    )


def _figure(value: Interval, digits: int = 1) -> str:
    """A figure with its limits, as it stands in a paper."""
    if value.estimate is None:
        return "undefined"
    if value.low is None and value.high is None:
        return f"{value.estimate:.{digits}f}"
    low, high = ("open" if end is None else f"{end:.{digits}f}" for end in (value.low, value.high))
    return f"{value.estimate:.{digits}f} ({low} to {high})"


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
