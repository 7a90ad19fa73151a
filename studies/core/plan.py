"""The plan of a study: every task and every order of display, from the design and its seed.

ALGORITHMS C3 and C5. The plan is complete before the first participant arrives; it can be exported
and registered, and its checksum shows later that nothing was changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import combinations, product

from studies.core.chance import drawn, number, shuffled
from studies.core.design import Design, design_from
from studies.core.entry import NO_ENTRY, Entry, entry_from

FORMAT = 1


@dataclass(frozen=True, slots=True)
class EditingTask:
    """One person makes one sentence out of some translations of one list (C3, C4)."""

    segment: int
    condition: str
    draw: int  # 0-based; the same draw of every condition shows the same ranks
    ranks: tuple[int, ...]  # 1-based, in the order of display


@dataclass(frozen=True, slots=True)
class EvalTask:
    """Several people say which of two edits is closer to the reference (C5)."""

    segment: int
    first: tuple[str, int]  # (condition, draw) of an EDITING task
    second: tuple[str, int]
    swapped: tuple[bool, ...]  # for each judge: whether the second stands on the left


@dataclass(frozen=True, slots=True)
class Plan:
    """All tasks, in the order in which they are handed out: one sentence after the other."""

    design: Design
    segments: tuple[int, ...]
    editing: tuple[EditingTask, ...]
    evaluation: tuple[EvalTask, ...]
    entry: Entry = NO_ENTRY  # screening and training

    def to_json(self) -> str:
        """One canonical text for one plan: what is registered, exported and hashed."""
        parts = asdict(self) | {"format": FORMAT, "entry": self.entry.as_dict()}
        if not parts["entry"]:
            del parts["entry"]
        return json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)

    @property
    def checksum(self) -> str:
        """SHA-256 of the canonical text."""
        return sha256(self.to_json().encode()).hexdigest()


def plan_study(design: Design, segments: Sequence[int], entry: Entry = NO_ENTRY) -> Plan:
    """C3, C5: the tasks of the given sentences.

    Sentence by sentence, so that early sentences are complete early; within a sentence in an order
    of its own, so that no condition is regularly edited or judged first.
    """
    editing: list[EditingTask] = []
    evaluation: list[EvalTask] = []
    for segment in segments:
        editing += shuffled(_editing_tasks(design, segment), design.seed, "editing", segment)
        evaluation += shuffled(_eval_tasks(design, segment), design.seed, "eval", segment)
    return Plan(design, tuple(segments), tuple(editing), tuple(evaluation), entry)


def draw_ranks(design: Design, segment: int) -> list[tuple[int, ...]]:
    """C3: for each draw the ranks 1, i, j ... with i, j from 2..M without replacement."""
    others = range(2, design.list_length + 1)
    count = design.shown - 1
    if design.distinct_draws:
        possible = list(combinations(others, count))
        return [(1, *set_) for set_ in drawn(possible, design.draws, design.seed, "draws", segment)]
    return [
        (1, *sorted(drawn(others, count, design.seed, "draw", segment, draw)))
        for draw in range(design.draws)
    ]


def _editing_tasks(design: Design, segment: int) -> list[EditingTask]:
    tasks = []
    for draw, ranks in enumerate(draw_ranks(design, segment)):
        for place, condition in enumerate(design.conditions):
            # Orders differ between the conditions, or the place would tell two of them apart.
            order = (
                shuffled(ranks, design.seed, "shown", segment, draw, place)
                if design.shuffle_shown
                else list(ranks)
            )
            tasks.append(EditingTask(segment, condition, draw, tuple(order)))
    return tasks


def _eval_tasks(design: Design, segment: int) -> list[EvalTask]:
    tasks = []
    for comparison, (first, second) in enumerate(design.compared):
        pairs = list(product(range(design.draws), repeat=2))
        if design.pairs_per_comparison is not None:
            pairs = sorted(
                drawn(pairs, design.pairs_per_comparison, design.seed, "pairs", segment, comparison)
            )
        for one, other in pairs:
            # Every other judge sees them the other way round; who begins is chance.
            start = number(design.seed, "swap", segment, comparison, one, other) % 2
            swapped = tuple((start + judge) % 2 == 1 for judge in range(design.judges))
            tasks.append(EvalTask(segment, (first, one), (second, other), swapped))
    return tasks


def plan_from_json(text: str) -> Plan:
    """The plan that `Plan.to_json` wrote."""
    saved = json.loads(text)
    return Plan(
        design=design_from(saved["design"]),
        segments=tuple(saved["segments"]),
        editing=tuple(
            EditingTask(**{**task, "ranks": tuple(task["ranks"])}) for task in saved["editing"]
        ),
        evaluation=tuple(
            EvalTask(
                task["segment"],
                tuple(task["first"]),
                tuple(task["second"]),
                tuple(task["swapped"]),
            )
            for task in saved["evaluation"]
        ),
        entry=entry_from(saved.get("entry", {})),
    )
