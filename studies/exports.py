"""Everything of a study, as tables: CSV or JSON Lines, a row at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import Model

from evaluation.core.spreadsheets import csv_lines
from studies.models import Assignment, Check, Edit, EntryAnswer, Judgment, Participant, Study, Task

Row = Sequence[Any]
# Judgments whose tasks, edits and people are asked for together.
_PIECE = 2_000


@dataclass(frozen=True, slots=True)
class Table:
    """Columns, and where their rows come from."""

    columns: tuple[str, ...]
    rows: Callable[[Study, bool], Iterator[Row]]
    about: str


def _edits(study: Study, everything: bool) -> Iterator[Row]:
    edits = Edit.objects.filter(slot__study=study).select_related(
        "task__condition", "task__segment", "participant"
    )
    if not everything:
        edits = edits.filter(standing="counted", participant__is_simulated=False)
    for edit in edits.order_by("pk").iterator():
        task: Any = edit.task
        yield (
            task.segment.number, task.condition.name, task.draw + 1, task.number, task.texts,
            task.ranks, edit.text, edit.made_no_sense, edit.participant.pseudonym,
            edit.standing, edit.participant.is_simulated, edit.assigned_at, edit.answered_at,
            edit.seconds, edit.active_seconds, edit.pauses, edit.focus_losses, edit.keystrokes,
            edit.deletions, edit.pastes, edit.pasted_characters, edit.copied_from,
        )  # fmt: skip


def _judgments(study: Study, everything: bool) -> Iterator[Row]:
    judgments = Judgment.objects.filter(slot__study=study)
    if not everything:
        judgments = judgments.filter(standing="counted", participant__is_simulated=False)
    # Plain values: there may be a million, and eight objects for each took five times as long.
    rows = judgments.order_by("pk").values_list(
        "task", "first", "second", "participant", "choice", "seconds", "slot__number", "standing",
        "saw_differences", "assigned_at", "answered_at", "active_seconds", "pauses",
        "focus_losses", "swapped", named=True,
    )  # fmt: skip
    # What many judgments share is asked for by its key, once a piece. Eight tables joined to all
    # rows is a statement that PostgreSQL, where it knows too little of them, nests for minutes.
    judged = rows.iterator()
    while piece := list(islice(judged, _PIECE)):
        tasks = _by_key(
            Task, {one.task for one in piece}, "segment__number", "number", "texts",
            "first__condition__name", "second__condition__name",
        )  # fmt: skip
        edits = _by_key(Edit, {key for one in piece for key in (one.first, one.second)}, "text")
        people = _by_key(
            Participant, {one.participant for one in piece}, "pseudonym", "is_simulated"
        )
        for one in piece:
            task, person = tasks[one.task], people[one.participant]
            shown = [
                (task.first__condition__name, edits[one.first].text),
                (task.second__condition__name, edits[one.second].text),
            ]
            choice = {"first": "a", "second": "b", "same": "same"}[one.choice]
            if one.swapped:
                shown.reverse()
                choice = {"a": "b", "b": "a", "same": "same"}[choice]
            yield (
                task.segment__number, shown[0][0], shown[1][0], choice, person.pseudonym,
                task.number, one.seconds, task.texts[0], shown[0][1], shown[1][1],
                one.slot__number, one.standing, person.is_simulated, one.saw_differences,
                one.assigned_at, one.answered_at, one.active_seconds, one.pauses,
                one.focus_losses,
            )  # fmt: skip


def _by_key(model: type[Model], keys: Collection[int], *names: str) -> dict[int, Any]:
    rows = model._default_manager.filter(pk__in=keys).order_by()
    return {row.pk: row for row in rows.values_list("pk", *names, named=True)}


def _tasks(study: Study, everything: bool) -> Iterator[Row]:
    tasks = study.tasks.select_related(
        "segment", "condition", "first__condition", "second__condition"
    )
    task: Any
    for task in tasks.order_by("kind", "number").iterator():
        pair = (
            [None] * 4
            if task.first is None
            else [task.first.number, task.first.condition.name, task.second.number,
                  task.second.condition.name]
        )  # fmt: skip
        yield (
            task.kind, task.number, task.segment.number,
            task.condition.name if task.condition else None,
            None if task.draw is None else task.draw + 1, task.ranks, task.texts, *pair,
        )  # fmt: skip


def _participants(study: Study, everything: bool) -> Iterator[Row]:
    rows = study.participants.order_by("pk")
    if not everything:
        rows = rows.filter(is_simulated=False)
    for one in rows.iterator():
        yield (
            one.pseudonym, one.arrival, one.state, one.is_simulated, one.consent_version,
            one.consented_at, one.arrived_at, one.ended_at, one.flags, one.exclusion,
        )  # fmt: skip


def _assignments(study: Study, everything: bool) -> Iterator[Row]:
    rows = Assignment.objects.filter(slot__study=study).select_related(
        "participant", "task", "segment"
    )
    if not everything:
        rows = rows.filter(participant__is_simulated=False)
    for one in rows.order_by("pk").iterator():
        yield (
            one.participant.pseudonym, one.kind, one.task.number, one.segment.number, one.state,
            one.assigned_at,
        )  # fmt: skip


def _checks(study: Study, everything: bool) -> Iterator[Row]:
    rows = Check.objects.filter(participant__study=study).select_related("participant")
    if not everything:
        rows = rows.filter(participant__is_simulated=False)
    for one in rows.order_by("pk").iterator():
        yield (
            one.participant.pseudonym,
            one.number,
            one.reference,
            *one.texts,
            one.right,
            one.choice,
            one.assigned_at,
            one.answered_at,
        )


def _entry(study: Study, everything: bool) -> Iterator[Row]:
    rows = EntryAnswer.objects.filter(participant__study=study).select_related("participant")
    if not everything:
        rows = rows.filter(participant__is_simulated=False)
    for one in rows.order_by("pk").iterator():
        yield (
            one.participant.pseudonym, one.kind, one.attempt, one.number, one.answer,
            one.is_right, one.answered_at,
        )  # fmt: skip


def _amendments(study: Study, everything: bool) -> Iterator[Row]:
    for one in study.amendments.all():
        yield one.number, one.made_at, one.what, one.reason, one.before, one.after


def _wordings(study: Study, everything: bool) -> Iterator[Row]:
    for one in study.wordings.order_by("kind", "version"):
        yield one.kind, one.version, one.created_at, one.text


TABLES = {
    "edits": Table(
        (
            "item", "condition", "draw", "task", "shown", "ranks", "text", "made no sense",
            "worker", "standing", "simulated", "assigned", "answered", "seconds",
            "active seconds", "pauses",
            "focus losses", "keystrokes", "deletions", "pastes", "pasted characters",
            "copied from",
        ),
        _edits,
        "what people wrote in EDITING",
    ),
    # Its first columns are those that `manage.py report` reads.
    "judgments": Table(
        (
            "item", "condition a", "condition b", "choice", "worker", "pair", "seconds",
            "reference", "text a", "text b", "judge", "standing", "simulated", "saw differences",
            "assigned", "answered", "active seconds", "pauses", "focus losses",
        ),
        _judgments,
        "what people chose in EVAL; a is what stood first",
    ),
    "tasks": Table(
        (
            "kind", "task", "item", "condition", "draw", "ranks", "texts", "first task",
            "first condition", "second task", "second condition",
        ),
        _tasks,
        "the plan, with its texts",
    ),
    "participants": Table(
        (
            "worker", "arrival", "state", "simulated", "consent version", "consented", "arrived",
            "ended", "flags", "exclusion",
        ),
        _participants,
        "who took part, under pseudonyms",
    ),
    "assignments": Table(
        ("worker", "kind", "task", "item", "state", "assigned"), _assignments, "who saw what"
    ),
    "entry": Table(
        ("worker", "kind", "attempt", "number", "answer", "right", "answered"),
        _entry,
        "answers to screening questions and training items",
    ),
    "checks": Table(
        (
            "worker", "number", "reference", "text a", "text b", "right", "choice", "assigned",
            "answered",
        ),
        _checks,
        "attention checks",
    ),
    "amendments": Table(
        ("number", "made", "what", "reason", "before", "after"),
        _amendments,
        "what was changed after the freezing",
    ),
    "wordings": Table(
        ("kind", "version", "made", "text"), _wordings, "what participants were told"
    ),
}  # fmt: skip


def as_csv(table: Table, study: Study, *, everything: bool = False) -> Iterator[str]:
    yield from csv_lines([table.columns])
    yield from csv_lines([_cell(value) for value in row] for row in table.rows(study, everything))


def as_json_lines(table: Table, study: Study, *, everything: bool = False) -> Iterator[str]:
    for row in table.rows(study, everything):
        yield (
            json.dumps(
                dict(zip(table.columns, row, strict=True)), ensure_ascii=False, default=_plain
            )
            + "\n"
        )


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, dict)):
        return json.dumps(value, ensure_ascii=False)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value


def _plain(value: Any) -> str:
    return value.isoformat()
