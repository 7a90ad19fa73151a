"""A study played through by simulated people, by the actions that the pages call.

Unlike the crowd that comes over HTTP (`studies/crowd.py`), these know what no participant may know:
the condition, and how well the machine had done. So they can prefer by a stated model
(`studies.core.leaning`), and an analysis can be compared with what was put in. Every answer goes
through the same transactions as a real one and is marked as simulated.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from studies.actions import participants
from studies.actions.handing_out import Telemetry, lease_next, submit_edit, submit_judgment
from studies.core.leaning import Leaning
from studies.models import Assignment, Kind, Participant, Slot, Study
from studies.queries.planning import lists_of

_NO_EDITS = "nothing to write"


def play_study(
    study: Study,
    leaning: Leaning,
    *,
    seed: int,
    kinds: tuple[str, ...] = (Kind.EDITING, Kind.EVAL),
    tasks_each: int = 24,
    done: Callable[[int, int], None] = lambda answered, wanted: None,
) -> int:
    """Let simulated people answer what the running study wants; how many answers they gave.

    Interrupted, and called again, it goes on with other people. ``done`` is told the progress.
    """
    for one in study.participants.filter(
        is_simulated=True, state=Participant.State.WORKING
    ):  # whoever was interrupted has a task in hand
        participants.leave(one)
    wanted = Slot.objects.filter(study=study, kind__in=kinds)
    total = wanted.exclude(state=Slot.State.VOID).count()
    player = _Player(study, leaning, seed)
    answered = 0
    while True:
        person = _come(study)
        before = answered
        while answered - before < tasks_each:
            task = lease_next(person.pk)
            if task is None or task.kind not in kinds:
                break
            player.answer(person, task)
            answered += 1
        filled = wanted.filter(state__in=[Slot.State.FILLED, Slot.State.VOID]).count()
        done(filled, total)
        over = answered == before
        (participants.leave if over else participants.finish)(person)
        if over or filled == total:
            return answered


def _come(study: Study) -> Participant:
    person, _ = participants.add_participant(
        study, participants.Identity(Participant.Arrival.OPEN), is_simulated=True
    )
    participants.consent(person, 1)
    participants.instruct(person)
    return person


class _Player:
    """Answers tasks of one study."""

    def __init__(self, study: Study, leaning: Leaning, seed: int) -> None:
        self.leaning = leaning
        self.seed = seed
        baseline = study.conditions.select_related("study").get(place=1)
        self.bleu1 = dict(lists_of(baseline).values_list("segment", "first_bleu1"))
        self.baseline = baseline.pk

    def answer(self, person: Participant, task: Assignment) -> None:
        # By the slot and not by the person, so that the same plan gets the same answers.
        random = Random(f"{self.seed} {task.kind} {task.task.number} {task.slot.number}")
        telemetry = Telemetry(
            active_seconds=round(random.lognormvariate(3.4, 0.5), 1)
            if task.kind == Kind.EDITING
            else round(random.lognormvariate(2.2, 0.5), 1),
            pauses=0,
            focus_losses=0,
        )
        if task.kind == Kind.EDITING:
            text = self._edit(task.task.texts, random)
            submit_edit(person.pk, task.key, text, telemetry)
        else:
            choice = self._choice(task, random)
            submit_judgment(person.pk, task.key, choice, telemetry)

    def _edit(self, shown: list[str], random: Random) -> str:
        """One of the translations, often with the end of another that goes on alike."""
        text = random.choice(shown)
        if random.random() < 0.4:
            words, other = text.split(), random.choice(shown).split()
            for place in range(1, len(words)):
                if words[place] in other[1:] and random.random() < 0.5:
                    return " ".join(words[:place] + other[other.index(words[place], 1) :])
        return text or _NO_EDITS

    def _choice(self, task: Assignment, random: Random) -> str:
        segment = task.segment_id
        leaning = self.leaning.of_sentence(
            self.bleu1.get(segment) or 0.0, Random(f"{self.seed} sentence {segment}")
        )
        preferred = self.leaning.judge(leaning, random)
        if preferred == "same":
            return "same"
        first = task.task.first
        assert first is not None  # an EVAL task has two
        is_first = (first.condition_id == self.baseline) == (preferred == "first")
        return "a" if is_first != task.slot.swapped else "b"
