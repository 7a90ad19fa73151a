"""Studies that people have answered, with a known truth, written straight into the database."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime, timedelta

import numpy as np
from django.db import connection

from evaluation.actions import keep_scores, make_analysis, scores_of, unscored
from evaluation.core.metrics.figures import FigureOptions, first_bleu1
from evaluation.core.report.slices import Slice
from studies.actions.participants import Identity, add_participant
from studies.actions.planning import create_study, freeze_study
from studies.actions.running import start_study, stop_study
from studies.core.design import Design
from studies.models import Assignment, Edit, Judgment, Kind, Participant, Slot, Study, Task
from tests.factories import make_corpus, make_list, make_recipe, make_system

CONDITIONS = ("best", "diverse")
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
WORDS = [f"w{number}" for number in range(400)]


def make_answered(
    owner, *, sentences=12, seed=1, crossing=35.0, slope=0.08, ended=True, workers=12, **design
) -> Study:
    """Above a BLEU+1 of ``crossing`` the edits of "best" win, below it those of "diverse"."""
    rng = np.random.default_rng(seed)
    references = [
        " ".join(rng.choice(WORDS, int(rng.integers(8, 20)), replace=False))
        for _ in range(sentences)
    ]
    corpus = make_corpus(owner, [(f"quelle {n}", [text]) for n, text in enumerate(references)])
    system = make_system(owner)
    recipes = [make_recipe(kind="unique-best"), make_recipe(kind="diverse")]
    firsts = []
    for segment, reference in zip(corpus.segments.all(), references, strict=True):
        worse = rng.uniform(0.02, 0.6)
        first = _damaged(rng, reference, worse)
        firsts.append(first)
        for recipe, spread in zip(recipes, (0.02, 0.15), strict=True):
            others = [_damaged(rng, first, spread) + f" {rank}" for rank in range(2, 6)]
            make_list(segment, system, recipe, [first, *others])
    study = create_study(
        owner=owner,
        name=f"study {uuid.uuid4().hex[:6]}",
        corpus=corpus,
        conditions=[(n, system, r) for n, r in zip(CONDITIONS, recipes, strict=True)],
        design=Design(seed=7, conditions=CONDITIONS, sample_size=sentences, **design),
    )
    study = freeze_study(study)
    start_study(study)
    bleu1 = first_bleu1(
        [[text] for text in firsts], [[text] for text in references], FigureOptions()
    )
    answer(study, rng, dict(enumerate(bleu1, start=1)), crossing, slope, workers)
    if ended:
        stop_study(study)
    study.refresh_from_db()
    return study


def _damaged(rng, text, share) -> str:
    return " ".join(rng.choice(WORDS) if rng.random() < share else word for word in text.split())


def make_people(study: Study, count: int) -> list[Participant]:
    return [add_participant(study, Identity("open"))[0] for _ in range(count)]


def answer(study, rng, bleu1, crossing, slope, workers) -> None:
    editors = make_people(study, len(CONDITIONS) * study.the_design.draws)
    judges = make_people(study, workers)
    edits = {}
    slots = list(
        Slot.objects.filter(study=study, kind=Kind.EDITING).select_related("task__segment")
    )
    for place, slot in enumerate(slots):
        # As many editors as a sentence has tasks: nobody meets a sentence twice.
        edits[slot.task_id] = _edit(slot, editors[place % len(editors)], rng, place)
    _save_all(slots, list(edits.values()), Edit)
    by_task: dict[int | None, Edit] = {
        edit.task_id: edit for edit in Edit.objects.filter(participant__study=study)
    }
    pairs = Task.objects.in_bulk(
        list(Slot.objects.filter(study=study, kind=Kind.EVAL).values_list("task", flat=True))
    )
    slots = list(Slot.objects.filter(study=study, kind=Kind.EVAL).select_related("task__segment"))
    judged = []
    for place, slot in enumerate(slots):
        pair = pairs[slot.task_id]
        lean = slope * (bleu1[slot.task.segment.number] - crossing) + rng.normal()
        choice = "first" if lean > 0.3 else "second" if lean < -0.3 else "same"
        judged.append(
            Judgment(
                **_common(slot, judges[place % len(judges)], rng, place),
                choice=choice,
                first=by_task[pair.first_id],
                second=by_task[pair.second_id],
                swapped=slot.swapped,
            )
        )
    _save_all(slots, judged, Judgment)


def _edit(slot, editor, rng, place) -> Edit:
    text = _damaged(rng, slot.task.texts[0], 0.1)
    return Edit(
        **_common(slot, editor, rng, place), text=text, keystrokes=int(rng.integers(5, 120))
    )


def _common(slot, participant, rng, place) -> dict:
    seconds = float(rng.lognormal(3, 0.5))
    at = START + timedelta(seconds=30 * place)
    return {
        "slot": slot,
        "task": slot.task,
        "participant": participant,
        "form_key": uuid.uuid4(),
        "standing": "counted",
        "assigned_at": at,
        "answered_at": at + timedelta(seconds=seconds),
        "seconds": seconds,
    }


def _save_all(slots, answers, model) -> None:
    """Answers with the assignments they answer; each is a meeting of its own."""
    made = []
    turns: dict[tuple[int, int], int] = {}
    for slot, given in zip(slots, answers, strict=True):
        met = (given.participant.pk, slot.segment_id)
        turns[met] = turns.get(met, 0) + 1
        made.append(
            Assignment(
                participant=given.participant,
                slot=slot,
                task=slot.task,
                kind=slot.kind,
                segment_id=slot.segment_id,
                turn=turns[met],
                state="done",
                assigned_at=given.assigned_at,
            )
        )
    for given, assignment in zip(answers, Assignment.objects.bulk_create(made), strict=True):
        given.assignment = assignment
    for slot, given in zip(slots, answers, strict=True):
        slot.state = "filled"
        slot.participant = given.participant
    model.objects.bulk_create(answers)
    Slot.objects.bulk_update(slots, ["state", "participant"], batch_size=500)


def make_report(source, **cut):
    """The report of a study or file, as a worker makes it."""
    if isinstance(source, Study):
        keep_scores(scores_of(source, unscored(source)))
    return make_analysis(source, Slice(**cut))


def multiply_judgments(study: Study, count: int) -> None:
    """Repeat the study's judgments, by people who came late, until there are ``count`` or more.

    In the database itself, for a million takes too long to bring there.
    """
    judged = Judgment.objects.filter(participant__study=study)
    base = judged.filter(slot__number=1, standing="counted")
    people = -(-(count - judged.count()) // base.count())
    started = Participant.objects.filter(study=study).count()
    late = Participant.objects.bulk_create(
        Participant(study=study, pseudonym=f"L{started + number}", arrival="open")
        for number in range(max(0, people))
    )
    fields = [
        str(field.column) for field in Judgment._meta.concrete_fields if not field.primary_key
    ]
    fresh = {
        "participant_id": "late.id",
        "standing": "'late'",
        "form_key": "gen_random_uuid()"
        if connection.vendor == "postgresql"
        else "lower(hex(randomblob(16)))",
    }
    table = Judgment._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({', '.join(fields)}) "
            f"SELECT {', '.join(fresh.get(name, f'base.{name}') for name in fields)} "
            f"FROM {Participant._meta.db_table} late, {table} base "
            "JOIN studies_slot slot ON slot.id = base.slot_id "
            "WHERE slot.study_id = %s AND slot.number = 1 AND base.standing = 'counted' "
            "AND late.study_id = %s AND late.id >= %s",
            [study.pk, study.pk, late[0].pk if late else 0],
        )
