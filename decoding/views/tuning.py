from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from decoding.access import fetch_for
from decoding.actions.tuning import ask_for_tuning
from decoding.actions.tuning import use_cell as make_recipe_of
from decoding.charts import MEDIA_TYPES, picture
from decoding.forms.tuning import TuningForm, UseCellForm
from decoding.models import TuningRun
from decoding.surfaces import (
    cells_of,
    missing_segments,
    surface_answer,
    surface_rows,
    surface_spec,
    surface_table,
)
from evaluation.core.errors import VariorumError
from evaluation.core.spreadsheets import csv_lines

ON_A_PAGE = 25
_DOWNLOADS = ("svg", "png", "pdf", "csv")


@login_required
@require_GET
def tuning_list(request: HttpRequest) -> HttpResponse:
    runs = TuningRun.objects.visible_to(request.user).select_related("corpus", "system", "job")
    runs = runs.defer("baseline_by_segment")
    page = Paginator(runs, ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "decoding/tuning.html", {"page": page})


@login_required
@require_http_methods(["GET", "POST"])
def start(request: HttpRequest) -> HttpResponse:
    form = TuningForm(request.POST or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        return redirect(ask_for_tuning(owner=request.user, **form.cleaned_data).job)
    return render(
        request, "decoding/start_tuning.html", {"form": form}, status=422 if form.errors else 200
    )


@login_required
@require_GET
def tuning_run(request: HttpRequest, pk: int) -> HttpResponse:
    run = _fetch(request, pk)
    cells = cells_of(run)
    table = surface_table(cells) if cells else None
    return render(
        request,
        "decoding/tuning_run.html",
        {
            "run": run,
            "table": table,
            "answer": surface_answer(run, table) if table else "",
            "missing": missing_segments(run),
            "downloads": {
                kind.upper(): reverse("decoding:surface", args=[run.pk, kind])
                for kind in _DOWNLOADS
            },
            "picture": reverse("decoding:surface", args=[run.pk, "svg"]),
            "form": UseCellForm(run=run),
        },
    )


@login_required
@require_GET
def surface(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    """The surface as a picture, as figures, or as the specification that draws it."""
    run = _fetch(request, pk)
    cells = cells_of(run)
    if not cells or kind not in MEDIA_TYPES:
        raise Http404("There is no such picture.")
    if kind == "csv":
        answer = HttpResponse(content_type=MEDIA_TYPES[kind])
        rows = surface_rows(run, cells)
        answer.writelines(csv_lines([list(rows[0]), *(list(row.values()) for row in rows)]))
    elif kind == "json":
        return JsonResponse(surface_spec(run, cells))
    else:
        answer = HttpResponse(picture(surface_spec(run, cells), kind), MEDIA_TYPES[kind])
    answer["Content-Disposition"] = f'inline; filename="surface-{run.pk}.{kind}"'
    return answer


@login_required
@require_POST
def use_cell(request: HttpRequest, pk: int) -> HttpResponse:
    """Make a recipe of a cell."""
    run = fetch_for(request.user, TuningRun.objects, edit=True, pk=pk)
    form = UseCellForm(request.POST, run=run)
    if not form.is_valid():
        messages.error(request, "Choose a cell, and a name for the recipe.")
        return redirect(run)
    said = form.cleaned_data
    try:
        version = make_recipe_of(run, said["cell"], said["name"], author=request.user)
    except VariorumError as error:
        messages.error(request, str(error))
        return redirect(run)
    messages.success(request, f"{version.recipe.name} is a recipe now: {version.summary}.")
    return redirect(version.recipe)


def _fetch(request: HttpRequest, pk: int) -> TuningRun:
    runs = TuningRun.objects.select_related("corpus", "system", "job", "recipe", "owner")
    runs = runs.defer("baseline_by_segment")
    return fetch_for(request.user, runs, pk=pk)
