from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from decoding.models import Owned
from studies.models import Edit, Study


class JudgmentFile(Owned):
    """Judgments that were collected elsewhere, as they were uploaded."""

    name = models.CharField(max_length=200)
    text = models.TextField(editable=False)
    judgments = models.PositiveIntegerField(editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("evaluation:file-report", args=[self.pk])


class EditScore(models.Model):
    """The figures of an edit against references and shown texts: an edit never changes.

    Written by `evaluation.actions.score_missing` alone.
    """

    edit = models.OneToOneField(Edit, models.CASCADE, primary_key=True, related_name="score")
    version = models.CharField(max_length=40, help_text="Of the metrics.")
    words = models.PositiveIntegerField()
    characters = models.PositiveIntegerField()
    bleu1 = models.FloatField(null=True)
    chrf = models.FloatField(null=True)
    changes = models.FloatField(null=True)
    length = models.FloatField(null=True)
    kept_first = models.FloatField(null=True)
    kept_others = models.FloatField(null=True)

    def __str__(self) -> str:
        return f"figures of edit {self.edit_id}"


class Analysis(models.Model):
    """A report that was made, for one state of the answers and one slice: made once.

    A published one stays as it is, whatever becomes of the answers: it holds no text that
    anybody wrote.
    """

    study = models.ForeignKey(Study, models.CASCADE, null=True, related_name="analyses")
    file = models.ForeignKey(JudgmentFile, models.CASCADE, null=True, related_name="analyses")
    key = models.CharField(
        max_length=64, unique=True, help_text="SHA-256 of all that the report follows from."
    )
    slice_key = models.CharField(max_length=64, help_text="The same without the answers' state.")
    is_usual = models.BooleanField(help_text="Of the slice that nobody had to choose.")
    report = models.JSONField(help_text="evaluation.core.report.figures.Report")
    charts = models.JSONField(help_text="evaluation.charts.Chart, as they are shown")
    made_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True)
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    code = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)

    class Meta:
        verbose_name_plural = "analyses"
        ordering = ["-pk"]
        indexes = [models.Index(fields=["slice_key", "-id"], name="analysis_newest")]
        constraints = [
            models.CheckConstraint(
                condition=Q(study__isnull=True) ^ Q(file__isnull=True),
                name="analysis_is_of_a_study_or_a_file",
            ),
        ]

    def __str__(self) -> str:
        return f"analysis {self.pk}"


class Peek(models.Model):
    """Somebody looked at a study's figures before it ended. The report says how many did."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="peeks")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "user"], name="one_peek_per_study_and_user"),
        ]

    def __str__(self) -> str:
        return f"{self.user} looked at {self.study}"
