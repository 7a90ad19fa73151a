"""From a draft to a plan that stands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now

from decoding.core.corpus.words import count_words
from decoding.display import Display
from decoding.models import Corpus, ListEntry, RecipeVersion, Reference, Segment, System
from evaluation.core.errors import InputError
from studies.core.conduct import Conduct, conduct_from
from studies.core.design import Design
from studies.core.entry import NO_ENTRY, Entry
from studies.core.plan import Plan, plan_from_json, plan_study
from studies.core.sampling import Sample, sample_sentences
from studies.models import Condition, Kind, Slot, Study, Task, Wording
from studies.queries.planning import candidates, lists_of
from studies.wordings import DEFAULTS

_BATCH = 1000
FORMAT = 1


@transaction.atomic
def create_study(
    *,
    owner: User,
    name: str,
    corpus: Corpus,
    conditions: Sequence[tuple[str, System, RecipeVersion]],
    design: Design,
    conduct: Conduct | None = None,
    entry: Entry = NO_ENTRY,
    **fields: object,
) -> Study:
    """A draft. ``conditions`` are (name, system, recipe version); the first is the baseline."""
    study = Study.objects.create(
        owner=owner,
        name=name,
        corpus=corpus,
        design=design.as_dict(),
        conduct=(conduct or Conduct()).as_dict(),
        entry=entry.as_dict(),
        **fields,
    )
    set_conditions(study, conditions)
    Wording.objects.bulk_create(
        Wording(study=study, kind=kind, version=1, text=text) for kind, text in DEFAULTS.items()
    )
    return study


def usual_design(
    corpus: Corpus, conditions: Sequence[tuple[str, System, RecipeVersion]], **given: Any
) -> Design:
    """The paper's design, as far as the lists and the corpus allow it."""
    lengths = [version.length for _, _, version in conditions]
    usual: dict[str, Any] = {
        "seed": 1,
        "list_length": min(lengths),
        "shown": min(3, *lengths),
        "sample_size": min(200, corpus.segment_count),
    }
    return Design(conditions=tuple(name for name, _, _ in conditions), **usual | given)


def set_conditions(study: Study, conditions: Sequence[tuple[str, System, RecipeVersion]]) -> None:
    study.conditions.all().delete()
    Condition.objects.bulk_create(
        Condition(study=study, place=place, name=name, system=system, recipe_version=recipe_version)
        for place, (name, system, recipe_version) in enumerate(conditions, start=1)
    )


_COPIED = (
    "excluded", "interface", "identity_parameter", "completion_address", "code_parameter",
)  # fmt: skip


@transaction.atomic
def copy_study(study: Study, owner: User) -> Study:
    """A draft with the same decisions, for a pilot or for what comes next.

    The platform's study and codes are not copied: they belong to one study.
    """
    number = 2
    while Study.objects.filter(owner=owner, name=f"{study.name[:90]} ({number})").exists():
        number += 1
    made = create_study(
        owner=owner,
        name=f"{study.name[:90]} ({number})",
        corpus=study.corpus,
        conditions=[
            (one.name, one.system, one.recipe_version)
            for one in study.conditions.select_related("system", "recipe_version")
        ],
        design=study.the_design,
        conduct=study.the_conduct,
        entry=study.the_entry,
        **{name: getattr(study, name) for name in _COPIED},
    )
    for kind, text in study.wordings.order_by("version").values_list("kind", "text"):
        made.wordings.filter(kind=kind).update(text=text)
    return made


@transaction.atomic
def delete_study(study: Study) -> None:
    """Delete a study with all that was answered in it. While people are at it, it stays."""
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.is_running:
        raise InputError(f"{study} is running, so it stays", hint="Pause it or end it first.")
    locked.delete()


def write_wording(study: Study, kind: str, text: str) -> Wording:
    """A new version, unless nothing was changed. Those who agreed to the old one keep it."""
    newest = study.wordings.filter(kind=kind).order_by("-version").first()
    if newest is not None and newest.text == text:
        return newest
    number = newest.version + 1 if newest else 1
    return Wording.objects.create(study=study, kind=kind, version=number, text=text)


def sample_of(study: Study) -> Sample:
    """Which sentences the study would be about, as its draft is now."""
    conditions = list(study.conditions.select_related("study"))
    return sample_sentences(
        candidates(study, conditions), study.the_design, exclude=set(study.excluded)
    )


def freeze_study(study: Study, plan: Plan | None = None) -> Study:
    """Make the plan and all its tasks, in one transaction. Freezing twice freezes once.

    A ``plan`` that was made elsewhere is taken as it is (`import_plan`).
    """
    if plan is None:
        plan = plan_study(study.the_design, sample_of(study).segments, study.the_entry)
    with transaction.atomic():
        locked = Study.objects.select_for_update().get(pk=study.pk)
        if not locked.is_draft:
            return locked
        if (locked.the_design, locked.the_entry) != (study.the_design, study.the_entry):
            raise InputError(
                "the study was changed while it was being frozen", hint="Look at it again."
            )
        _make_tasks(locked, plan)
        locked.plan = plan.to_json()
        locked.checksum = plan.checksum
        locked.state = Study.State.FROZEN
        locked.frozen_at = Now()
        locked.save(update_fields=["plan", "checksum", "state", "frozen_at"])
    locked.refresh_from_db()
    return locked


def _make_tasks(study: Study, plan: Plan) -> None:
    """The plan's tasks and their slots, with the texts that people will read."""
    segments = {
        segment.number: segment
        for segment in Segment.objects.filter(corpus=study.corpus_id, number__in=plan.segments)
    }
    editing = _make_editing(study, plan, segments)
    evaluation = _make_evaluation(study, plan, segments, editing)
    _make_slots(study, plan, editing, evaluation)


def _make_editing(study: Study, plan: Plan, segments: dict[int, Segment]) -> list[Task]:
    conditions = {one.name: one for one in study.conditions.select_related("study")}
    ids = [segment.pk for segment in segments.values()]
    lists = {
        (name, made.segment_id): made
        for name, condition in conditions.items()
        for made in lists_of(condition, ids)
    }
    entries = {
        (entry.translation_list_id, entry.rank): entry.text
        for entry in ListEntry.objects.filter(
            translation_list__in=[made.pk for made in lists.values()]
        ).only("translation_list_id", "rank", "text")
    }
    display, language = display_of(study.the_conduct), study.corpus.target_language
    tasks = []
    for number, planned in enumerate(plan.editing, start=1):
        segment = segments[planned.segment]
        made = lists[planned.condition, segment.pk]
        texts = [display.show(entries[made.pk, rank], language) for rank in planned.ranks]
        tasks.append(
            Task(
                study=study,
                kind=Kind.EDITING,
                number=number,
                segment=segment,
                texts=texts,
                condition=conditions[planned.condition],
                draw=planned.draw,
                ranks=list(planned.ranks),
                translation_list=made,
            )
        )
    return Task.objects.bulk_create(tasks, batch_size=_BATCH)


def _make_evaluation(
    study: Study, plan: Plan, segments: dict[int, Segment], editing: list[Task]
) -> list[Task]:
    by_draw = {
        (planned.segment, planned.condition, planned.draw): task
        for task, planned in zip(editing, plan.editing, strict=True)
    }
    references = _references(plan, segments, study.corpus.target_language)
    return Task.objects.bulk_create(
        (
            Task(
                study=study,
                kind=Kind.EVAL,
                number=number,
                segment=segments[planned.segment],
                texts=[references[planned.segment]],
                first=by_draw[planned.segment, *planned.first],
                second=by_draw[planned.segment, *planned.second],
            )
            for number, planned in enumerate(plan.evaluation, start=1)
        ),
        batch_size=_BATCH,
    )


def _make_slots(study: Study, plan: Plan, editing: list[Task], evaluation: list[Task]) -> None:
    """One for each edit, which is open at once, and one for each judge of a pair."""
    slots = [
        Slot(
            study=study, task=task, kind=Kind.EDITING, segment=task.segment, number=1,
            position=task.number, state=Slot.State.OPEN,
        )
        for task in editing
    ]  # fmt: skip
    judges = plan.design.judges
    slots += [
        Slot(
            study=study, task=task, kind=Kind.EVAL, segment=task.segment, number=judge + 1,
            position=(task.number - 1) * judges + judge + 1, swapped=swapped,
        )
        for task, planned in zip(evaluation, plan.evaluation, strict=True)
        for judge, swapped in enumerate(planned.swapped)
    ]  # fmt: skip
    Slot.objects.bulk_create(slots, batch_size=_BATCH)


def _references(plan: Plan, segments: dict[int, Segment], language: str) -> dict[int, str]:
    """For each sentence the first reference of a length that the design asks for."""
    low, high = plan.design.shortest_reference, plan.design.longest_reference
    found: dict[int, str] = {}
    rows = Reference.objects.filter(segment__in=segments.values()).order_by("segment", "number")
    for number, text in rows.values_list("segment__number", "text"):
        if low <= count_words(text, language) <= high:
            found.setdefault(number, text)
    return found


def display_of(conduct: Conduct) -> Display:
    """C2: how systems' translations are made readable."""
    return Display(conduct.detokenize, conduct.truecase, conduct.non_ascii)


def registration(study: Study) -> dict[str, object]:
    """What is registered before a study begins: all that was decided, and its checksums.

    The same study gives the same registration, whatever machine or database it is on.
    """
    if study.is_draft:
        raise InputError("the study is a draft", hint="Freeze it first: then its plan stands.")
    parts: dict[str, object] = {
        "format": FORMAT,
        "name": study.name,
        "corpus": {"name": study.corpus.name, "checksum": study.corpus.checksum},
        "conditions": [
            {
                "name": one.name,
                "system": one.system.name,
                "system_checksum": one.system.checksum,
                "recipe": one.recipe_version.settings,
            }
            for one in study.conditions.select_related("system", "recipe_version")
        ],
        "conduct": study.conduct,
        "wordings": {one.kind: one.text for one in _first_wordings(study)},
        "plan": json.loads(study.plan),
        "plan_checksum": study.checksum,
        "texts_checksum": _texts_checksum(study),
    }
    return parts | {"checksum": _checksum(parts)}


def _texts_checksum(study: Study) -> str:
    """Of all that participants will be shown, in the order of the plan."""
    rows = study.tasks.order_by("kind", "number").values_list("kind", "number", "texts")
    return _checksum([list(row) for row in rows])


@transaction.atomic
def import_plan(owner: User, parts: dict[str, Any]) -> Study:
    """The frozen study of a registration, over the same corpus and lists as they are here.

    Raises InputError when the file was changed, or something that it needs is missing or other.
    """
    content = {name: value for name, value in parts.items() if name != "checksum"}
    if parts.get("format") != FORMAT or _checksum(content) != parts.get("checksum"):
        raise InputError(
            "this is not a study's plan, or it was changed since it was downloaded",
            hint="Download it again.",
        )
    plan = plan_from_json(json.dumps(parts["plan"]))
    corpus = Corpus.objects.visible_to(owner).filter(checksum=parts["corpus"]["checksum"]).first()
    if corpus is None:
        raise InputError(
            f"the corpus {parts['corpus']['name']} is not here",
            hint="Add it first, from the same files.",
        )
    if Study.objects.filter(owner=owner, name=parts["name"]).exists():
        raise InputError(
            f"you have a study {parts['name']} already", hint="Rename or delete that first."
        )
    study = create_study(
        owner=owner,
        name=parts["name"],
        corpus=corpus,
        conditions=[_condition_here(owner, corpus, one) for one in parts["conditions"]],
        design=plan.design,
        conduct=conduct_from(parts["conduct"]),
        entry=plan.entry,
    )
    study.conduct = parts["conduct"]  # in the words of its time, which are part of the registration
    study.save(update_fields=["conduct"])
    for kind, text in parts["wordings"].items():
        study.wordings.filter(kind=kind).update(text=text)
    try:
        study = freeze_study(study, plan)
    except KeyError:
        raise InputError(
            "some lists of the study's sentences are not here", hint="Make them first."
        ) from None
    if _texts_checksum(study) != parts["texts_checksum"]:
        raise InputError(
            "the lists or references here have other texts than those of the plan",
            hint="Import the lists of the study instead of making them again; or its bundle, if "
            "an older version made the plan and showed texts in another way.",
        )
    return study


def _condition_here(
    owner: User, corpus: Corpus, wanted: dict[str, Any]
) -> tuple[str, System, RecipeVersion]:
    """The system and the recipe by which a condition's lists were made here."""
    settings = {f"recipe_version__{name}": value for name, value in wanted["recipe"].items()}
    made = (
        corpus.lists.filter(
            system__in=System.objects.visible_to(owner),
            system__name=wanted["system"],
            system__checksum=wanted["system_checksum"],
            **settings,
        )
        .select_related("system", "recipe_version")
        .first()
    )
    if made is None:
        raise InputError(
            f"no lists of {wanted['system']} for the condition {wanted['name']} are here",
            hint="Bring the system, and make its lists by a recipe with the same settings.",
        )
    return wanted["name"], made.system, made.recipe_version


def _first_wordings(study: Study) -> list[Wording]:
    """As they stood at the freezing: for each kind the newest before it."""
    rows = study.wordings.filter(created_at__lte=study.frozen_at).order_by("kind", "version")
    return list({one.kind: one for one in rows}.values())


def _checksum(parts: object) -> str:
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()
