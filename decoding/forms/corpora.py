from __future__ import annotations

from django import forms

from decoding.core.formats.segments import MOST_REFERENCES, TOGETHER, read_segments
from decoding.forms.files import FilesField
from decoding.models import Corpus, Direction
from decoding.models.corpora import usual_direction


class CorpusForm(forms.ModelForm):
    """A corpus from files. The files are read by `read_segments`, not by the form."""

    format = forms.ChoiceField(
        choices=[
            ("text", "plain text: a segment a line, a file for each side"),
            ("tsv", "tab-separated: source and references in columns"),
            ("jsonl", "JSON Lines: an object with source and references a line"),
            ("wmt", "WMT test set: SGML or XML"),
        ],
    )
    source = forms.FileField(label="Source file", help_text="In UTF-8, packed with gzip or not.")
    references = FilesField(
        label="Reference files",
        required=False,
        help_text=f"Up to {MOST_REFERENCES}, if each is a file of its own.",
    )

    class Meta:
        model = Corpus
        fields = [
            "name", "source_language", "target_language", "source_direction", "target_direction",
            "licence", "provenance",
        ]  # fmt: skip
        help_texts = {
            "source_language": "Its code, such as de, ar or zh-Hant.",
            "target_language": "The references' language.",
        }
        widgets = {"provenance": forms.Textarea({"rows": 3})}

    field_order = [
        "name", "source_language", "target_language", "format", "source", "references",
        "licence", "provenance", "source_direction", "target_direction",
    ]  # fmt: skip

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        for side in ("source", "target"):
            field = self.fields[f"{side}_direction"]
            field.required = False
            field.choices = [("", "as the language is usually written"), *Direction.choices]

    def clean(self):
        cleaned = super().clean()
        for side in ("source", "target"):
            if not cleaned.get(f"{side}_direction"):
                language = cleaned.get(f"{side}_language", "")
                cleaned[f"{side}_direction"] = usual_direction(language)
        if cleaned.get("format") in TOGETHER and cleaned.get("references"):
            self.add_error("references", "In this format the references stand in the source file.")
        if len(cleaned.get("references", ())) > MOST_REFERENCES:
            self.add_error("references", f"{MOST_REFERENCES} files are the most.")
        return cleaned

    @property
    def about(self) -> dict[str, str]:
        """What is said about the corpus."""
        return {name: self.cleaned_data[name] for name in self.Meta.fields}

    def read_segments(self, paths):
        """The segments of the received files, the source's first."""
        source, *references = paths
        return read_segments(self.cleaned_data["format"], source, references)
