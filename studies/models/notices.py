from __future__ import annotations

import uuid

from django.db import models
from django.db.models import Q

from studies.models.participants import Participant
from studies.models.studies import Study


class Notice(models.Model):
    """That a platform is to be told how somebody's part ended: once, however often it is sent."""

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        REFUSED = "refused", "not taken by the platform"

    study = models.ForeignKey(Study, models.CASCADE, related_name="notices")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="notices")
    outcome = models.CharField(max_length=12, choices=Participant.State)
    key = models.UUIDField(default=uuid.uuid4, unique=True, help_text="The same in every attempt.")
    body = models.TextField(help_text="What is sent, letter for letter.")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(null=True, help_text="Not tried again before.")
    error = models.CharField(max_length=200, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["participant", "outcome"], name="one_notice_an_outcome"
            ),
            models.CheckConstraint(
                condition=Q(state__in=["waiting", "sent", "refused"]), name="notice_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.outcome}, {self.state}"
