"""The tables of a report, as they are shown on a page and in a terminal alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from evaluation.core.report.figures import EditDifference, EditFigures, Grouping, Report
from evaluation.core.report.together import Together, known_crossing
from evaluation.core.statistics.agreement import PairAgreement
from evaluation.core.statistics.intervals import Interval
from evaluation.core.statistics.preferences import Preference

Row = Sequence[str]
_WORDS = ("of", "notes")  # columns that hold no figures


@dataclass(frozen=True, slots=True)
class Table:
    """A title, what the columns are, and rows of text that begin with what they are about."""

    title: str
    head: Row
    rows: Sequence[Row]

    @property
    def columns(self) -> list[tuple[str, bool]]:
        """The heads after the first, and whether figures stand below them."""
        return [(name, name not in _WORDS) for name in self.head[1:]]

    @property
    def lines(self) -> list[tuple[str, list[tuple[str, bool]]]]:
        """What each row is about, and its cells with whether they are figures."""
        figures = [figure for _, figure in self.columns]
        return [(row[0], list(zip(row[1:], figures, strict=True))) for row in self.rows]


def tables(report: Report) -> dict[str, Table]:
    """The tables that have rows, by the names under which the page places them."""
    found = {
        "preferences": Table("Who was preferred, per cent of judgments", *_preferences(report)),
        "crossover": Table(f"Where the preference changes sides{_of(report)}", *_crossover(report)),
        "standings": Table("All conditions", *_standings(report)),
        "worth": Table("What the guesses are worth", *_worth(report)),
        "quartiles": Table("Sentences by quartile, of the truth and guessed", *_quartiles(report)),
        "guessed": Table("Preference, where nobody knows a reference", *_guessed(report)),
        "lists": Table("The lists: BLEU+1 within them, coverage, BLEU", *_lists(report)),
        "edits": Table("Edits against the references", *_edits(report)),
        "effort": Table("Effort by condition", *_effort(report)),
        "ratios": Table(
            f"How many times what {report.preferences.first} takes {report.preferences.second} "
            "takes, sentence by sentence",
            *_ratios(report),
        ),
        "pairs": Table("Agreement over pairs of judgments", *_pairs(report)),
        "agreement": Table("Agreement over all judgments", *_coefficients(report)),
        "exclusions": Table(
            "Exclusions, before and after: per cent of judgments", *_exclusions(report)
        ),
        "participants": Table("Participants", *_participants(report)),
    }
    return {name: table for name, table in found.items() if table.rows}


def tables_together(found: Together) -> dict[str, Table]:
    """The tables of several studies: each study's groups, and all together."""
    names = found.names or ("all",)
    head = ("study", *names, "changes sides at")
    rows: list[Row] = []
    for report in found.reports:
        groups = report.preferences.groups or (report.preferences.overall,)
        crossing = known_crossing(report)
        at = number(crossing, digits=0) if crossing else "not shown"
        rows.append((report.facts.title, *(percent(one.difference) for one in groups), at))
    pooled = found.groups or (found.overall,)
    rows.append(
        (
            "together",
            *(percent(one.difference.value) for one in pooled),
            number(found.crossing.value, digits=0),
        )
    )
    part_head = ("sentences", found.first, "same", found.second, "difference", "studies differ by")
    parts = zip(("all", *found.names), (found.overall, *found.groups), strict=True)
    return {
        "studies": Table(f"{found.first} less {found.second}, points", head, rows),
        "pooled": Table(
            "All studies together, per cent of judgments",
            (*part_head, "of which not chance, %"),
            [
                (
                    name,
                    *(percent(side.value) for side in (one.first, one.same, one.second)),
                    percent(one.difference.value),
                    _share(one.difference.between),
                    _share(one.difference.inconsistency),
                )
                for name, one in parts
            ],
        ),
    }


def _share(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.1f}"


# --- How figures are written --------------------------------------------------------------------


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


# --- Preferences --------------------------------------------------------------------------------

_Found = tuple[Row, Sequence[Row]]


def _preference_head(report: Report, about: str = "sentences") -> Row:
    part = report.preferences
    return (
        about, "sentences judged", "judgments", part.first, "same", part.second, "difference", "p",
    )  # fmt: skip


def _preference(name: str, found: Preference) -> Row:
    p = found.p if found.p_holm is None else found.p_holm
    return (
        name,
        f"{found.sentences:,}",
        f"{found.judgments:,}",
        percent(found.first),
        percent(found.same),
        percent(found.second),
        percent(found.difference),
        p_value(p),
    )


def _preferences(report: Report) -> _Found:
    part, grouping = report.preferences, report.grouping
    groups = [(None, part.overall), *enumerate(part.groups)]
    return _preference_head(report), [
        _preference(group_name(grouping, group), found) for group, found in groups
    ]


def _of(report: Report) -> str:
    return f", {report.grouping.label}" if report.grouping else ""


def _crossover(report: Report) -> _Found:
    head = ("curve", "at", "samples in which it does, %")
    found = report.preferences.crossover
    if found is None:
        return head, ()
    curves = (("logistic regression", found.logistic), ("local regression", found.local))
    return head, [
        (name, number(one.at), "" if one.certainty is None else f"{one.certainty:.1%}"[:-1])
        for name, one in curves
    ]


def _standings(report: Report) -> _Found:
    return ("condition", "win ratio, %", "strength, log scale"), [
        (row.condition, percent(row.win_ratio), number(row.strength, digits=2))
        for row in report.standings
    ]


# --- Confidence ---------------------------------------------------------------------------------


def _worth(report: Report) -> _Found:
    head = ("of guess and truth", "is")
    if report.confidence is None:
        return head, ()
    worth = report.confidence.worth
    return head, (
        ("mean error, points of BLEU+1", f"{worth.error:.1f}"),
        ("mean error of who guesses the mean", f"{worth.error_of_mean:.1f}"),
        ("Pearson's r", number(worth.pearson, digits=2)),
        ("Spearman's rho", number(worth.spearman, digits=2)),
        ("quartile guessed, % of sentences (chance: 25)", f"{100 * worth.same_quartile:.0f}"),
    )


def _quartiles(report: Report) -> _Found:
    head = ("", *(f"guessed: {quartile}" for quartile in range(1, 5)))
    if report.confidence is None:
        return head, ()
    counts = report.confidence.worth.quartiles
    return head, [
        (f"truly in quartile {number}", *map(str, row)) for number, row in enumerate(counts, 1)
    ]


def _guessed(report: Report) -> _Found:
    found = report.confidence
    head = _preference_head(report, about="sentences by guess")
    if found is None:
        return head, ()
    below = f"{found.advice.below:.0f}"
    return head, [
        *(_preference(group_name(found.grouping, g), one) for g, one in enumerate(found.groups)),
        _preference(f"guess below {below}", found.advice.under),
        _preference(f"guess of {below} or more", found.advice.over),
    ]


# --- Lists, edits, effort -----------------------------------------------------------------------


def _lists(report: Report) -> _Found:
    head = ("condition", "of", "lists", "min", "median", "max", "coverage", "BLEU", "oracle BLEU")
    return head, [
        (
            row.condition,
            group_name(report.grouping, row.group),
            f"{row.lists:,}",
            *map(number, (row.minimum, row.median, row.maximum, row.coverage)),
            *map(number, (row.first_bleu, row.oracle_bleu)),
        )
        for row in report.lists
    ]


def _edits(report: Report) -> _Found:
    less = f"{report.preferences.second} less {report.preferences.first}"
    rows: list[tuple[str, EditFigures | EditDifference]] = [
        *((row.condition, row) for row in report.edits),
        *((less, row) for row in report.edit_differences),
    ]
    return ("condition", "of", "edits", "BLEU+1", "chrF", "HTER"), [
        (
            name,
            group_name(report.grouping, row.group),
            f"{row.bleu1.count:,}",
            *map(number, (row.bleu1, row.chrf, row.hter)),
        )
        for name, row in rows
    ]


def _effort(report: Report) -> _Found:
    head = (
        "condition", "seconds, median", "seconds a word", "keys, median", "keys a character",
        "words from the first, %", "from the others, %", "new, %",
    )  # fmt: skip
    if report.effort is None:
        return head, ()
    return head, [
        (
            row.condition,
            number(row.seconds.median),
            number(row.seconds_per_word, digits=2),
            number(row.keystrokes.median),
            number(row.keys_per_character, digits=2),
            *map(percent, (row.kept_first, row.kept_others, row.new)),
        )
        for row in report.effort.conditions
    ]


def _ratios(report: Report) -> _Found:
    if report.effort is None:
        return ("of", "times"), ()
    return ("of", "times"), (
        ("time", number(report.effort.times_as_long, digits=2)),
        ("keys", number(report.effort.times_the_keys, digits=2)),
    )


# --- Quality ------------------------------------------------------------------------------------


def _pairs(report: Report) -> _Found:
    found = report.quality.agreement
    kinds = (
        ("between judges, any order", found.strict),
        ("between judges, as WMT counts", found.inter),
        ("of judges with themselves", found.intra),
    )
    head = ("pairs of judgments", "P(A)", "P(E)", "kappa", "agree", "pairs", "same", "judgments")
    return head, [(name, *_pair(pairs)) for name, pairs in kinds]


def _pair(pairs: PairAgreement) -> Iterator[str]:
    yield number(pairs.observed, digits=3)
    yield "undefined" if pairs.expected is None else f"{pairs.expected:.3f}"
    yield number(pairs.kappa, digits=3)
    for count in (pairs.agree, pairs.comparable, pairs.ties, pairs.total):
        yield f"{count:,}"


def _coefficients(report: Report) -> _Found:
    found = report.quality.agreement
    values = (
        ("Fleiss' kappa", found.fleiss),
        ("Krippendorff's alpha, nominal", found.alpha_nominal),
        ("Krippendorff's alpha, ordinal", found.alpha_ordinal),
    )
    return ("beyond chance", "is", "judgments"), [
        (name, number(value, digits=3), f"{value.count:,}") for name, value in values
    ]


def _exclusions(report: Report) -> _Found:
    before, after = report.quality.before, report.quality.after
    head = _preference_head(report, about="exclusions")
    if before.judgments == after.judgments:
        return head, ()
    return head, (_preference("before", before), _preference("after", after))


def _participants(report: Report) -> _Found:
    head = (
        "participant", "edits", "judgments", "agreement with others, %", "“same”, %", "left, %",
        "seconds, median", "notes",
    )  # fmt: skip
    return head, [
        (
            row.judge.name,
            f"{row.edits:,}",
            f"{row.judge.judgments:,}",
            *map(percent, (row.judge.agreement, row.judge.ties, row.judge.left)),
            number(row.judge.seconds),
            "; ".join(_notes(row.simulated, row.exclusion, row.flags)),
        )
        for row in report.quality.participants
    ]


def _notes(simulated: bool, exclusion: str, flags: Iterable[str]) -> Iterator[str]:
    if simulated:
        yield "simulated"
    if exclusion:
        yield f"excluded: {exclusion}"
    yield from flags
