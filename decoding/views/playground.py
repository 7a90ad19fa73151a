from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from decoding.actions.recipes import add_recipe
from decoding.beside import Beside, Side
from decoding.forms.playground import NewRecipeForm, PlaygroundForm
from decoding.models import RecipeVersion
from decoding.playground import Trial, try_out
from decoding.preparing import texts_of
from evaluation.core.errors import InputError, VariorumError


@login_required
@require_GET
def playground(request: HttpRequest) -> HttpResponse:
    return _show(request, PlaygroundForm(request.GET, user=request.user), NewRecipeForm())


@login_required
@require_POST
def make_recipe(request: HttpRequest) -> HttpResponse:
    """A recipe of the settings that were tried; if that cannot be, all stays as it was tried."""
    form = PlaygroundForm(request.POST, user=request.user)
    named = NewRecipeForm(request.POST)
    if not (form.is_valid() and named.is_valid()):
        return _show(request, form, named, status=422)
    try:
        version = add_recipe(
            named.cleaned_data["name"],
            {"kind": RecipeVersion.Kind.DIVERSE} | form.settings,
            author=request.user,
            reason="from the playground",
        )
    except InputError as error:  # somebody was quicker
        named.add_error("name", str(error))
        return _show(request, form, named, status=422)
    messages.success(request, f"{version.recipe.name} is a recipe now: {version.summary}.")
    return redirect(version.recipe)


def _show(
    request: HttpRequest, form: PlaygroundForm, named: NewRecipeForm, status: int = 200
) -> HttpResponse:
    trial = None
    if form.is_valid() and form.source:
        try:
            trial = try_out(
                form.cleaned_data["system"], form.source, form.references, form.settings
            )
        except VariorumError as error:
            form.add_error(None, str(error))
    return render(
        request,
        "decoding/playground.html#trial" if request.htmx else "decoding/playground.html",
        {
            "form": form,
            "trial": trial,
            "beside": _beside(trial, form) if trial else None,
            "new_recipe": named,
        },
        status=status,
    )


def _beside(trial: Trial, form: PlaygroundForm) -> Beside:
    system, corpus = form.cleaned_data["system"], form.picked_from
    best, diverse = (
        Side(
            version,
            translations,
            bleu1=figures.bleu1 if figures else (),
            coverage=figures and figures.coverage,
            oracle=figures and figures.oracle,
        )
        for version, translations, figures in (
            (trial.versions[0], trial.best, trial.best_figures),
            (trial.versions[1], trial.diverse, trial.diverse_figures),
        )
    )
    direction = corpus.target_direction if corpus else ""
    return Beside(best, diverse, texts_of(system).to_read, system.target_language, direction)
