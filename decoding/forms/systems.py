from __future__ import annotations

from django import forms

from decoding.core.formats.nbest import read_streams
from decoding.forms.files import FilesField
from decoding.languages import readable_by
from decoding.models import Corpus, System
from decoding.pools import read_plain

MOST_FILES = 100


class SystemForm(forms.ModelForm):
    """What is said about a system."""

    class Meta:
        model = System
        fields = ["name", "source_language", "target_language", "licence", "notes"]
        help_texts = {"source_language": "Its code, such as de, ar or zh-Hant."}
        widgets = {"notes": forms.Textarea({"rows": 3})}

    @property
    def about(self) -> dict[str, str]:
        return {name: self.cleaned_data[name] for name in SystemForm.Meta.fields}


class MosesForm(SystemForm):
    """A Moses system to import: uploaded, or, for administrators, on the server."""

    archive = forms.FileField(
        required=False,
        help_text="A .zip or .tar.gz of moses.ini and the files that it names: phrase table, "
        "reordering table, language model in ARPA format.",
    )
    path = forms.CharField(
        label="Or a moses.ini on the server",
        required=False,
        help_text="For administrators: its absolute path, readable by the workers.",
    )
    moses_ini = forms.CharField(
        label="Which moses.ini",
        required=False,
        help_text="Only if the archive holds several: its path within.",
    )

    def __init__(self, *args, user, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        if not user.is_superuser:
            del self.fields["path"]
            self.fields["archive"].required = True

    def clean(self):
        cleaned = super().clean()
        if "path" in self.fields and bool(cleaned.get("path")) == bool(cleaned.get("archive")):
            self.add_error("archive", "Choose an archive, or name a path on the server.")
        return cleaned


class PoolForm(forms.Form):
    """Translations of a corpus by an external system."""

    corpus = forms.ModelChoiceField(Corpus.objects.none())
    format = forms.ChoiceField(
        choices=[
            ("nbest", "n-best list: Moses' format or JSON Lines"),
            ("plain", "plain text: a translation a line, a file for each rank"),
        ],
    )
    files = FilesField(
        help_text="In UTF-8, packed with gzip or not. Several files only for plain text, the best "
        "translations in the first.",
    )

    def __init__(self, *args, user, system: System, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.fields["corpus"].queryset = Corpus.objects.visible_to(user).filter(readable_by(system))
        self.fields["corpus"].empty_label = "choose"

    def clean(self):
        cleaned = super().clean()
        files = cleaned.get("files", ())
        if cleaned.get("format") == "nbest" and len(files) > 1:
            self.add_error("files", "An n-best list is one file.")
        if len(files) > MOST_FILES:
            self.add_error("files", f"{MOST_FILES} files are the most.")
        return cleaned

    def read_lists(self, paths):
        """The lists of the received files, segment by segment."""
        if self.cleaned_data["format"] == "plain":
            return read_plain(paths)
        return read_streams(paths[0])
