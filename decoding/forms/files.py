from __future__ import annotations

from django import forms


class ManyFilesInput(forms.ClearableFileInput):
    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Any number of files; cleans to a list."""

    widget = ManyFilesInput

    def clean(self, data, initial=None):
        files = data if isinstance(data, list | tuple) else [data] if data else []
        if not files:
            super().clean(None, initial)
            return []
        return [super(FilesField, self).clean(file, initial) for file in files]
