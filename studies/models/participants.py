from __future__ import annotations

from django.db import models
from django.db.models import Q

from studies.models.studies import Study


class Participant(models.Model):
    """A person in one study, under a pseudonym. Who they are elsewhere is in `identity` alone."""

    class Arrival(models.TextChoices):
        OPEN = "open", "open link"
        INVITATION = "invitation", "invitation"
        PROLIFIC = "prolific", "Prolific"
        PROVIDER = "provider", "another platform"

    class State(models.TextChoices):
        INVITED = "invited"
        ARRIVED = "arrived"
        WORKING = "working"
        FINISHED = "finished"
        LEFT = "left"
        SCREENED = "screened", "screened out"
        UNQUALIFIED = "unqualified", "training not passed"
        ERASED = "erased"

    study = models.ForeignKey(Study, models.CASCADE, related_name="participants")
    pseudonym = models.CharField(max_length=20)
    arrival = models.CharField(max_length=12, choices=Arrival)
    # Empty is NULL, so that the unique constraints leave those alone who have none.
    identity = models.CharField(  # noqa: DJ001
        max_length=128, null=True, help_text="At the platform, or the invitation's code."
    )
    token_hash = models.CharField(  # noqa: DJ001
        max_length=64, null=True, unique=True,
        help_text="SHA-256 of what the browser holds; a new one ends the old browser's session.",
    )  # fmt: skip
    session = models.CharField(max_length=128, blank=True, help_text="The platform's session.")
    state = models.CharField(max_length=12, choices=State, default=State.ARRIVED)
    kind = models.CharField(max_length=10, blank=True, help_text="Of the task done last.")
    consent_version = models.PositiveIntegerField(null=True)
    consented_at = models.DateTimeField(null=True)
    screened_at = models.DateTimeField(null=True, help_text="Let in by the screening questions.")
    instructed_at = models.DateTimeField(null=True)
    instructed_by = models.JSONField(
        default=dict, blank=True, help_text="Which versions of the instructions they read."
    )
    trained_at = models.DateTimeField(null=True, help_text="Passed the training.")
    is_simulated = models.BooleanField(default=False)
    flags = models.JSONField(default=list, help_text="What a researcher should look at.")
    exclusion = models.CharField(max_length=400, blank=True, help_text="Why; empty if included.")
    excluded_at = models.DateTimeField(null=True)
    arrived_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["study", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["study", "pseudonym"], name="one_pseudonym_per_study"),
            models.UniqueConstraint(
                fields=["study", "arrival", "identity"],
                condition=Q(identity__isnull=False),
                name="one_participant_per_identity",
            ),
            models.CheckConstraint(
                condition=Q(
                    state__in=[
                        "invited",
                        "arrived",
                        "working",
                        "finished",
                        "left",
                        "screened",
                        "unqualified",
                        "erased",
                    ]
                ),
                name="participant_state_is_known",
            ),
            models.CheckConstraint(
                condition=~Q(state="working") | Q(consented_at__isnull=False),
                name="participant_works_with_consent_alone",
            ),
            models.CheckConstraint(
                condition=~Q(state="erased") | Q(identity__isnull=True, token_hash__isnull=True),
                name="participant_erased_is_nobody",
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym

    OVER = (State.FINISHED, State.LEFT, State.SCREENED, State.UNQUALIFIED, State.ERASED)

    @property
    def is_excluded(self) -> bool:
        return self.excluded_at is not None
