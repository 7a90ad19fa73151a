from __future__ import annotations

from django import forms

from decoding.display import DISPLAYS, Display
from decoding.models import Corpus, RecipeVersion, System
from decoding.queries.browser import GAINS, LENGTHS, SORTS, SideBySide

_SORT_WORDS = {
    "segment": "segment",
    "bleu1": "BLEU+1 of the first",
    "gain": "gain in coverage",
    "length": "length of the source",
}


class SideBySideForm(forms.Form):
    """Which two recipes to compare, and which segments in which order."""

    baseline = forms.TypedChoiceField(label="Baseline", required=False, coerce=int)
    other = forms.TypedChoiceField(label="Compared with", required=False, coerce=int)
    sort = forms.ChoiceField(
        label="Sort by",
        required=False,
        choices=[
            (sort, _SORT_WORDS[sort.removeprefix("-")] + (", falling" if sort[0] == "-" else ""))
            for sort in SORTS
        ],
    )
    quartile = forms.TypedChoiceField(
        required=False,
        coerce=int,
        empty_value=0,
        choices=[("", "all"), (1, "1 (hardest)"), (2, "2"), (3, "3"), (4, "4 (easiest)")],
    )
    gain = forms.ChoiceField(
        label="Coverage",
        required=False,
        choices=[("", "all"), *((gain, f"{gain} than baseline") for gain in GAINS)],
    )
    length = forms.ChoiceField(
        label="Source words",
        required=False,
        choices=[
            ("", "all"),
            *zip(LENGTHS, ("under 5", "5 to 25", "over 25"), strict=True),
        ],
    )
    display = forms.ChoiceField(
        label="Show text",
        required=False,
        choices=[("", "as decoded"), *((name, d.words) for name, d in DISPLAYS.items())],
    )

    def __init__(self, data, *, versions: list[RecipeVersion], system: System) -> None:
        baseline, other = _usual_pair(versions)
        # What was trained here translates prepared words; from elsewhere text comes as it is.
        display = "readable" if system.kind == System.Kind.TRAINED else ""
        usual = {"baseline": baseline, "other": other, "display": display}
        super().__init__({**usual, **data.dict()})
        self.versions = {version.pk: version for version in versions}
        choices = [
            (version.pk, f"{version.recipe.name} v{version.number}: {version.summary}")
            for version in versions
        ]
        self.fields["baseline"].choices = self.fields["other"].choices = choices

    @property
    def shown_as(self) -> Display:
        """How to show translations."""
        return DISPLAYS.get(self.cleaned_data.get("display", ""), Display())

    def side_by_side(self, corpus: Corpus, system: System) -> SideBySide:
        """What is wanted; what was not said, or makes no sense, is as at first."""
        self.full_clean()
        said = self.cleaned_data
        baseline, other = _usual_pair(list(self.versions.values()))
        return SideBySide(
            corpus=corpus,
            system=system,
            baseline=self.versions[said.get("baseline") or baseline],
            other=self.versions[said.get("other") or other],
            sort=said.get("sort") or "segment",
            quartile=said.get("quartile") or 0,
            gain=said.get("gain") or "",
            length=said.get("length") or "",
        )


def _usual_pair(versions: list[RecipeVersion]) -> tuple[int, int]:
    """The best list and the diverse one, the newest of each; or what there is."""
    best = [version for version in versions if not version.is_penalized] or versions
    diverse = [version for version in versions if version.is_penalized] or versions
    return best[0].pk, diverse[0].pk
