from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from studies.models.participants import Participant
from studies.models.tasks import Assignment, Slot, Task


class Answer(models.Model):
    """What a person sent. Only what counts fills its slot; nothing else is thrown away."""

    class Standing(models.TextChoices):
        COUNTED = "counted"
        LATE = "late", "late: somebody else had answered meanwhile"
        EXCLUDED = "excluded", "excluded with the participant"
        PASSED = "passed", "could make no sense of the task"
        UNDONE = "undone", "taken back by the participant"
        STALE = "stale", "about an edit that no longer counts"

    slot = models.ForeignKey(Slot, models.CASCADE, related_name="%(class)ss")
    task = models.ForeignKey(Task, models.CASCADE, related_name="%(class)ss")
    participant = models.ForeignKey(Participant, models.RESTRICT, related_name="%(class)ss")
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="%(class)ss")
    form_key = models.UUIDField(unique=True, help_text="The same form sent twice is one answer.")
    standing = models.CharField(max_length=10, choices=Standing)
    assigned_at = models.DateTimeField()
    answered_at = models.DateTimeField()
    seconds = models.FloatField(help_text="From assignment to answer, by the database's clock.")
    # Reported by the browser: evidence, never a reason by itself.
    active_seconds = models.FloatField(null=True)
    pauses = models.PositiveIntegerField(null=True, help_text="Of more than 5 seconds.")
    focus_losses = models.PositiveIntegerField(null=True)

    class Meta:
        abstract = True


class Edit(Answer):
    """One fluent sentence out of several translations; empty when no sense could be made."""

    text = models.TextField(blank=True)
    made_no_sense = models.BooleanField(default=False)
    keystrokes = models.PositiveIntegerField(null=True)
    deletions = models.PositiveIntegerField(null=True)
    pastes = models.PositiveIntegerField(null=True)
    pasted_characters = models.PositiveIntegerField(null=True)
    copied_from = models.PositiveSmallIntegerField(
        null=True, help_text="The place of the translation that was copied as a start, from 1."
    )
    erased = models.BooleanField(default=False, help_text="Its author had it deleted.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["slot"], condition=Q(standing="counted"), name="one_edit_per_slot"
            ),
            models.CheckConstraint(
                condition=~Q(text="") | Q(made_no_sense=True) | Q(erased=True),
                name="edit_has_a_text",
            ),
            models.CheckConstraint(
                condition=Q(standing__in=["counted", "late", "passed", "excluded"]),
                name="edit_standing_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class Judgment(Answer):
    """Which of two edits is closer to the reference, or that they are the same."""

    class Choice(models.TextChoices):
        FIRST = "first"
        SECOND = "second"
        SAME = "same"

    choice = models.CharField(
        max_length=6, choices=Choice, help_text="Of the task's first and second, not of the page's."
    )
    first = models.ForeignKey(Edit, models.RESTRICT, related_name="+")
    second = models.ForeignKey(Edit, models.RESTRICT, related_name="+")
    swapped = models.BooleanField(help_text="Whether the second was shown first.")
    saw_differences = models.BooleanField(default=False)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["slot"], condition=Q(standing="counted"), name="one_judgment_per_slot"
            ),
            models.UniqueConstraint(
                fields=["task", "participant"],
                condition=~Q(standing="undone"),
                name="one_judgment_per_pair_and_person",
            ),
            models.CheckConstraint(
                condition=Q(choice__in=["first", "second", "same"]), name="judgment_is_one_of_three"
            ),
            models.CheckConstraint(
                condition=Q(standing__in=["counted", "late", "excluded", "undone", "stale"]),
                name="judgment_standing_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.choice


class Check(models.Model):
    """An EVAL task whose answer is known. Its texts are of sentences that are not in the study."""

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="checks")
    number = models.PositiveSmallIntegerField()
    key = models.UUIDField(default=uuid.uuid4, unique=True)
    reference = models.TextField()
    texts = models.JSONField(help_text="A and B.")
    right = models.CharField(max_length=4)
    choice = models.CharField(max_length=4, blank=True, help_text="Empty until it is answered.")
    assigned_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["participant", "number"]
        constraints = [
            models.UniqueConstraint(fields=["participant", "number"], name="one_check_per_number"),
            models.CheckConstraint(
                condition=Q(right__in=["a", "b"]) & Q(choice__in=["", "a", "b", "same"]),
                name="check_has_a_right_answer",
            ),
        ]

    def __str__(self) -> str:
        return f"check {self.number} of {self.participant}"


class EntryAnswer(models.Model):
    """What a person answered before their first task: a screening question or a training item."""

    class Kind(models.TextChoices):
        SCREENING = "screening"
        TRAINING = "training"

    participant = models.ForeignKey(Participant, models.CASCADE, related_name="entry_answers")
    kind = models.CharField(max_length=10, choices=Kind)
    attempt = models.PositiveSmallIntegerField(default=1)
    number = models.PositiveSmallIntegerField(help_text="Of the question or item, from 1.")
    answer = models.TextField()
    is_right = models.BooleanField(help_text="Whether it lets them in, or is a good answer.")
    answered_at = models.DateTimeField()

    class Meta:
        ordering = ["participant", "kind", "attempt", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "kind", "attempt", "number"], name="one_answer_at_entry"
            ),
            models.CheckConstraint(
                condition=Q(kind="screening", attempt=1) | Q(kind="training"),
                name="entry_answer_kind_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.number}: {self.answer[:60]}"
