from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from decoding.models.corpora import Corpus
from decoding.models.jobs import Job
from decoding.models.ownership import Owned
from decoding.models.systems import System


class Measurement(models.Model):
    """BLEU of a system on a corpus. Neither ever changes, so it is measured once."""

    system = models.ForeignKey(System, models.CASCADE, related_name="measurements")
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="measurements")
    bleu = models.FloatField()
    signature = models.CharField(max_length=200)
    segments = models.PositiveIntegerField(help_text="With references.")
    untranslated = models.PositiveIntegerField(help_text="Of these: they count as empty.")
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["corpus__name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["system", "corpus"], name="one_measurement_per_system_and_corpus"
            ),
        ]

    def __str__(self) -> str:
        return f"BLEU of {self.system} on {self.corpus}"


class Comparison(Owned):
    """Two systems' BLEU on a corpus, and how sure their difference is."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="comparisons")
    first = models.ForeignKey(System, models.CASCADE, related_name="+")
    second = models.ForeignKey(System, models.CASCADE, related_name="+")
    seed = models.PositiveBigIntegerField(default=1, help_text="Of the bootstrap.")
    result = models.JSONField(
        default=dict, editable=False, help_text="decoding.comparing.Compared; empty before it."
    )
    job = models.OneToOneField(Job, models.SET_NULL, null=True, related_name="comparison")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=~Q(first=F("second")), name="compared_systems_differ"),
        ]

    def __str__(self) -> str:
        return f"{self.first} and {self.second} on {self.corpus}"

    def get_absolute_url(self) -> str:
        return reverse("decoding:comparison", args=[self.pk])
