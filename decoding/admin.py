from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.db.models import Prefetch
from django.forms import ModelForm
from django.utils.html import format_html

from decoding.actions.recipes import add_recipe, change_recipe
from decoding.forms.describing import CorpusAboutForm, SystemAboutForm
from decoding.models import (
    Corpus,
    Job,
    Recipe,
    RecipeVersion,
    Share,
    System,
    TranslationList,
    TuningRun,
)
from decoding.queries.recipes import newest_versions
from decoding.validators import recipe_advice


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


class RecipeForm(ModelForm):
    """A recipe with the settings of its newest version; they are saved as a version."""

    reason = forms.CharField(
        max_length=200, required=False, help_text="Why it is changed; kept in the history."
    )

    class Meta:
        model = Recipe
        fields = ["name", "notes"]

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        newest = self.instance.newest if self.instance.pk else RecipeVersion()
        # As they are written, for a capital N is another setting than n.
        labels = {
            name: RecipeVersion._meta.get_field(name).verbose_name
            for name in ("order", "penalty", "penalties")
        }
        shown = forms.fields_for_model(RecipeVersion, fields=RecipeVersion.SETTINGS, labels=labels)
        for name, field in shown.items():
            field.initial = getattr(newest, name)
            self.fields[name] = field
        self.fields["reason"] = self.fields.pop("reason")

    @property
    def settings(self) -> dict:
        return {name: self.cleaned_data[name] for name in RecipeVersion.SETTINGS}

    def clean(self):
        cleaned = super().clean()
        if all(name in cleaned for name in RecipeVersion.SETTINGS):
            try:
                RecipeVersion(**self.settings).full_clean(exclude=["recipe", "number", "author"])
            except forms.ValidationError as error:
                self.add_error(None, error)
        return cleaned


class VersionInline(admin.TabularInline):
    """The history: who set what, when and why."""

    model = RecipeVersion
    verbose_name_plural = "history"
    fields = ["number", "settings", "reason", "author", "created_at"]
    readonly_fields = fields
    extra = 0
    can_delete = False

    @admin.display(description="settings")
    def settings(self, version: RecipeVersion) -> str:
        return version.summary

    def has_add_permission(self, request, obj=None) -> bool:
        return False

    def has_change_permission(self, request, obj=None) -> bool:
        return False

    def get_queryset(self, request):
        return super().get_queryset(request).select_related("author", "recipe")


@admin.register(Recipe)
class RecipeAdmin(admin.ModelAdmin):
    """Where administrators set n and λ. Saving other settings adds a version."""

    form = RecipeForm
    inlines = [VersionInline]
    list_display = ["name", "summary", "version"]
    search_fields = ["name", "notes"]

    def get_queryset(self, request):
        # What is in force, for the table: of all recipes at once.
        in_force = Prefetch("versions", newest_versions(), to_attr="in_force")
        return super().get_queryset(request).prefetch_related(in_force)

    @admin.display(description="settings")
    def summary(self, recipe: Recipe) -> str:
        return recipe.in_force[0].summary

    @admin.display(description="version")
    def version(self, recipe: Recipe) -> int:
        return recipe.in_force[0].number

    def get_fieldsets(self, request, obj=None):
        return [
            (None, {"fields": ["name", "notes"]}),
            ("Settings", {"fields": [*RecipeVersion.SETTINGS, "reason"]}),
        ]

    def get_form(self, request, obj=None, change=False, **kwargs):
        # The settings are the form's own fields, which Django would look for in the model.
        return RecipeForm

    def get_inlines(self, request, obj):
        return self.inlines if obj else []

    def save_model(self, request, recipe, form, change) -> None:
        said = {"author": request.user, "reason": form.cleaned_data["reason"]}
        if change:
            super().save_model(request, recipe, form, change)
            before = recipe.newest
            version = change_recipe(recipe, form.settings, **said)
            if version == before:
                messages.info(request, "The settings are as they were: no new version.")
            else:
                messages.info(request, f"From now on version {version.number}: {version.summary}.")
        else:
            version = add_recipe(recipe.name, form.settings, notes=recipe.notes, **said)
            recipe.pk = version.recipe_id
        for advice in recipe_advice(version):
            messages.warning(request, advice)

    def has_delete_permission(self, request, obj=None) -> bool:
        used = TranslationList.objects.filter(recipe_version__recipe=obj)
        return super().has_delete_permission(request, obj) and not (obj and used.exists())


class _Described(admin.ModelAdmin):
    """What is made on the pages, and only described here."""

    list_filter = ["source_language", "target_language"]
    search_fields = ["name", "owner__username"]
    list_select_related = ["owner"]
    date_hierarchy = "created_at"

    def has_add_permission(self, request) -> bool:
        return False

    def has_delete_permission(self, request, obj=None) -> bool:
        # On its own page, where its files go too and studies are asked.
        return False

    def get_fieldsets(self, request, obj=None):
        fields = {"fields": self.get_fields(request, obj)}
        if obj:
            fields["description"] = format_html(
                'It is deleted on <a href="{}">its own page</a>, which says what goes with it and '
                "which studies need it.",
                obj.get_absolute_url(),
            )
        return [(None, fields)]


@admin.register(Corpus)
class CorpusAdmin(_Described):
    form = CorpusAboutForm
    list_display = ["name", "owner", "source_language", "target_language", "segment_count"]
    fields = [
        "name", "licence", "provenance", "source_direction", "target_direction",
        "checksum", "segment_count", "most_references",
    ]  # fmt: skip
    readonly_fields = ["checksum", "segment_count", "most_references"]


@admin.register(System)
class SystemAdmin(_Described):
    form = SystemAboutForm
    list_display = ["name", "owner", "kind", "source_language", "target_language", "size"]
    fields = ["name", "licence", "notes", "kind", "checksum", "storage_key", "size"]
    readonly_fields = ["kind", "checksum", "storage_key", "size"]


@admin.register(TuningRun)
class TuningRunAdmin(admin.ModelAdmin):
    list_display = ["pk", "corpus", "system", "objective", "sample_size", "owner", "created_at"]
    list_select_related = ["corpus", "system", "owner"]

    def has_add_permission(self, request) -> bool:
        return False

    def has_change_permission(self, request, obj=None) -> bool:
        return False
