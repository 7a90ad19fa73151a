"""Invented sample data for /styleguide: short, long, empty, right to left."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.messages.storage.base import Message
from django.core.paginator import Paginator

from evaluation.core.differences import Span

TRANSLATIONS = (
    "The ferry to the islands leaves at noon, if the wind allows it.",
    "If the wind permits, the boat to the islands departs at midday.",
    "At noon goes the ferry to the islands when the wind it allows.",
)
ARABIC = "تغادر العبّارة إلى الجزر ظهراً إذا سمحت الريح، كما أعلن الميناء صباح اليوم."


class SampleForm(forms.Form):
    """One field of every sort that the pages use."""

    name = forms.CharField(max_length=60, help_text="Shown to your colleagues, never to others.")
    mail = forms.EmailField(required=False, label="E-mail")
    judges = forms.IntegerField(label="Judges a pair", initial=3, min_value=1, max_value=9)
    weight = forms.FloatField(label="Weight", initial=0.1, min_value=0, step_size=0.05)
    kind = forms.ChoiceField(choices=[("best", "the five best"), ("diverse", "five diverse ones")])
    stages = forms.MultipleChoiceField(
        choices=[("editing", "EDITING"), ("eval", "EVAL")],
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    order = forms.ChoiceField(
        choices=[("drawn", "as drawn"), ("model", "by model score")],
        widget=forms.RadioSelect,
        help_text="In which participants see the translations.",
    )
    anonymous = forms.BooleanField(required=False, label="Leave names out of exports")
    notes = forms.CharField(widget=forms.Textarea, required=False)
    file = forms.FileField(required=False, label="Source text", help_text="Plain or .gz")


def samples(page_number: str | None) -> dict[str, Any]:
    """What the style guide's template shows."""
    return {
        "form": SampleForm(),
        "wrong_form": SampleForm({"judges": "0", "mail": "nobody", "kind": "diverse"}),
        "page": Paginator(range(480), 20).get_page(page_number or 7),
        "translations": TRANSLATIONS,
        "arabic": ARABIC,
        "spans": (
            Span("The", shared=False),
            Span(" ferry to the islands ", shared=True),
            Span("leaves", shared=False),
            Span(" at noon, if the wind ", shared=True),
            Span("allows it.", shared=False),
        ),
        "arabic_spans": (
            Span("تغادر العبّارة ", shared=True),
            Span("إلى الجزر ظهراً", shared=False),
            Span(" إذا سمحت الريح.", shared=True),
        ),
        "messages": (
            Message(messages.INFO, "The job had ended already."),
            Message(messages.WARNING, "Two of 200 segments have no list. See which below."),
        ),
        "downloads": {"SVG": "#chart", "PNG": "#chart", "PDF": "#chart", "CSV": "#chart"},
        "marks": ("simulated", "interim"),
    }
