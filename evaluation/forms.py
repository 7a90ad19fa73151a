from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from evaluation.core.report.slices import MOST_GROUPS, Slice

_SWITCHES = {
    "surplus": "Answers that came too late",
    "excluded": "Excluded participants",
    "flagged": "Flagged participants",
    "simulated": "Simulated answers",
    "workers": "Intervals that draw workers too",
}


class SliceForm(forms.Form):
    """What a report is about. It only fills an address: `slice_from` reads and checks that."""

    groups = forms.IntegerField(label="Groups", min_value=1, max_value=MOST_GROUPS)
    cuts = forms.CharField(
        label="or cut at", required=False, widget=forms.TextInput({"placeholder": "20,35,50"})
    )

    def __init__(
        self, cut: Slice, conditions: Sequence[str], covariates: Mapping[str, str], **options: Any
    ) -> None:
        # What the study usually shows has the empty value: the address then need not say it.
        usual = (conditions[0], conditions[1], next(iter(covariates), ""))
        shown: dict[str, Any] = {
            name: "" if getattr(cut, name) == own else getattr(cut, name)
            for name, own in zip(("first", "second", "covariate"), usual, strict=True)
        }
        shown |= {"groups": cut.groups, "cuts": ",".join(f"{value:g}" for value in cut.cuts)}
        shown |= {name: "yes" if getattr(cut, name) else "no" for name in _SWITCHES}
        # An empty value is a choice here.
        super().__init__(initial=shown, use_required_attribute=False, **options)
        for name, label, own in (("first", "Condition", usual[0]), ("second", "against", usual[1])):
            self.fields[name] = forms.ChoiceField(
                label=label, choices=[("" if one == own else one, one) for one in conditions]
            )
        if covariates:
            self.fields["covariate"] = forms.ChoiceField(
                label="Groups by",
                choices=[("" if name == usual[2] else name, n) for name, n in covariates.items()],
            )
            self.order_fields(["first", "second", "covariate", "groups", "cuts"])
        else:
            for name in ("groups", "cuts"):
                del self.fields[name]
        for name, label in _SWITCHES.items():
            self.fields[name] = forms.ChoiceField(
                label=label, choices=[("no", "no"), ("yes", "yes")]
            )

    @property
    def usual(self) -> list[forms.BoundField]:
        """What is changed most."""
        return [field for field in self if field.name not in _SWITCHES]

    @property
    def more(self) -> list[forms.BoundField]:
        return [field for field in self if field.name in _SWITCHES]


class UploadForm(forms.Form):
    file = forms.FileField(
        label="Judgments",
        help_text="CSV with the columns item, condition A, condition B, choice, worker and, if "
        "sentences are to be grouped, covariate. Plain or gzipped.",
    )


class BundleForm(forms.Form):
    file = forms.FileField(
        label="Bundle", help_text="The zip that a report's page or export_study gives."
    )
