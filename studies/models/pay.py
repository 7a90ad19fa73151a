from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from studies.models.participants import Participant
from studies.models.studies import Study


class PayList(models.Model):
    """Whom to approve, or to pay how much more: what was not on an earlier list."""

    class Kind(models.TextChoices):
        APPROVAL = "approval", "approvals"
        BONUS = "bonus", "bonuses"

    study = models.ForeignKey(Study, models.CASCADE, related_name="pay_lists")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=Kind)
    arrival = models.CharField(max_length=12, choices=Participant.Arrival)
    made_at = models.DateTimeField(auto_now_add=True)
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="one_pay_list_per_number"),
            models.CheckConstraint(
                condition=Q(kind__in=["approval", "bonus"]), name="pay_list_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, list {self.number}"


class Payment(models.Model):
    """A person on a list. The row stays when their data are erased; who it was does not."""

    pay_list = models.ForeignKey(PayList, models.CASCADE, related_name="payments")
    participant = models.ForeignKey(Participant, models.CASCADE, related_name="payments")
    amount = models.DecimalField(
        max_digits=8, decimal_places=2, null=True, help_text="Empty: an approval."
    )

    class Meta:
        ordering = ["pay_list", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pay_list", "participant"], name="one_payment_per_list_and_person"
            ),
            models.UniqueConstraint(
                fields=["participant"], condition=Q(amount__isnull=True), name="one_approval"
            ),
            models.CheckConstraint(
                condition=Q(amount__isnull=True) | Q(amount__gt=0), name="payment_is_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.amount or 'approved'}"
