from __future__ import annotations

from datetime import timedelta

from django.db import models
from django.db.models import F, Q
from django.urls import reverse

from decoding.models.ownership import Owned


class Job(Owned):
    """Long work: what is to be done, how far it is, and who is at it.

    The row is the truth and the broker only a doorbell. A worker holds a job by its `claim`;
    everything that it writes is conditional on still holding it (decoding/jobs.py).
    """

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    OPEN = (State.QUEUED, State.RUNNING)
    FINISHED = (State.DONE, State.FAILED, State.CANCELLED)
    # A job whose workers die so often without finishing a piece is what kills them.
    MOST_STALLS = 3

    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=200)
    parameters = models.JSONField(default=dict)
    key = models.CharField(
        max_length=200, null=True, blank=True, unique=True,
        help_text="What makes the work unique: asking for it again gives this job.",
    )  # fmt: skip
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    parent = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="parts",
        help_text="The job of which this is a part, so that several workers share it.",
    )  # fmt: skip

    total = models.PositiveIntegerField(null=True, help_text="Pieces; empty until it is known.")
    done = models.PositiveIntegerField(default=0, help_text="Pieces committed.")
    message = models.CharField(max_length=200, blank=True)
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True, help_text="What went wrong, for the owner.")
    traceback = models.TextField(blank=True, help_text="What went wrong, for a developer.")

    claim = models.UUIDField(null=True, editable=False)
    attempts = models.PositiveIntegerField(default=0)
    stalls = models.PositiveIntegerField(
        default=0, help_text="Attempts since a piece was last committed."
    )
    done_before = models.PositiveIntegerField(
        default=0, help_text="Pieces committed before this attempt: the rate leaves them out."
    )

    created_at = models.DateTimeField(auto_now_add=True)
    announced_at = models.DateTimeField(null=True, help_text="Last told to the broker.")
    claimed_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    cancel_requested_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["owner", "-id"], name="job_owner"),
            models.Index(
                fields=["state", "heartbeat_at"],
                condition=Q(state__in=["queued", "running"]),
                name="job_unfinished",
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running", "done", "failed", "cancelled"]),
                name="job_state_is_known",
            ),
            models.CheckConstraint(
                condition=Q(state="running", claim__isnull=False, heartbeat_at__isnull=False)
                | (~Q(state="running") & Q(claim__isnull=True)),
                name="job_is_claimed_while_it_runs",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "running"], finished_at__isnull=True)
                | Q(state__in=["done", "failed", "cancelled"], finished_at__isnull=False),
                name="job_has_an_end_when_it_ended",
            ),
            models.CheckConstraint(
                condition=Q(total__isnull=True) | Q(done__lte=F("total")),
                name="job_done_is_at_most_total",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.title} (job {self.pk}, {self.state})"

    def get_absolute_url(self) -> str:
        return reverse("decoding:job", args=[self.pk])

    @property
    def is_finished(self) -> bool:
        return self.state in self.FINISHED

    @property
    def share_done(self) -> float | None:
        """0..1, or None while nobody knows."""
        return self.done / self.total if self.total else None

    @property
    def rate(self) -> float | None:
        """Pieces a second in this attempt, or None before the first."""
        if self.claimed_at is None or self.heartbeat_at is None or self.done <= self.done_before:
            return None
        seconds = (self.heartbeat_at - self.claimed_at).total_seconds()
        return (self.done - self.done_before) / seconds if seconds > 0 else None

    @property
    def remaining(self) -> timedelta | None:
        if self.rate is None or self.total is None or self.state != self.State.RUNNING:
            return None
        return timedelta(seconds=round((self.total - self.done) / self.rate))

    @property
    def is_stopping(self) -> bool:
        return self.state == self.State.RUNNING and self.cancel_requested_at is not None
