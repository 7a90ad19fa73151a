from __future__ import annotations

import uuid

from django.db import models
from django.db.models import F, Q

from decoding.models import Segment, TranslationList
from studies.models.participants import Participant
from studies.models.studies import Condition, Study


class Kind(models.TextChoices):
    EDITING = "editing", "EDITING"
    EVAL = "eval", "EVAL"


class Task(models.Model):
    """What is asked, as the plan says. Its texts are what people see, from the freezing on."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="tasks")
    kind = models.CharField(max_length=10, choices=Kind)
    number = models.PositiveIntegerField(help_text="In the plan, from 1 for each kind.")
    segment = models.ForeignKey(Segment, models.PROTECT, related_name="+")
    texts = models.JSONField(help_text="EDITING: the translations shown. EVAL: the reference.")

    condition = models.ForeignKey(Condition, models.RESTRICT, null=True, related_name="tasks")
    draw = models.PositiveSmallIntegerField(null=True, help_text="From 0.")
    ranks = models.JSONField(default=list, help_text="Of the translations, as they are shown.")
    translation_list = models.ForeignKey(
        TranslationList, models.PROTECT, null=True, related_name="+"
    )
    first = models.ForeignKey("self", models.CASCADE, null=True, related_name="+")
    second = models.ForeignKey("self", models.CASCADE, null=True, related_name="+")

    class Meta:
        ordering = ["study", "kind", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "kind", "number"], name="one_task_per_number"),
            models.UniqueConstraint(
                fields=["condition", "segment", "draw"],
                condition=Q(kind="editing"),
                name="one_editing_task_per_draw",
            ),
            models.UniqueConstraint(
                fields=["first", "second"], condition=Q(kind="eval"), name="one_eval_task_per_pair"
            ),
            models.CheckConstraint(
                condition=Q(
                    kind="editing", condition__isnull=False, draw__isnull=False,
                    first__isnull=True, second__isnull=True,
                )
                | (
                    Q(kind="eval", condition__isnull=True, first__isnull=False)
                    & Q(second__isnull=False)
                    & ~Q(first=F("second"))
                ),
                name="task_is_of_its_kind",
            ),
        ]  # fmt: skip

    def __str__(self) -> str:
        return f"{self.get_kind_display()} task {self.number}"


class Slot(models.Model):
    """One wanted answer to a task. There are as many as the plan says, so no more can be given.

    waiting: an edit that it needs is not there yet. leased: somebody is at it until `expires_at`.
    void: nobody will answer it, for nobody could make sense of the task.
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        OPEN = "open"
        LEASED = "leased"
        FILLED = "filled"
        VOID = "void"

    study = models.ForeignKey(Study, models.CASCADE, related_name="slots")
    task = models.ForeignKey(Task, models.CASCADE, related_name="slots")
    # The task's, here for the index by which the next slot is found.
    kind = models.CharField(max_length=10, choices=Kind)
    segment = models.ForeignKey(Segment, models.PROTECT, related_name="+")
    number = models.PositiveSmallIntegerField(help_text="Which judge, from 1.")
    position = models.PositiveIntegerField(help_text="In which order slots are handed out.")
    swapped = models.BooleanField(default=False, help_text="Whether the second is shown first.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    participant = models.ForeignKey(Participant, models.RESTRICT, null=True, related_name="slots")
    expires_at = models.DateTimeField(null=True)
    passes = models.PositiveSmallIntegerField(default=0, help_text="Who could make no sense of it.")

    class Meta:
        ordering = ["study", "kind", "position"]
        indexes = [
            models.Index(
                fields=["study", "kind", "position", "segment"],
                condition=Q(state="open"),
                name="slot_open",
            ),
            models.Index(
                fields=["study", "expires_at"], condition=Q(state="leased"), name="slot_leased"
            ),
            models.Index(fields=["study", "kind", "state"], name="slot_counts"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="one_slot_per_number"),
            models.UniqueConstraint(
                fields=["study", "kind", "position"], name="one_slot_per_position"
            ),
            # Nobody judges a pair twice.
            models.UniqueConstraint(
                fields=["task", "participant"],
                condition=Q(participant__isnull=False),
                name="one_slot_per_task_and_participant",
            ),
            models.CheckConstraint(
                condition=Q(kind="editing", number=1) | Q(kind="eval", number__gte=1),
                name="slot_an_edit_is_wanted_once",
            ),
            models.CheckConstraint(
                condition=Q(state="leased", participant__isnull=False, expires_at__isnull=False)
                | Q(state="filled", participant__isnull=False, expires_at__isnull=True)
                | Q(
                    state__in=["waiting", "open", "void"],
                    participant__isnull=True,
                    expires_at__isnull=True,
                ),
                name="slot_is_held_while_it_is_leased",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task}, {self.number}"


class Assignment(models.Model):
    """That a person was shown a task: it stays, so that nobody meets a sentence a second time.

    `turn` counts the pairs of a sentence that a judge is shown, from 1; an editor has the first. So
    the database keeps editors and judges of a sentence apart, however many pairs a judge sees.
    """

    class State(models.TextChoices):
        HELD = "held"
        DONE = "done"
        PASSED = "passed", "could make no sense of it"
        LOST = "lost", "somebody else did it meanwhile"

    participant = models.ForeignKey(Participant, models.RESTRICT, related_name="assignments")
    slot = models.ForeignKey(Slot, models.CASCADE, related_name="assignments")
    task = models.ForeignKey(Task, models.CASCADE, related_name="assignments")
    kind = models.CharField(max_length=10, choices=Kind)
    segment = models.ForeignKey(Segment, models.PROTECT, related_name="+")
    turn = models.PositiveSmallIntegerField(default=1)
    key = models.UUIDField(default=uuid.uuid4, unique=True, help_text="Of the form: tells nothing.")
    state = models.CharField(max_length=10, choices=State, default=State.HELD)
    assigned_at = models.DateTimeField()
    draft = models.TextField(blank=True)
    draft_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "segment", "turn"], name="one_meeting_with_a_sentence"
            ),
            models.UniqueConstraint(fields=["participant", "task"], name="one_meeting_with_a_task"),
            # One thing to do at a time.
            models.UniqueConstraint(
                fields=["participant"], condition=Q(state="held"), name="one_task_in_hand"
            ),
            models.CheckConstraint(
                condition=Q(kind="editing", turn=1) | Q(kind="eval", turn__gte=1),
                name="assignment_an_editor_has_one_turn",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task} to {self.participant}"
