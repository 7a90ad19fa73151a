from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.urls import reverse

from decoding.models.corpora import Corpus
from decoding.models.jobs import Job
from decoding.models.ownership import Owned
from decoding.models.systems import System


class WeightTuning(Owned):
    """A search for weights under which a system translates a corpus better (ALGORITHMS E)."""

    class Method(models.TextChoices):
        MERT = "mert", "MERT: the highest BLEU, up to some twenty features"
        BATCH_MIRA = "batch-mira", "batch MIRA: nearly as good, at a tenth of the time"
        APRO = "apro", "APRO: all pairs, without chance"
        PRO = "pro", "PRO: sampled pairs; slow to move"
        MIRA = "mira", "MIRA: each oracle against its whole list"

    system = models.ForeignKey(System, models.CASCADE, related_name="weight_tunings")
    corpus = models.ForeignKey(
        Corpus, models.CASCADE, related_name="weight_tunings", verbose_name="dev corpus"
    )
    name = models.CharField("name of the new system", max_length=100)
    method = models.CharField(max_length=10, choices=Method, default=Method.MERT)
    seed = models.PositiveBigIntegerField(default=1, help_text="Of all random choices.")
    rounds = models.PositiveSmallIntegerField(
        "most rounds", default=15, help_text="Of decoding the corpus and finding better weights."
    )
    patience = models.PositiveSmallIntegerField(
        default=5, help_text="So many rounds without a better BLEU end it."
    )
    kbest = models.PositiveIntegerField("length of lists", default=100)
    stop_wanted = models.BooleanField(
        default=False, editable=False, help_text="Stop, and keep the best weights so far."
    )
    history = models.JSONField(
        default=dict, editable=False, help_text="evaluation.core.tuning.record, so far."
    )
    made = models.OneToOneField(
        System, models.SET_NULL, null=True, editable=False, related_name="made_by"
    )
    job = models.OneToOneField(
        Job, models.SET_NULL, null=True, editable=False, related_name="weight_tuning"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(rounds__gte=1, patience__gte=1, kbest__gte=1),
                name="weight_tuning_has_rounds",
            ),
        ]

    def __str__(self) -> str:
        return f"Weights of {self.system} on {self.corpus}"

    def get_absolute_url(self) -> str:
        return reverse("decoding:weight-tuning", args=[self.pk])
