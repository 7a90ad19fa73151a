from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from decoding.models.ownership import Owned

MOST_REFERENCES = 8

is_language = RegexValidator(
    r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
    "Write the language's code, such as de, ar or zh-Hant.",
)


class Direction(models.TextChoices):
    LEFT_TO_RIGHT = "ltr", "left to right"
    RIGHT_TO_LEFT = "rtl", "right to left"


# Languages that are mostly written from right to left.
_RIGHT_TO_LEFT = {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"}


def usual_direction(language: str) -> str:
    """How a language is usually written."""
    right = language.partition("-")[0] in _RIGHT_TO_LEFT
    return Direction.RIGHT_TO_LEFT if right else Direction.LEFT_TO_RIGHT


class Languages(models.Model):
    """From which language into which."""

    source_language = models.CharField(max_length=20, validators=[is_language])
    target_language = models.CharField(max_length=20, validators=[is_language])

    class Meta:
        abstract = True


class Corpus(Languages, Owned):
    """Source segments, each with 0 to 8 references. Its text never changes once it is here."""

    name = models.CharField(max_length=100)
    source_direction = models.CharField(max_length=3, choices=Direction)
    target_direction = models.CharField(max_length=3, choices=Direction)
    licence = models.CharField(
        max_length=200, blank=True, help_text="On what terms the text may be used and shown."
    )
    provenance = models.TextField(blank=True, help_text="Where the text is from.")
    checksum = models.CharField(
        max_length=64, editable=False, help_text="SHA-256 of all segments and references."
    )
    # So that cards and lists of corpora need not count rows.
    segment_count = models.PositiveIntegerField(editable=False)
    most_references = models.PositiveSmallIntegerField(editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "corpora"
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="corpus_name_is_new_to_owner"),
            models.CheckConstraint(
                condition=Q(source_direction__in=["ltr", "rtl"])
                & Q(target_direction__in=["ltr", "rtl"]),
                name="corpus_directions_are_known",
            ),
            models.CheckConstraint(
                condition=Q(most_references__lte=MOST_REFERENCES),
                name="corpus_has_at_most_8_references",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("decoding:corpus", args=[self.pk])

    @property
    def origin(self) -> dict[str, Any]:
        """What is kept of it with whatever was made from it, for when it is gone."""
        return {"pk": self.pk, "name": self.name, "checksum": self.checksum}


class _KeptText(models.Model):
    """Text that never changes: what was made from it would not be true any more."""

    class Meta:
        abstract = True

    def save(self, *args, **kwargs) -> None:
        if self.pk is not None:
            raise ValidationError("The text of a corpus never changes. Import another corpus.")
        super().save(*args, **kwargs)


class Segment(_KeptText):
    """What is translated at once, mostly a sentence."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="segments")
    number = models.PositiveIntegerField(help_text="From 1, as the lines of a file are counted.")
    source = models.TextField()
    length = models.PositiveIntegerField(default=0, help_text="Words of the source.")
    document = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["corpus", "number"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "number"], name="one_segment_per_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="segments_count_from_1"),
            models.CheckConstraint(condition=~Q(source=""), name="segment_has_a_source"),
        ]

    def __str__(self) -> str:
        return f"segment {self.number}"


class Reference(_KeptText):
    """How a person translated a segment."""

    segment = models.ForeignKey(Segment, models.CASCADE, related_name="references")
    number = models.PositiveSmallIntegerField(help_text="From 1: which translator or file.")
    text = models.TextField()

    class Meta:
        ordering = ["segment", "number"]
        constraints = [
            models.UniqueConstraint(fields=["segment", "number"], name="one_reference_per_number"),
            models.CheckConstraint(
                condition=Q(number__gte=1, number__lte=MOST_REFERENCES),
                name="references_count_from_1_to_8",
            ),
            models.CheckConstraint(condition=~Q(text=""), name="reference_has_a_text"),
        ]

    def __str__(self) -> str:
        return f"reference {self.number} of {self.segment}"
