"""A report for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from evaluation.core.report.figures import Grouping, Report
from evaluation.core.statistics.agreement import PairAgreement
from evaluation.core.statistics.intervals import Interval
from evaluation.core.statistics.preferences import Preference

_WIDTH = 100


def as_text(report: Report) -> str:
    """The sections of the report, each with its tables."""
    title = report.facts.title
    if report.marks:
        title += f" ({', '.join(report.marks)})"
    parts = [
        f"{title}\n{'=' * len(title)}",
        textwrap.fill(report.answer, _WIDTH),
        _section("Preferences", _preferences(report)),
        _section("Conditions", _standings(report)),
        _section("Lists", _lists(report)),
        _section("Edits", _edits(report)),
        _section("Effort", _effort(report)),
        _section("Agreement", _agreement(report)),
        _section("Participants", _participants(report)),
        "Method\n------\n" + "\n\n".join(textwrap.fill(p, _WIDTH) for p in report.method),
    ]
    return "\n\n".join(part for part in parts if part)


def percent(value: Interval) -> str:
    """A share in per cent with its limits."""
    return number(value, scale=100.0)


def number(value: Interval, *, scale: float = 1.0, digits: int = 1) -> str:
    """An estimate with its limits; what is undefined says so."""
    if value.estimate is None:
        return "undefined"
    low, high = (
        "open" if end is None else f"{end * scale:.{digits}f}" for end in (value.low, value.high)
    )
    return f"{value.estimate * scale:.{digits}f} ({low} to {high})"


def p_value(value: float | None) -> str:
    """A p, never as 0."""
    if value is None:
        return "undefined"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def group_name(grouping: Grouping | None, group: int | None) -> str:
    """What a row is about: "all", or a group with the covariate's range."""
    if group is None or grouping is None:
        return "all"
    one = grouping.groups[group]
    if one.lowest is None:
        return f"{one.name} {one.number} (empty)"
    return f"{one.name} {one.number} ({one.lowest:.1f} to {one.highest:.1f})"


def _section(title: str, rows: Sequence[Sequence[str]]) -> str:
    """A titled table, the first row of which is its head; nothing without rows."""
    if len(rows) < 2:
        return ""
    widths = [max(len(row[c]) for row in rows) for c in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    return "\n".join([title, "-" * len(title), *lines])


def _preferences(report: Report) -> list[list[str]]:
    part, grouping = report.preferences, report.grouping
    rows = [["%", "sentences", "judgments", part.first, "same", part.second, "difference", "p"]]
    rows += [
        _preference(group_name(grouping, group), found)
        for group, found in [(None, part.overall), *enumerate(part.groups)]
    ]
    if part.crossover is not None:
        for name, found in (("logistic", part.crossover.logistic), ("local", part.crossover.local)):
            sure = "" if found.certainty is None else f"in {found.certainty:.1%} of samples"
            rows.append([f"changes sides, {name}", "", "", number(found.at), sure, "", "", ""])
    return rows


def _preference(name: str, found: Preference) -> list[str]:
    p = found.p if found.p_holm is None else found.p_holm
    return [
        name,
        f"{found.sentences:,}",
        f"{found.judgments:,}",
        percent(found.first),
        percent(found.same),
        percent(found.second),
        percent(found.difference),
        p_value(p),
    ]


def _standings(report: Report) -> list[list[str]]:
    return [["condition", "win ratio, %", "strength"]] + [
        [row.condition, percent(row.win_ratio), number(row.strength, digits=2)]
        for row in report.standings
    ]


def _lists(report: Report) -> list[list[str]]:
    head = ["condition", "of", "lists", "BLEU+1 min", "median", "max", "coverage", "BLEU", "oracle"]
    return [head] + [
        [
            row.condition,
            group_name(report.grouping, row.group),
            f"{row.lists:,}",
            *map(number, (row.minimum, row.median, row.maximum, row.coverage)),
            *map(number, (row.first_bleu, row.oracle_bleu)),
        ]
        for row in report.lists
    ]


def _edits(report: Report) -> list[list[str]]:
    rows = [["condition", "of", "edits", "BLEU+1", "chrF", "HTER"]]
    rows += [
        [
            row.condition,
            group_name(report.grouping, row.group),
            f"{row.bleu1.count:,}",
            *map(number, (row.bleu1, row.chrf, row.hter)),
        ]
        for row in report.edits
    ]
    name = f"{report.preferences.second} less {report.preferences.first}"
    rows += [
        [
            name,
            group_name(report.grouping, row.group),
            "",
            *map(number, (row.bleu1, row.chrf, row.hter)),
        ]
        for row in report.edit_differences
    ]
    return rows


def _effort(report: Report) -> list[list[str]]:
    if report.effort is None:
        return []
    head = ["condition", "seconds, median", "seconds a word", "keys a character"]
    rows = [[*head, "from the first, %", "from others, %", "new, %"]]
    rows += [
        [
            row.condition,
            number(row.seconds.median),
            number(row.seconds_per_word, digits=2),
            number(row.keys_per_character, digits=2),
            *map(percent, (row.kept_first, row.kept_others, row.new)),
        ]
        for row in report.effort.conditions
    ]
    times = number(report.effort.times_as_long, digits=2)
    return [*rows, [f"{report.preferences.second}, times as long", times, *[""] * 5]]


def _agreement(report: Report) -> list[list[str]]:
    found = report.quality.agreement
    rows = [["", "P(A)", "P(E)", "kappa", "agree", "pairs", "same", "judgments"]]
    kinds = (
        ("between judges, any order", found.strict),
        ("between judges, as WMT counts", found.inter),
        ("of judges with themselves", found.intra),
    )
    rows += [[name, *_pairs(pairs)] for name, pairs in kinds]
    for name, value in (
        ("Fleiss' kappa", found.fleiss),
        ("Krippendorff's alpha, nominal", found.alpha_nominal),
        ("Krippendorff's alpha, ordinal", found.alpha_ordinal),
    ):
        rows.append([name, "", "", number(value, digits=3), *[""] * 4])
    return rows


def _pairs(pairs: PairAgreement) -> Iterable[str]:
    expected = "undefined" if pairs.expected is None else f"{pairs.expected:.3f}"
    counts = (pairs.agree, pairs.comparable, pairs.ties, pairs.total)
    return [
        number(pairs.observed, digits=3),
        expected,
        number(pairs.kappa, digits=3),
        *(f"{count:,}" for count in counts),
    ]


def _participants(report: Report) -> list[list[str]]:
    head = ["participant", "judgments", "edits", "agreement, %", "same, %", "left, %", "seconds"]
    return [[*head, "notes"]] + [
        [
            row.judge.name,
            f"{row.judge.judgments:,}",
            f"{row.edits:,}",
            *map(percent, (row.judge.agreement, row.judge.ties, row.judge.left)),
            number(row.judge.seconds),
            "; ".join([*row.flags, *([f"excluded: {row.exclusion}"] if row.exclusion else [])]),
        ]
        for row in report.quality.participants
    ]
