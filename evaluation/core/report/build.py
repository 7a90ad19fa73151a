"""From the tables of a study to its report (ALGORITHMS B5, C6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from evaluation.core.confidence import FEWEST, worth_of
from evaluation.core.errors import InputError
from evaluation.core.report.answer import answer
from evaluation.core.report.figures import (
    Advice,
    ConfidencePart,
    Counts,
    Group,
    Grouping,
    PreferencePart,
    Report,
    Standing,
)
from evaluation.core.report.lists import list_figures
from evaluation.core.report.method import method
from evaluation.core.report.quality import quality
from evaluation.core.report.slices import Slice
from evaluation.core.report.tables import (
    BLEU1,
    EXCLUDED,
    FLAGGED,
    GUESS,
    MARKS,
    SIMULATED,
    SURPLUS,
    EditRow,
    JudgmentRow,
    Tables,
)
from evaluation.core.report.work import edit_differences, edit_figures, effort
from evaluation.core.statistics.crossover import crossover
from evaluation.core.statistics.intervals import Interval
from evaluation.core.statistics.judgments import Judgment, Judgments, tally
from evaluation.core.statistics.preferences import Preference, Preferences, preferences
from evaluation.core.statistics.quartiles import Groups, equal_groups, groups_at
from evaluation.core.statistics.rankings import ranking, win_ratios

_Row = TypeVar("_Row", JudgmentRow, EditRow)
PAPERS_CROSSING = 35.0  # BLEU+1, as the paper reads off its Figure 2
_NAMES = {2: "half", 3: "third", 4: "quartile", 5: "fifth", 10: "tenth"}


def build_report(tables: Tables, wanted: Slice | None = None) -> Report:
    """The whole report of a study, or of judgments from elsewhere, for one slice."""
    cut = _filled(tables, wanted or Slice())
    answers: list[JudgmentRow | EditRow] = [*tables.judgments, *tables.edits]
    real = any(SIMULATED not in row.marks for row in answers)
    judged = _kept(tables.judgments, cut, real)
    edited = _kept(tables.edits, cut, real)
    numbered = _numbered(tables, judged, joined=False)
    known, grouping, groups = _grouped(tables, cut)
    part = _preferences(numbered, cut, tables, known, groups)
    group_of = _group_of(tables, known, groups)
    counted: list[JudgmentRow | EditRow] = [*judged, *edited]
    marks = [SIMULATED] if any(SIMULATED in row.marks for row in counted) else []
    if tables.facts.interim:
        marks.append("interim")
    counts = _counts(tables, judged, edited, real)
    work = effort(tables, edited, cut)
    trust = quality(tables, cut, _numbered, real=real)
    return Report(
        answer=answer(part, grouping, cut, edited=bool(tables.edits), interim=tables.facts.interim),
        facts=tables.facts,
        cut=cut,
        counts=counts,
        marks=tuple(marks),
        grouping=grouping,
        preferences=part,
        standings=_standings(numbered, cut),
        lists=list_figures(tables, cut, grouping, group_of),
        edits=edit_figures(tables, edited, cut, grouping, group_of),
        edit_differences=edit_differences(edited, cut, grouping, group_of),
        effort=work,
        quality=trust,
        method=method(tables, cut, counts, grouping, part.crossover, work, trust.agreement),
        choices={
            "conditions": _judged_conditions(tables),
            "covariates": tuple(tables.covariates),
        },
        confidence=_confidence(tables, numbered, cut, part),
    )


def _filled(tables: Tables, wanted: Slice) -> Slice:
    """The slice with the study's own conditions and covariate where it names none."""
    names = _judged_conditions(tables)
    if len(names) < 2:
        raise InputError(
            "there are not two conditions to compare", hint="Report judgments of two or more."
        )
    first = wanted.first or next(name for name in names if name != wanted.second)
    second = wanted.second or next(name for name in names if name != first)
    for name in (first, second):
        if name not in names:
            raise InputError(
                f"there is no condition {name!r}", hint=f"Choose from {', '.join(names)}."
            )
    if first == second:
        raise InputError(f"{first} cannot be compared with itself", hint="Name another.")
    if wanted.covariate and wanted.covariate not in tables.covariates:
        raise InputError(
            f"there is no covariate {wanted.covariate!r}",
            hint=f"Choose from {', '.join(tables.covariates)}."
            if tables.covariates
            else "These judgments came without one.",
        )
    covariate = wanted.covariate or next(iter(tables.covariates), "")
    return replace(wanted, first=first, second=second, covariate=covariate)


def _judged_conditions(tables: Tables) -> tuple[str, ...]:
    """The conditions by their own names: of joined systems each one."""
    if not tables.joined:
        return tables.conditions
    return tuple(dict.fromkeys(name for joined in tables.conditions for name in joined.split("+")))


def _kept(rows: Sequence[_Row], cut: Slice, real: bool) -> tuple[_Row, ...]:
    return tuple(row for row in rows if cut.keeps(row.marks, real=real))


def _expanded(rows: Sequence[JudgmentRow]) -> tuple[JudgmentRow, ...]:
    """A judgment of joined systems given to each of them."""
    return tuple(
        replace(row, left=left, right=right, pair="\n".join((row.pair, *sorted((left, right)))))
        for row in rows
        for left in row.left.split("+")
        for right in row.right.split("+")
    )


def _numbered(tables: Tables, rows: Sequence[JudgmentRow], *, joined: bool) -> Judgments:
    """The judgments as arrays; sentences and conditions in the study's order.

    ``joined`` leaves joined systems joined: people compared what they saw, so that is what they
    agree about.
    """
    if tables.joined and not joined:
        rows = _expanded(rows)
    names = dict.fromkeys(
        (*_judged_conditions(tables), *(n for row in rows for n in (row.left, row.right)))
    )
    return Judgments.from_rows(
        (
            Judgment(r.sentence, r.pair, r.worker, r.left, r.right, r.outcome, r.seconds)
            for r in rows
        ),
        sentences=[sentence.name for sentence in tables.sentences],
        conditions=list(names),
    )


def _grouped(tables: Tables, cut: Slice) -> tuple[list[int], Grouping | None, Groups | None]:
    """The sentences whose covariate is known, and their groups."""
    known = [
        number
        for number, sentence in enumerate(tables.sentences)
        if cut.covariate and np.isfinite(sentence.covariates.get(cut.covariate, np.nan))
    ]
    if not known:
        return [], None, None
    values = [tables.sentences[number].covariates[cut.covariate] for number in known]
    groups = groups_at(values, cut.cuts) if cut.cuts else equal_groups(values, cut.groups)
    name = "group" if cut.cuts else _NAMES.get(groups.count, "group")
    return (
        known,
        Grouping(
            covariate=cut.covariate,
            label=tables.covariates[cut.covariate],
            groups=tuple(
                Group(g + 1, name, groups.sizes[g], groups.lowest[g], groups.highest[g])
                for g in range(groups.count)
            ),
            cuts=groups.cuts,
            without=len(tables.sentences) - len(known),
        ),
        groups,
    )


def _group_of(tables: Tables, known: list[int], groups: Groups | None) -> dict[str, int]:
    """The group, from 0, of each sentence that is in one."""
    if groups is None:
        return {}
    return {
        tables.sentences[number].name: int(group)
        for number, group in zip(known, groups.group, strict=True)
    }


def _preferences(
    judgments: Judgments, cut: Slice, tables: Tables, known: list[int], groups: Groups | None
) -> PreferencePart:
    """Shares overall over all sentences; in groups, and along the covariate, over the known."""
    first, second = (judgments.conditions.index(name) for name in (cut.first, cut.second))

    def found(of: Judgments, cut_into: Groups | None) -> Preferences:
        return preferences(of, cut.bootstrap, groups=cut_into, first=first, second=second)

    if groups is None:
        return PreferencePart(
            cut.first, cut.second, found(judgments, None).overall, (), crossover=None
        )
    of_known = _of_sentences(judgments, known)
    parts = found(of_known, groups)
    whole = parts if len(known) == judgments.sentences else found(judgments, None)
    return PreferencePart(
        first=cut.first,
        second=cut.second,
        overall=whole.overall,
        groups=parts.groups,
        crossover=crossover(
            tally(of_known, first, second),
            [tables.sentences[number].covariates[cut.covariate] for number in known],
            # As exact as its curve is drawn; five times as many cost seconds.
            replace(cut.of_sentences, samples=min(cut.samples, 2_000)),
        ),
    )


def _confidence(
    tables: Tables, judgments: Judgments, cut: Slice, part: PreferencePart
) -> ConfidencePart | None:
    """Quartiles by guess beside those by truth, and the advice that the guesses give."""
    known = [
        number
        for number, sentence in enumerate(tables.sentences)
        if {BLEU1, GUESS} <= sentence.covariates.keys()
    ]
    if len(known) < FEWEST:
        return None
    truth, guessed = (
        np.array([tables.sentences[number].covariates[name] for number in known])
        for name in (BLEU1, GUESS)
    )
    _, grouping, quarters = _grouped(tables, replace(cut, covariate=GUESS, groups=4, cuts=()))
    if grouping is None or quarters is None or len(quarters.group) != len(known):
        return None
    of_known = _of_sentences(judgments, known)
    first, second = (judgments.conditions.index(name) for name in (cut.first, cut.second))

    def found(groups: Groups) -> tuple[Preference, ...]:
        return preferences(
            of_known, cut.bootstrap, groups=groups, first=first, second=second
        ).groups

    crossing = part.crossover.logistic if part.crossover else None
    crossed = (
        cut.covariate == BLEU1
        and crossing is not None
        and crossing.at.estimate is not None
        and (crossing.certainty or 0.0) >= cut.level
    )
    below = crossing.at.estimate if crossed and crossing else None
    below = PAPERS_CROSSING if below is None else below
    under, over = found(groups_at(guessed.tolist(), (below,)))
    low = truth < below
    return ConfidencePart(
        sentences=len(known),
        worth=worth_of(guessed, truth, cut.of_sentences),
        grouping=grouping,
        groups=found(quarters),
        advice=Advice(
            below=below,
            crossed=crossed,
            sentences=int((guessed < below).sum()),
            right=float(((guessed < below) == low).mean()),
            always_first=float((~low).mean()),
            under=under,
            over=over,
        ),
    )


def _of_sentences(judgments: Judgments, known: list[int]) -> Judgments:
    """The judgments of some sentences, which are numbered anew."""
    place = np.full(judgments.sentences, -1)
    place[known] = np.arange(len(known))
    chosen = judgments.where(place[judgments.sentence] >= 0)
    return replace(chosen, sentence=place[chosen.sentence], sentences=len(known))


def _standings(judgments: Judgments, cut: Slice) -> tuple[Standing, ...]:
    """All conditions, the strongest first; () where there are only two."""
    if len(judgments.conditions) < 3 or not len(judgments):
        return ()
    ratios = win_ratios(judgments, cut.of_sentences)
    strengths = ranking(judgments, level=cut.level).strength
    rows = map(Standing, judgments.conditions, ratios, strengths)

    def order(row: Standing) -> tuple[float, float]:
        return tuple(-_known(value) for value in (row.strength, row.win_ratio))  # type: ignore[return-value]

    return tuple(sorted(rows, key=order))


def _known(value: Interval) -> float:
    return -np.inf if value.estimate is None else value.estimate


def _counts(
    tables: Tables, judged: Sequence[JudgmentRow], edited: Sequence[EditRow], real: bool
) -> Counts:
    kept = {id(row) for row in judged} | {id(row) for row in edited}
    rows: list[JudgmentRow | EditRow] = [*tables.judgments, *tables.edits]
    out = [row.marks for row in rows if id(row) not in kept]
    left = {mark: sum(mark in marks for marks in out) for mark in MARKS}
    return Counts(
        sentences=len(tables.sentences),
        edits=len(edited),
        judgments=len(judged),
        judges=len({row.worker for row in judged}),
        surplus=left[SURPLUS],
        excluded=left[EXCLUDED],
        flagged=left[FLAGGED],
        simulated=left[SIMULATED] if real else 0,
    )
