from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from decoding.actions.recipes import add_recipe
from decoding.forms.playground import NewRecipeForm, PlaygroundForm
from decoding.models import RecipeVersion
from decoding.playground import Trial, try_out
from decoding.preparing import SystemTexts, texts_of
from evaluation.core.differences import Span, differences
from evaluation.core.errors import VariorumError


@login_required
@require_GET
def playground(request: HttpRequest) -> HttpResponse:
    form = PlaygroundForm(request.GET, user=request.user)
    trial = None
    if form.is_valid() and form.source:
        said = form.cleaned_data
        try:
            trial = try_out(
                said["system"],
                form.source,
                form.references,
                form.settings,
            )
        except VariorumError as error:
            form.add_error(None, str(error))
    return render(
        request,
        "decoding/playground.html#trial" if request.htmx else "decoding/playground.html",
        {
            "form": form,
            "trial": trial,
            "sides": _sides(trial, texts_of(said["system"])) if trial else [],
            "new_recipe": NewRecipeForm(),
        },
    )


@login_required
@require_POST
def make_recipe(request: HttpRequest) -> HttpResponse:
    """A recipe of the settings that were tried."""
    form = PlaygroundForm(request.POST, user=request.user)
    named = NewRecipeForm(request.POST)
    if not (form.is_valid() and named.is_valid()):
        for errors in (named.errors, form.errors):
            for field, found in errors.items():
                messages.error(request, f"{field}: {found[0]}")
        return redirect("decoding:playground")
    version = add_recipe(
        named.cleaned_data["name"],
        {"kind": RecipeVersion.Kind.DIVERSE} | form.settings,
        author=request.user,
        reason="from the playground",
    )
    messages.success(request, f"{version.recipe.name} is a recipe now: {version.summary}.")
    return redirect(version.recipe)


def _sides(trial: Trial, texts: SystemTexts) -> list[dict[str, object]]:
    """Both lists for the page, as people write: what is new in each against the first."""
    first = texts.to_read(trial.best[0].text) if trial.best else ""
    return [
        {
            "condition": condition,
            "figures": figures,
            "entries": [
                (one, differences(text, first) if rank else [Span(text, True)], bleu1)
                for rank, (one, text, bleu1) in enumerate(
                    zip(
                        made,
                        [texts.to_read(one.text) for one in made],
                        figures.bleu1 if figures else [None] * len(made),
                        strict=True,
                    )
                )
            ],
        }
        for condition, made, figures in (
            ("best", trial.best, trial.best_figures),
            ("diverse", trial.diverse, trial.diverse_figures),
        )
    ]
