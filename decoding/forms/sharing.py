from __future__ import annotations

from django import forms
from django.contrib.auth import get_user_model

from decoding.models import Share


class ShareForm(forms.Form):
    """A colleague is named by username: nobody can list who has an account."""

    user = forms.CharField(label="Username", max_length=150)
    role = forms.ChoiceField(choices=Share.Role)

    def __init__(self, *args, owner, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.owner = owner

    def clean_user(self):
        name = self.cleaned_data["user"].strip()
        found = get_user_model().objects.filter(username=name, is_active=True).first()
        if found is None:
            raise forms.ValidationError(
                f"Nobody here has the username {name}. Ask your colleague for theirs, or an "
                "administrator for an account."
            )
        if found == self.owner:
            raise forms.ValidationError("The owner has it already. Name a colleague.")
        return found
