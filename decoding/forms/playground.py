from __future__ import annotations

from typing import Any

from django import forms

from decoding.languages import is_in
from decoding.models import Corpus, Recipe, System
from decoding.models.recipes import HIGHEST_ORDER
from decoding.validators import LARGEST_PENALTY


class Slider(forms.NumberInput):
    input_type = "range"


class TypedOrSlid(forms.NumberInput):
    """A number that a slider beside it moves too, as far as most people want it."""

    slides_to, slides_by = 1, 0.005


# How diverse lists may be found, by the option of a recipe that says so.
FOUND = {
    "": "each by a search",
    "distinct": "no translation twice",
    "from_graph": "all in one search",
}


class PlaygroundForm(forms.Form):
    """A sentence, typed or picked, and how its lists shall be made."""

    system = forms.ModelChoiceField(System.objects.none(), empty_label=None)
    corpus = forms.ModelChoiceField(
        Corpus.objects.none(), required=False, empty_label="none", label="Or pick from"
    )
    number = forms.IntegerField(label="Segment", min_value=1, required=False)
    text = forms.CharField(
        label="A sentence",
        required=False,
        max_length=2000,
        widget=forms.Textarea({"rows": 2, "dir": "auto"}),
    )
    order = forms.IntegerField(
        label="n", min_value=1, max_value=HIGHEST_ORDER, widget=Slider({"step": 1})
    )
    penalty = forms.FloatField(
        label="λ", min_value=0, max_value=LARGEST_PENALTY, widget=TypedOrSlid
    )
    length = forms.IntegerField(label="M", min_value=2, max_value=20)
    found = forms.ChoiceField(label="Found", choices=FOUND.items(), required=False)

    DEFAULTS = {"order": 4, "penalty": 0.1, "length": 5}

    def __init__(self, data, *, user) -> None:
        systems = System.objects.visible_to(user).exclude(kind=System.Kind.EXTERNAL).defer("card")
        first = systems.first()
        said = {**self.DEFAULTS, "system": first and first.pk, **data.dict()}
        super().__init__(said)
        self.fields["system"].queryset = systems
        self.fields["corpus"].queryset = Corpus.objects.visible_to(user)

    def clean(self):
        cleaned = super().clean()
        corpus, number = cleaned.get("corpus"), cleaned.get("number")
        cleaned["segment"] = None
        if corpus and number and not cleaned.get("text"):
            segments = corpus.segments.prefetch_related("references")
            cleaned["segment"] = segments.filter(number=number).first()
            if cleaned["segment"] is None:
                self.add_error(
                    "number", f"The corpus has segments from 1 to {corpus.segment_count}."
                )
        return cleaned

    @property
    def settings(self) -> dict[str, Any]:
        """What of it makes a recipe."""
        said = self.cleaned_data
        found = {said["found"]: True} if said["found"] else {}
        return {name: said[name] for name in self.DEFAULTS} | found

    @property
    def source(self) -> str:
        segment = self.cleaned_data["segment"]
        return segment.source if segment else self.cleaned_data["text"]

    @property
    def picked_from(self) -> Corpus | None:
        """The corpus of the sentence, unless it was typed."""
        return self.cleaned_data["corpus"] if self.cleaned_data["segment"] else None

    @property
    def example(self) -> Corpus | None:
        """A corpus that the chosen system can read, for whoever has no sentence at hand."""
        system = self.cleaned_data.get("system")
        readable = self.fields["corpus"].queryset
        return readable.filter(is_in("source", system.source_language)).first() if system else None

    @property
    def references(self) -> list[str]:
        segment = self.cleaned_data["segment"]
        return [one.text for one in segment.references.all()] if segment else []


class NewRecipeForm(forms.ModelForm):
    """The name of a recipe that is made of settings which somebody tried."""

    class Meta:
        model = Recipe
        fields = ["name"]
