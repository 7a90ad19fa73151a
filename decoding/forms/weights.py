from __future__ import annotations

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from decoding.actions.weights import LONGEST_LISTS, MOST_ROUNDS
from decoding.languages import same_languages
from decoding.models import Corpus, System, WeightTuning


class WeightTuningForm(forms.ModelForm):
    """Weights of a system to be tuned on a dev corpus."""

    class Meta:
        model = WeightTuning
        fields = ["corpus", "method", "name", "rounds", "patience", "kbest", "seed"]

    def __init__(self, *args, user, system: System, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.fields["corpus"].queryset = Corpus.objects.visible_to(user).filter(
            same_languages(system), most_references__gte=1
        )
        self.fields["corpus"].empty_label = "choose"
        self.fields["corpus"].help_text = (
            "With references, some hundred to two thousand segments; neither the training text "
            "nor that of a study."
        )
        self.fields["name"].initial = f"{system.name[:92]} tuned"
        for name, most in (
            ("rounds", MOST_ROUNDS), ("patience", MOST_ROUNDS), ("kbest", LONGEST_LISTS),
        ):  # fmt: skip
            self.fields[name].validators += [MinValueValidator(1), MaxValueValidator(most)]


class OnCorpusForm(forms.Form):
    """A corpus with references on which a system is measured."""

    corpus = forms.ModelChoiceField(Corpus.objects.none(), empty_label="choose")

    def __init__(self, *args, user, system: System, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        corpora = Corpus.objects.visible_to(user).filter(
            same_languages(system), most_references__gte=1
        )
        if system.is_external:
            corpora = corpora.filter(pools__system=system)
        self.fields["corpus"].queryset = corpora


class CompareForm(OnCorpusForm):
    """Another system to compare with, on a test corpus."""

    second = forms.ModelChoiceField(System.objects.none(), label="With", empty_label="choose")
    field_order = ("second", "corpus")

    def __init__(self, *args, user, system: System, **kwargs) -> None:
        super().__init__(*args, user=user, system=system, **kwargs)
        self.fields["corpus"].label = "On the test corpus"
        others = System.objects.visible_to(user).filter(same_languages(system))
        self.fields["second"].queryset = others.exclude(pk=system.pk).defer("card")
