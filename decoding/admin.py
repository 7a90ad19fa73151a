from __future__ import annotations

from django.contrib import admin

from decoding.models import Job, Share


@admin.register(Job)
class JobAdmin(admin.ModelAdmin):
    """History: to be searched, not edited. Jobs are cancelled and retried on their own pages."""

    list_display = ["pk", "title", "kind", "owner", "state", "done", "total", "created_at"]
    list_filter = ["state", "kind"]
    search_fields = ["title", "owner__username", "error"]
    list_select_related = ["owner"]
    date_hierarchy = "created_at"

    def has_add_permission(self, request) -> bool:
        return False

    def has_change_permission(self, request, obj=None) -> bool:
        return False

    def has_delete_permission(self, request, obj=None) -> bool:
        return obj is None or obj.is_finished


@admin.register(Share)
class ShareAdmin(admin.ModelAdmin):
    list_display = ["user", "content_type", "object_id", "role", "created_at"]
    list_filter = ["role", "content_type"]
    search_fields = ["user__username"]
    list_select_related = ["user", "content_type"]
    autocomplete_fields = ["user"]
