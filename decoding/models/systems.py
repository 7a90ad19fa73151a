from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse

from decoding.models.corpora import Corpus, Languages
from decoding.models.ownership import Owned


class System(Languages, Owned):
    """What translates. Its content never changes: another content is another system.

    An external system is one that runs elsewhere; of it we have only the translations that
    somebody uploaded, in a `Pool` for each corpus.
    """

    class Kind(models.TextChoices):
        IMPORTED = "imported", "imported from Moses"
        TRAINED = "trained", "trained here"
        EXTERNAL = "external", "external: its translations are uploaded"

    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind, editable=False)
    notes = models.TextField(blank=True, help_text="What others should know about it.")
    licence = models.CharField(max_length=200, blank=True)
    checksum = models.CharField(
        max_length=64, blank=True, editable=False, help_text="SHA-256 of its content."
    )
    storage_key = models.CharField(
        max_length=200, blank=True, editable=False, help_text="Its content in the file storage."
    )
    size = models.PositiveBigIntegerField(default=0, editable=False, help_text="Bytes stored.")
    card = models.JSONField(
        default=dict, editable=False, help_text="Features, weights, sizes, BLEU."
    )
    parent = models.ForeignKey(
        "self", models.SET_NULL, null=True, editable=False, related_name="tuned",
        help_text="Of which it is a tuning: the same models with other weights.",
    )  # fmt: skip
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="system_name_is_new_to_owner"),
            models.CheckConstraint(
                condition=Q(kind__in=["imported", "trained", "external"]),
                name="system_kind_is_known",
            ),
            models.CheckConstraint(
                condition=Q(kind="external", checksum="", storage_key="")
                | (~Q(kind="external") & ~Q(checksum="") & ~Q(storage_key="")),
                name="system_has_content_unless_external",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("decoding:system", args=[self.pk])

    @property
    def origin(self) -> dict[str, Any]:
        """What is kept of it with whatever was made from it, for when it is gone."""
        return {"pk": self.pk, "name": self.name, "checksum": self.checksum}

    @property
    def is_external(self) -> bool:
        return self.kind == self.Kind.EXTERNAL


class Pool(models.Model):
    """An external system's translations of a corpus, as uploaded: lists are chosen from them."""

    system = models.ForeignKey(System, models.CASCADE, related_name="pools")
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="pools")
    checksum = models.CharField(max_length=64)
    storage_key = models.CharField(max_length=200)
    translation_count = models.PositiveBigIntegerField()
    fewest = models.PositiveIntegerField(help_text="Translations of the segment that has fewest.")
    most = models.PositiveIntegerField(help_text="Translations of the segment that has most.")
    has_scores = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["system", "corpus"], name="one_pool_per_corpus"),
        ]

    def __str__(self) -> str:
        return f"{self.system} on {self.corpus}"
