from __future__ import annotations

from typing import Self

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.contenttypes.fields import GenericRelation
from django.contrib.contenttypes.models import ContentType
from django.db import models

Visitor = User | AnonymousUser


class Share(models.Model):
    """An owned object, opened to a named colleague. The object's owner needs none."""

    class Role(models.TextChoices):
        VIEWER = "viewer", "viewer: sees it"
        EDITOR = "editor", "editor: sees and changes it"

    content_type = models.ForeignKey(ContentType, on_delete=models.CASCADE)
    object_id = models.PositiveBigIntegerField()
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="shares")
    role = models.CharField(max_length=10, choices=Role, default=Role.VIEWER)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["content_type", "object_id", "user"], name="one_share_per_object_and_user"
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=["viewer", "editor"]), name="share_role_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.content_type.name} {self.object_id}"


class OwnedQuerySet(models.QuerySet):
    def visible_to(self, user: Visitor) -> Self:
        """What the user owns or was given; everything for administrators, nothing for visitors."""
        return self._open_to(user, [Share.Role.VIEWER, Share.Role.EDITOR])

    def editable_by(self, user: Visitor) -> Self:
        return self._open_to(user, [Share.Role.EDITOR])

    def _open_to(self, user: Visitor, roles: list[str]) -> Self:
        if not user.is_authenticated:
            return self.none()
        if user.is_superuser:
            return self
        shared = Share.objects.filter(
            content_type=ContentType.objects.get_for_model(self.model), user=user, role__in=roles
        )
        return self.filter(models.Q(owner=user) | models.Q(pk__in=shared.values("object_id")))


OwnedManager = models.Manager.from_queryset(OwnedQuerySet)


class Owned(models.Model):
    """Whatever belongs to a researcher, who can share it."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="%(class)ss", editable=False
    )
    # So that the shares go when the object goes: a later object must not inherit them.
    shares = GenericRelation(Share)

    objects = OwnedManager()

    class Meta:
        abstract = True
