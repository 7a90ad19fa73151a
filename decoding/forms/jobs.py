from __future__ import annotations

from django import forms


class SelfTestForm(forms.Form):
    pieces = forms.IntegerField(min_value=1, max_value=1000, initial=20)
    seconds_per_piece = forms.FloatField(min_value=0, max_value=10, initial=0.5)
