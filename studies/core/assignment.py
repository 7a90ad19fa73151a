"""Who may do what, and what is handed out next (ALGORITHMS C4, C5).

These are the rules in their plainest form. The database does the same with one query
(queries/slots.py), and tests compare the two on random studies.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import ceil

from studies.core.conduct import Conduct
from studies.core.design import Design

EDITING, EVAL = "editing", "eval"
KINDS = (EDITING, EVAL)


@dataclass(frozen=True, slots=True)
class Place:
    """A wanted answer: one of a task's slots."""

    kind: str
    segment: int
    task: int
    position: int  # in the plan: the lower is handed out first


@dataclass(frozen=True, slots=True)
class Meeting:
    """That a person has been shown a task, whether or not they answered it."""

    kind: str
    segment: int
    task: int


def may_meet(place: Place, met: Collection[Meeting], *, pairs_per_judge: int = 1) -> bool:
    """Whether a person with this past may be shown the task.

    Who edited a sentence sees no more of it; who judged it judges no pair twice, and at most
    ``pairs_per_judge`` pairs of it.
    """
    before = [meeting for meeting in met if meeting.segment == place.segment]
    if place.kind == EDITING:
        return not before
    return (
        all(meeting.kind == EVAL for meeting in before)
        and all(meeting.task != place.task for meeting in before)
        and len(before) < pairs_per_judge
    )


def next_place(
    free: Iterable[Place], met: Collection[Meeting], kind: str, *, pairs_per_judge: int = 1
) -> Place | None:
    """The earliest in the plan that the person may do: sentences are completed one by one."""
    allowed = (
        place
        for place in free
        if place.kind == kind and may_meet(place, met, pairs_per_judge=pairs_per_judge)
    )
    return min(allowed, key=lambda place: place.position, default=None)


def kinds_to_try(current: str) -> tuple[str, ...]:
    """Which kind of task a person is offered first: they stay with the one they know."""
    return (EVAL, EDITING) if current == EVAL else (EDITING, EVAL)


def fewest_participants(design: Design, conduct: Conduct) -> int:
    """How many different people the rules ask for: a sentence needs so many pairs of eyes."""
    editors = len(design.conditions) * design.draws
    pairs = design.eval_tasks // design.sample_size
    # A pair needs `judges` people, and a person judges only so many pairs of a sentence.
    judges = max(design.judges, ceil(pairs * design.judges / min(pairs, conduct.pairs_per_judge)))
    return editors + judges


@dataclass(frozen=True, slots=True)
class Expense:
    """What a study will take, as far as it can be known before."""

    hours: float  # of participants' work
    cost: float
    bonuses: float  # if every task is done, in the time that is expected


def expense(design: Design, conduct: Conduct) -> Expense:
    """Work and pay of all tasks, at the minutes that are expected for each."""
    minutes = (
        design.editing_tasks * conduct.minutes_per_edit
        + design.judgments * conduct.minutes_per_judgment
    )
    hours = minutes / 60
    bonuses = (
        design.editing_tasks * conduct.bonus_per_edit
        + design.judgments * conduct.bonus_per_judgment
        + hours * conduct.bonus_per_hour
    )
    return Expense(hours, hours * conduct.pay_per_hour, bonuses)
