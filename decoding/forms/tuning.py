from __future__ import annotations

import math

from django import forms

from decoding.actions.tuning import MOST_CELLS
from decoding.core.diversity.winners import winners_of
from decoding.languages import language_problem
from decoding.models import Corpus, System, TuningCell, TuningRun
from decoding.models.recipes import HIGHEST_ORDER, LARGEST_PENALTY
from decoding.surfaces import cells_of
from decoding.validators import PAPERS_ORDERS, PAPERS_PENALTIES


class TuningForm(forms.ModelForm):
    """A grid to be measured. At first the paper's, for lists that people edit."""

    orders = forms.TypedMultipleChoiceField(
        label="n",
        coerce=int,
        choices=[(order, order) for order in range(1, HIGHEST_ORDER + 1)],
        initial=list(PAPERS_ORDERS),
        widget=forms.CheckboxSelectMultiple,
    )
    penalties = forms.CharField(
        label="λ",
        initial=", ".join(map(str, PAPERS_PENALTIES)),
        help_text="Separated by commas.",
    )

    class Meta:
        model = TuningRun
        fields = [
            "system", "corpus", "objective", "orders", "penalties", "length", "sample_size", "seed",
        ]  # fmt: skip

    field_order = Meta.fields

    def __init__(self, *args, user, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        systems = System.objects.visible_to(user).exclude(kind=System.Kind.EXTERNAL)
        self.fields["system"].queryset = systems.defer("card")
        self.fields["corpus"].queryset = Corpus.objects.visible_to(user).filter(
            most_references__gte=1
        )
        self.fields["corpus"].help_text = "With references; not the one that the study will use."
        self.fields["sample_size"].initial = 50
        self.fields["length"].validators.append(_between(2, 20))
        self.fields["sample_size"].validators.append(_between(1, 1000))

    def clean_penalties(self) -> list[float]:
        try:
            penalties = [float(part) for part in self.cleaned_data["penalties"].split(",")]
        except ValueError:
            raise forms.ValidationError("Write numbers with commas between them.") from None
        if not all(math.isfinite(one) and 0 <= one <= LARGEST_PENALTY for one in penalties):
            raise forms.ValidationError(f"λ is from 0 to {LARGEST_PENALTY:g}.")
        return sorted(set(penalties))

    def clean(self):
        cleaned = super().clean()
        system, corpus = cleaned.get("system"), cleaned.get("corpus")
        if system and corpus and (problem := language_problem(system, corpus)):
            self.add_error("corpus", problem)
        if len(cleaned.get("orders", ())) * len(cleaned.get("penalties", ())) > MOST_CELLS:
            self.add_error("penalties", f"{MOST_CELLS} cells are the most.")
        return cleaned


def _between(low: int, high: int):
    def check(value: int) -> None:
        if not low <= value <= high:
            raise forms.ValidationError(f"A number from {low} to {high}.")

    return check


class UseCellForm(forms.Form):
    """A cell, and the name of the recipe that is made of it."""

    cell = forms.ModelChoiceField(TuningCell.objects.none(), empty_label=None)
    name = forms.CharField(max_length=100, label="Name of the recipe")

    def __init__(self, *args, run: TuningRun, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        cells = run.cells.defer("by_segment").order_by("-value", "order", "penalty")
        known = cells_of(run)
        tied = {(one.order, one.penalty) for one in winners_of(known).tied} if known else set()
        self.fields["cell"].queryset = cells
        self.fields["cell"].label_from_instance = lambda cell: (
            f"{cell}, cannot be told apart from the best"
            if (cell.order, cell.penalty) in tied
            else str(cell)
        )
