"""What a bundle holds: which rows of which models, and what of them stays behind."""

from __future__ import annotations

from typing import Any

from django.db import models

from decoding.models import (
    Corpus,
    ListEntry,
    Recipe,
    RecipeVersion,
    Reference,
    Segment,
    System,
    TranslationList,
)
from studies.models import (
    Amendment,
    Assignment,
    Check,
    Condition,
    Edit,
    EntryAnswer,
    Judgment,
    Participant,
    Slot,
    Study,
    Task,
    Wording,
)

FORMAT = 1
MANIFEST = "manifest.json"
REPORT = "report.json"
BATCH = 1000

# In the order in which one refers to the others.
MODELS: tuple[type[models.Model], ...] = (
    Corpus, Segment, Reference, System, Recipe, RecipeVersion, TranslationList, ListEntry, Study,
    Condition, Wording, Amendment, Task, Participant, Slot, Assignment, Edit, Judgment, Check,
    EntryAnswer,
)  # fmt: skip
# What a bundle must not tell, or what is an installation's own.
KEPT_BACK = {
    Participant: {"identity", "token_hash", "session"},
    Study: {"code", "prolific_study", "completion_address", "report_address", "report_secret"},
    TranslationList: {"job"},
}


def file_of(model: type[models.Model]) -> str:
    """The name of a model's file."""
    return f"{model._meta.model_name}.jsonl"


def rows_of(study: Study) -> dict[type[models.Model], models.QuerySet[Any]]:
    """Which rows of each model belong to the study."""
    lists = study.tasks.filter(translation_list__isnull=False).values("translation_list")
    conditions = study.conditions.all()
    recipes = conditions.values("recipe_version__recipe")
    return {
        Corpus: Corpus.objects.filter(pk=study.corpus_id),
        Segment: Segment.objects.filter(corpus=study.corpus_id),
        Reference: Reference.objects.filter(segment__corpus=study.corpus_id),
        System: System.objects.filter(pk__in=conditions.values("system")),
        Recipe: Recipe.objects.filter(pk__in=recipes),
        RecipeVersion: RecipeVersion.objects.filter(pk__in=conditions.values("recipe_version")),
        TranslationList: TranslationList.objects.filter(pk__in=lists),
        ListEntry: ListEntry.objects.filter(translation_list__in=lists),
        Study: Study.objects.filter(pk=study.pk),
        Condition: conditions,
        Wording: study.wordings.all(),
        Amendment: study.amendments.all(),
        Task: study.tasks.all(),
        Participant: study.participants.all(),
        Slot: study.slots.all(),
        Assignment: Assignment.objects.filter(slot__study=study),
        Edit: Edit.objects.filter(slot__study=study),
        Judgment: Judgment.objects.filter(slot__study=study),
        Check: Check.objects.filter(participant__study=study),
        EntryAnswer: EntryAnswer.objects.filter(participant__study=study),
    }
