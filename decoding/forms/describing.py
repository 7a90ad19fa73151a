from __future__ import annotations

from django import forms

from decoding.actions.names import refuse_taken_name
from decoding.models import Corpus, System
from decoding.queries.deletion import needed_by
from evaluation.core.errors import InputError


class _AboutForm(forms.ModelForm):
    """What is said about a corpus or system, to be corrected."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        name = self.fields.get("name")  # who may only look has none, in the administration
        if name and needed_by(self.instance):
            name.disabled = True
            name.help_text = "It stays, for a study uses it, whose registration has the name."

    def clean_name(self) -> str:
        name = self.cleaned_data["name"]
        try:
            own = self.instance
            refuse_taken_name(own.owner, name, type(own), own=own)
        except InputError as error:
            raise forms.ValidationError(str(error)) from error
        return name


class CorpusAboutForm(_AboutForm):
    class Meta:
        model = Corpus
        fields = ["name", "licence", "provenance", "source_direction", "target_direction"]
        help_texts = dict.fromkeys(
            ("source_direction", "target_direction"),
            "How all pages show it, at once, those of a running study too.",
        )
        widgets = {"provenance": forms.Textarea({"rows": 3})}


class SystemAboutForm(_AboutForm):
    class Meta:
        model = System
        fields = ["name", "licence", "notes"]
        widgets = {"notes": forms.Textarea({"rows": 3})}
