from __future__ import annotations

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from decoding.models import Corpus, Owned, RecipeVersion, System
from studies.core.conduct import Conduct, conduct_from
from studies.core.design import Design, design_from
from studies.core.entry import Entry, entry_from


def make_code() -> str:
    """What stands in participants' addresses: tells nothing, and cannot be guessed."""
    return secrets.token_urlsafe(9)


class Study(Owned):
    """What people are asked to do with which translations, and how far it is.

    Until it is frozen, a study is a draft that can be changed; from then on its plan stands.
    """

    class State(models.TextChoices):
        DRAFT = "draft"
        FROZEN = "frozen"
        RUNNING = "running"
        PAUSED = "paused"
        ENDED = "ended"

    # From the freezing on.
    PLANNED = (State.FROZEN, State.RUNNING, State.PAUSED, State.ENDED)

    name = models.CharField(max_length=100)
    corpus = models.ForeignKey(Corpus, models.PROTECT, related_name="studies")
    state = models.CharField(max_length=10, choices=State, default=State.DRAFT, editable=False)
    code = models.CharField(max_length=20, unique=True, default=make_code, editable=False)
    design = models.JSONField(default=dict, help_text="studies.core.design.Design")
    conduct = models.JSONField(default=dict, help_text="studies.core.conduct.Conduct")
    entry = models.JSONField(default=dict, blank=True, help_text="studies.core.entry.Entry")
    excluded = models.JSONField(default=list, help_text="Numbers of segments not to be sampled.")

    is_open = models.BooleanField(
        "open link", default=True, help_text="Whoever has the link can take part."
    )
    prolific_study = models.CharField(
        "Prolific study id", max_length=64, blank=True,
        help_text="Only arrivals with this STUDY_ID are let in from Prolific.",
    )  # fmt: skip
    prolific_signed = models.BooleanField(
        "signed links only", default=False,
        help_text="Prolific's secured URLs: only links that Prolific has signed let people in.",
    )  # fmt: skip
    identity_parameter = models.CharField(
        max_length=40, blank=True,
        help_text="The name under which another platform passes a person's identity.",
    )  # fmt: skip
    interface = models.CharField(
        "language of the pages", max_length=10, blank=True, choices=settings.LANGUAGES,
        help_text="Empty: the one that a participant's browser asks for, if it is here.",
    )  # fmt: skip
    completion_address = models.URLField(
        blank=True, help_text="Where people are sent at the end, with the code of the outcome."
    )
    report_address = models.URLField(
        "address to report to", blank=True,
        help_text="Told by a POST how each part ended of those who came from the other platform. "
        "The operator must have named its origin.",
    )  # fmt: skip
    report_secret = models.CharField(
        "secret of the reports", max_length=100, blank=True,
        help_text="With one, each report is signed: X-Variorum-Signature: sha256=HMAC of the body.",
    )  # fmt: skip
    code_parameter = models.CharField(max_length=40, default="cc", blank=True)
    code_finished = models.CharField(max_length=40, blank=True)
    code_nothing_left = models.CharField(max_length=40, blank=True)
    code_left = models.CharField(max_length=40, blank=True)
    code_screened = models.CharField("code screened out", max_length=40, blank=True)
    code_unqualified = models.CharField("code training not passed", max_length=40, blank=True)

    plan = models.TextField(blank=True, editable=False, help_text="studies.core.plan.Plan")
    checksum = models.CharField(max_length=64, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, editable=False)
    started_at = models.DateTimeField(null=True, editable=False)
    ended_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name_plural = "studies"
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "name"], name="study_name_is_new_to_owner"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "frozen", "running", "paused", "ended"]),
                name="study_state_is_known",
            ),
            models.CheckConstraint(
                condition=Q(state="draft", checksum="", plan="", frozen_at__isnull=True)
                | (~Q(state="draft") & ~Q(checksum="") & ~Q(plan="") & Q(frozen_at__isnull=False)),
                name="study_has_a_plan_from_its_freezing_on",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("studies:study", args=[self.pk])

    @property
    def the_design(self) -> Design:
        return design_from(self.design)

    @property
    def the_conduct(self) -> Conduct:
        return conduct_from(self.conduct)

    @property
    def the_entry(self) -> Entry:
        return entry_from(self.entry)

    def code_of(self, outcome: str, *, answered: bool = True) -> str:
        """The completion code for the state in which a participant ended."""
        codes = {
            "left": self.code_left,
            "screened": self.code_screened,
            "unqualified": self.code_unqualified,
        }
        return codes.get(outcome, self.code_finished if answered else self.code_nothing_left)

    @property
    def is_draft(self) -> bool:
        return self.state == self.State.DRAFT

    @property
    def is_running(self) -> bool:
        return self.state == self.State.RUNNING


class Condition(models.Model):
    """Which lists are shown under one condition of a study."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="conditions")
    place = models.PositiveSmallIntegerField(help_text="From 1; the first is the baseline.")
    name = models.CharField(max_length=60)
    system = models.ForeignKey(System, models.PROTECT, related_name="conditions")
    recipe_version = models.ForeignKey(RecipeVersion, models.PROTECT, related_name="conditions")

    class Meta:
        ordering = ["study", "place"]
        constraints = [
            models.UniqueConstraint(fields=["study", "place"], name="one_condition_per_place"),
            models.UniqueConstraint(fields=["study", "name"], name="one_condition_per_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Wording(models.Model):
    """What participants are told. A change is a new version; they agreed to the one they saw."""

    class Kind(models.TextChoices):
        CONSENT = "consent", "consent"
        EDITING = "editing", "instructions for EDITING"
        EVAL = "eval", "instructions for EVAL"

    study = models.ForeignKey(Study, models.CASCADE, related_name="wordings")
    kind = models.CharField(max_length=10, choices=Kind)
    version = models.PositiveIntegerField()
    text = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "kind", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "kind", "version"], name="one_wording_per_version"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=["consent", "editing", "eval"]), name="wording_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, version {self.version}"


class Amendment(models.Model):
    """What was changed after the freezing, by whom and why. Shown in the report."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="amendments")
    number = models.PositiveIntegerField()
    what = models.CharField(max_length=200)
    reason = models.CharField(max_length=400)
    before = models.JSONField()
    after = models.JSONField()
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    made_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="one_amendment_per_number"),
        ]

    def __str__(self) -> str:
        return f"amendment {self.number}: {self.what}"
