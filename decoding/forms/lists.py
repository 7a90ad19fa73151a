from __future__ import annotations

from django import forms

from decoding.languages import readable_by
from decoding.models import Corpus, RecipeVersion, System
from decoding.queries.recipes import newest_versions


class MakeListsForm(forms.Form):
    """Which lists to make: of a corpus, by a system, by some recipes."""

    corpus = forms.ModelChoiceField(Corpus.objects.none(), empty_label="choose")
    recipes = forms.ModelMultipleChoiceField(
        RecipeVersion.objects.none(), widget=forms.CheckboxSelectMultiple
    )
    first = forms.IntegerField(
        label="From segment", required=False, min_value=1, help_text="Empty: from the first."
    )
    last = forms.IntegerField(
        label="To segment", required=False, min_value=1, help_text="Empty: to the last."
    )

    def __init__(self, *args, user, system: System, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        corpora = Corpus.objects.visible_to(user).filter(readable_by(system))
        if system.is_external:
            corpora = corpora.filter(pools__system=system)
        self.fields["corpus"].queryset = corpora
        kinds = [
            kind
            for kind in RecipeVersion.Kind
            if (kind in RecipeVersion.DECODED) != system.is_external
        ]
        versions = newest_versions().filter(kind__in=kinds)
        self.fields["recipes"].queryset = versions
        if not versions:
            which = "for pools" if system.is_external else "that decodes"
            self.fields[
                "recipes"
            ].help_text = f"There is no recipe {which} yet. An administrator can add one."
        self.fields["recipes"].label_from_instance = lambda version: (
            f"{version.recipe.name} ({version.summary})"
        )
        self.fields["recipes"].initial = [version.pk for version in versions]

    def clean(self):
        cleaned = super().clean()
        first, last = cleaned.get("first"), cleaned.get("last")
        if first and last and first > last:
            self.add_error("last", "The last segment comes before the first.")
        corpus = cleaned.get("corpus")
        if corpus and first and first > corpus.segment_count:
            self.add_error("first", f"The corpus has segments from 1 to {corpus.segment_count:,}.")
        return cleaned

    @property
    def segments(self) -> range | None:
        """The numbers of the segments, or None for all."""
        first, last = self.cleaned_data["first"], self.cleaned_data["last"]
        if first is None and last is None:
            return None
        count = self.cleaned_data["corpus"].segment_count
        return range(first or 1, min(last or count, count) + 1)
