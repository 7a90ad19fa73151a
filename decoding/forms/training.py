from __future__ import annotations

from django import forms

from decoding.core.corpus.words import base_language
from decoding.languages import is_in, same_languages
from decoding.models import Corpus, System
from decoding.training import (
    ALIGNERS,
    CASES,
    ORDERS,
    PRUNING,
    SMOOTHINGS,
    TrainingSettings,
    usual_settings,
)


class TrainingForm(forms.ModelForm):
    """A system to be trained on a corpus: its name, and what is not as usual."""

    reference = forms.TypedChoiceField(label="Translations", coerce=int)
    dev = forms.ModelChoiceField(
        Corpus.objects.none(),
        label="Dev corpus",
        required=False,
        empty_label="none",
        help_text="Other text with references: unknown words are counted and BLEU is measured on "
        "it. Not the text of a study.",
    )
    source_rules = forms.ChoiceField(label="Source text", required=False)
    target_rules = forms.ChoiceField(label="Translated text", required=False)
    case = forms.ChoiceField(label="Upper and lower case", choices=list(CASES.items()))
    aligner = forms.ChoiceField(label="Word alignment", choices=list(ALIGNERS.items()))
    order = forms.TypedChoiceField(
        label="Order of the language model", coerce=int, choices=[(n, n) for n in ORDERS]
    )
    smoothing = forms.ChoiceField(
        label="Smoothing of the language model", required=False, choices=list(SMOOTHINGS.items())
    )
    pruning = forms.ChoiceField(label="Phrase table", required=False, choices=list(PRUNING.items()))
    monolingual = forms.ModelMultipleChoiceField(
        Corpus.objects.none(),
        label="More text for the language model",
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="The sources of corpora in the target language.",
    )

    class Meta:
        model = System
        fields = ["name", "licence", "notes"]
        widgets = {"notes": forms.Textarea({"rows": 3})}

    field_order = [
        "name", "reference", "dev", "source_rules", "target_rules", "case", "aligner", "order",
        "smoothing", "pruning", "monolingual", "licence", "notes",
    ]  # fmt: skip
    FIRST = ("name", "reference", "dev")

    def __init__(self, *args, user, corpus: Corpus, **kwargs) -> None:
        usual = usual_settings(corpus)
        kwargs["initial"] = usual.as_dict() | {
            "name": f"{corpus.name[:80]} {corpus.source_language}-{corpus.target_language}",
            "reference": 1,
            "licence": corpus.licence,
        }
        super().__init__(*args, **kwargs)
        self.fields["reference"].choices = [
            (number, f"reference {number}") for number in range(1, corpus.most_references + 1)
        ]
        if corpus.most_references < 2:
            del self.fields["reference"]
        for side in ("source", "target"):
            language = base_language(getattr(corpus, f"{side}_language"))
            self.fields[f"{side}_rules"].choices = [
                (language, f"as people write it: tokenise by the rules of {language}"),
                ("", "tokenised already: words and marks stand between blanks"),
            ]
        visible = Corpus.objects.visible_to(user).exclude(pk=corpus.pk)
        self.fields["dev"].queryset = visible.filter(same_languages(corpus), most_references__gte=1)
        more = visible.filter(is_in("source", corpus.target_language))
        if more.exists():
            self.fields["monolingual"].queryset = more
        else:
            del self.fields["monolingual"]

    def clean_smoothing(self) -> str:
        return self.cleaned_data["smoothing"] or TrainingSettings().smoothing

    def first_fields(self):
        """What one has to look at."""
        return [self[name] for name in self.FIRST if name in self.fields]

    def more_fields(self):
        """What has good defaults."""
        return [field for field in self.visible_fields() if field.name not in self.FIRST]

    @property
    def more_is_wrong(self) -> bool:
        return any(field.errors for field in self.more_fields())

    @property
    def wanted(self) -> dict:
        """As `ask_for_training` takes it."""
        said = self.cleaned_data
        settings = {name: said[name] for name in TrainingSettings.__slots__}
        return {
            **{name: said[name] for name in ("name", "licence", "notes", "dev")},
            "reference": said.get("reference", 1),
            "monolingual": list(said.get("monolingual", ())),
            "settings": TrainingSettings(**settings),
        }
