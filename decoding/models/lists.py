from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.urls import reverse

from decoding.models.corpora import Corpus, Segment
from decoding.models.jobs import Job
from decoding.models.ownership import Owned
from decoding.models.recipes import Recipe, RecipeVersion
from decoding.models.systems import System
from decoding.validators import validate_statistics


def _said_by_lists(model: type[models.Model]) -> models.ForeignKey:
    """A key that another row holds as well, and is deleted with."""
    return models.ForeignKey(
        model, models.DO_NOTHING, related_name="+", db_constraint=False, db_index=False
    )


class TranslationList(models.Model):
    """Translations of a segment by a system, made by a recipe: made once, never changed."""

    # Segment and corpus have no index of their own, for each begins one of those below.
    segment = models.ForeignKey(Segment, models.CASCADE, related_name="lists", db_index=False)
    system = models.ForeignKey(System, models.CASCADE, related_name="lists")
    recipe_version = models.ForeignKey(RecipeVersion, models.PROTECT, related_name="lists")
    # The segment's, here for an index by which the lists of a corpus are found and sorted.
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="lists", db_index=False)

    provenance = models.JSONField(
        help_text="What it takes to make it again: checksum, settings, code version, seed."
    )
    job = models.ForeignKey(Job, models.SET_NULL, null=True, related_name="lists")
    made_at = models.DateTimeField(auto_now_add=True)

    # Figures against the references, from evaluation.core.metrics; empty without references.
    first_bleu1 = models.FloatField(null=True, help_text="BLEU+1 of the first translation.")
    oracle_bleu1 = models.FloatField(null=True, help_text="BLEU+1 of the best one.")
    coverage = models.FloatField(null=True)
    statistics = models.JSONField(
        null=True,
        validators=[validate_statistics],
        help_text="BLEU's sufficient statistics of the first translation and of the best one.",
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["segment", "system", "recipe_version"],
                name="one_list_per_segment_system_recipe",
            ),
        ]
        indexes = [
            models.Index(
                fields=["corpus", "system", "recipe_version", "first_bleu1", "segment"],
                name="list_by_bleu1",
            ),
        ]

    def __str__(self) -> str:
        return f"list {self.pk}"


class ListPair(models.Model):
    """Two lists of a segment by one system, in this order, or a list and itself.

    Kept so that the lists browser finds any page of any order in an index, for a gain belongs to
    two lists. `decoding.actions.pairs` makes them with the lists; all that they say follows from
    those, which never change.
    """

    baseline = models.ForeignKey(
        TranslationList, models.CASCADE, related_name="+", db_index=False
    )  # the unique constraint has an index
    other = models.ForeignKey(TranslationList, models.CASCADE, related_name="+")

    # The lists' own, here for the indices. They go when the lists go.
    corpus = _said_by_lists(Corpus)
    system = _said_by_lists(System)
    baseline_version = _said_by_lists(RecipeVersion)
    other_version = _said_by_lists(RecipeVersion)
    segment = _said_by_lists(Segment)
    number = models.PositiveIntegerField()
    length = models.PositiveIntegerField()
    bleu1 = models.FloatField(null=True, help_text="BLEU+1 of the baseline's first translation.")
    baseline_coverage = models.FloatField(null=True)
    other_coverage = models.FloatField(null=True)
    gain = models.FloatField(null=True, help_text="By how much the other's coverage is higher.")

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["baseline", "other"], name="one_pair_of_two_lists"),
        ]
        # Each holds all that is filtered by, so that what lies before a page is passed over in the
        # index alone.
        indexes = [
            models.Index(
                fields=["corpus", "system", "baseline_version", "other_version", *sorted_by],
                include=sorted({"id", "segment", "bleu1", "gain", "length"} - set(sorted_by)),
                name=f"pairs_by_{sorted_by[0]}",
            )
            for sorted_by in (
                ["number"],
                ["bleu1", "number"],
                ["gain", "number"],
                ["length", "number"],
            )
        ]

    def __str__(self) -> str:
        return f"lists {self.baseline_id} and {self.other_id}"


class ListEntry(models.Model):
    """A translation in a list. The text is what was decoded; display.py makes it readable."""

    translation_list = models.ForeignKey(
        TranslationList, models.CASCADE, related_name="entries", db_index=False
    )  # the unique constraint has an index
    rank = models.PositiveSmallIntegerField(help_text="From 1, the best.")
    text = models.TextField(blank=True)
    score = models.FloatField(null=True, help_text="The model's; empty if it gave none.")
    features = models.JSONField(default=dict)
    segmentation = models.JSONField(
        default=list, help_text="Phrases in target order: [source start, source end, words]."
    )
    bleu1 = models.FloatField(null=True)

    class Meta:
        verbose_name_plural = "list entries"
        ordering = ["translation_list", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["translation_list", "rank"], name="one_entry_per_rank"),
            models.CheckConstraint(condition=Q(rank__gte=1), name="ranks_count_from_1"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.text[:60]}"


class FailedSegment(models.Model):
    """A segment of which a job could not make a list, and why. The others went on."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="failed_segments")
    segment = models.ForeignKey(Segment, models.CASCADE, related_name="+")
    recipe_version = models.ForeignKey(RecipeVersion, models.CASCADE, related_name="+")
    reason = models.TextField()
    traceback = models.TextField(blank=True, help_text="For a developer, if nobody foresaw it.")

    class Meta:
        ordering = ["segment", "recipe_version"]
        constraints = [
            models.UniqueConstraint(
                fields=["job", "segment", "recipe_version"],
                name="one_failure_per_job_segment_recipe",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.segment}: {self.reason}"


class TuningRun(Owned):
    """Coverage or oracle BLEU of a corpus's sample, for each n and λ of a grid (ALGORITHMS B6)."""

    class Objective(models.TextChoices):
        COVERAGE = "coverage", "coverage: for people who edit"
        ORACLE = "oracle", "oracle BLEU: for reranking and combination"

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="tuning_runs")
    system = models.ForeignKey(System, models.CASCADE, related_name="tuning_runs")
    objective = models.CharField(max_length=10, choices=Objective, default=Objective.COVERAGE)
    length = models.PositiveIntegerField("M, length of the lists", default=5)
    orders = models.JSONField(help_text="The n of the grid.")
    penalties = models.JSONField(help_text="The λ of the grid.")
    sample_size = models.PositiveIntegerField(help_text="Segments drawn from the corpus.")
    seed = models.PositiveBigIntegerField(default=1, help_text="By which they were drawn.")
    drawn = models.PositiveIntegerField(
        null=True, editable=False,
        help_text="How many there were: fewer, if not as many have references.",
    )  # fmt: skip
    baseline = models.FloatField(
        null=True, editable=False, help_text="The objective of unique best lists of that length."
    )
    baseline_by_segment = models.JSONField(
        null=True, editable=False, help_text="What each segment adds to it, as in the cells."
    )
    gain_low = models.FloatField(
        null=True, editable=False,
        help_text="Limits of the interval of what the best cell has more than unique best lists.",
    )  # fmt: skip
    gain_high = models.FloatField(null=True, editable=False)
    bootstrap = models.JSONField(
        null=True, editable=False, help_text="By which the intervals were found, with its seed."
    )
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="tuning_run")
    recipe = models.ForeignKey(
        Recipe, models.SET_NULL, null=True, related_name="tuning_runs", editable=False,
        help_text="The recipe made of the chosen cell.",
    )  # fmt: skip
    signature = models.CharField(
        max_length=200, blank=True, editable=False, help_text="How the objective was measured."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(objective__in=["coverage", "oracle"]), name="objective_is_known"
            ),
            models.CheckConstraint(condition=Q(sample_size__gte=1), name="tuning_has_a_sample"),
        ]

    def __str__(self) -> str:
        return f"{self.get_objective_display().split(':')[0]} of {self.system} on {self.corpus}"

    @property
    def segments(self) -> str:
        """How many were drawn, and what was asked for if there were not as many."""
        if self.drawn is None or self.drawn == self.sample_size:
            return str(self.sample_size)
        return f"{self.drawn} of {self.sample_size} asked for"

    def get_absolute_url(self) -> str:
        return reverse("decoding:tuning-run", args=[self.pk])


class TuningCell(models.Model):
    """The objective for one n and λ."""

    run = models.ForeignKey(TuningRun, models.CASCADE, related_name="cells")
    order = models.PositiveSmallIntegerField("n")
    penalty = models.FloatField("λ")
    value = models.FloatField()
    by_segment = models.JSONField(
        null=True,
        help_text="What each segment adds to the value, in the corpus's order: its coverage, or "
        "BLEU's sufficient statistics of its oracle.",
    )
    low = models.FloatField(
        null=True, help_text="Limits of the interval of the difference to the run's best cell."
    )
    high = models.FloatField(null=True)
    tied = models.BooleanField(
        null=True,
        help_text="Whether it may be the best of all cells; empty where nobody knows: too few "
        "segments, or a run from before it was asked.",
    )

    class Meta:
        ordering = ["run", "order", "penalty"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "order", "penalty"], name="one_value_per_tuning_cell"
            ),
        ]

    def __str__(self) -> str:
        return f"n={self.order} λ={self.penalty:g}: {self.value:.2f}"
