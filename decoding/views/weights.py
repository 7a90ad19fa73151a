from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from decoding.access import fetch_for
from decoding.actions.weights import ask_for_weights, keep_best_so_far
from decoding.charts import MEDIA_TYPES, picture
from decoding.forms.weights import WeightTuningForm
from decoding.histories import SPECS, History, history_rows, history_table
from decoding.models import System, WeightTuning
from decoding.queries.asked import OUT_OF_SIGHT, is_out_of_sight
from evaluation.core.errors import InputError
from evaluation.core.spreadsheets import csv_lines

_DOWNLOADS = ("svg", "png", "pdf", "csv")


@login_required
@require_http_methods(["GET", "POST"])
def start(request: HttpRequest, pk: int) -> HttpResponse:
    """Tune a system's weights."""
    system = fetch_for(request.user, System.objects, pk=pk)
    form = WeightTuningForm(request.POST or None, user=request.user, system=system)
    if request.method == "POST" and form.is_valid():
        try:
            tuning = ask_for_weights(system, owner=request.user, **form.cleaned_data)
        except InputError as error:
            form.add_error(None, str(error))
        else:
            return redirect(tuning.job)
    return render(
        request,
        "decoding/tune_weights.html",
        {"form": form, "system": system},
        status=422 if form.errors else 200,
    )


@login_required
@require_GET
def tuning_page(request: HttpRequest, pk: int) -> HttpResponse:
    tunings = WeightTuning.objects.select_related("system", "corpus", "job", "made", "owner")
    tuning = fetch_for(request.user, tunings, pk=pk)
    return render(
        request,
        "decoding/weight_tuning.html",
        {
            "tuning": tuning,
            "editable": WeightTuning.objects.editable_by(request.user).filter(pk=pk).exists(),
            "history": history_context(tuning.history, "decoding:weight-history", tuning.pk),
        },
    )


@login_required
@require_POST
def keep_best(request: HttpRequest, pk: int) -> HttpResponse:
    """End the search, and keep the best weights so far."""
    tunings = WeightTuning.objects.select_related("job")
    tuning = fetch_for(request.user, tunings, edit=True, pk=pk)
    if tuning.job and is_out_of_sight(tuning.job):
        messages.error(request, OUT_OF_SIGHT)
        return redirect(tuning)
    try:
        keep_best_so_far(tuning)
    except InputError as error:
        messages.error(request, str(error))
        return redirect(tuning)
    return redirect(tuning.job or tuning)


@login_required
@require_GET
def tuning_history(request: HttpRequest, pk: int, name: str, kind: str) -> HttpResponse:
    return _drawn(fetch_for(request.user, WeightTuning.objects, pk=pk).history, name, kind)


@login_required
@require_GET
def system_history(request: HttpRequest, pk: int, name: str, kind: str) -> HttpResponse:
    system = fetch_for(request.user, System.objects, pk=pk)
    return _drawn(system.card.get("tuning", {}), name, kind)


def history_context(history: History, address: str, pk: int) -> dict[str, Any] | None:
    """What _history.html shows of a history, whose charts are found at the address."""
    if not history.get("rounds"):
        return None
    return {
        "rows": history_rows(history),
        "record": history,
        "charts": [
            {
                "name": name,
                "title": title,
                "summary": summary,
                "picture": reverse(address, args=[pk, name, "svg"]),
                "spec": reverse(address, args=[pk, name, "json"]),
                "downloads": {
                    kind.upper(): reverse(address, args=[pk, name, kind]) for kind in _DOWNLOADS
                },
            }
            for name, title, summary in (
                ("bleu", "BLEU by round", "The ringed round has the weights that are kept."),
                ("weights", "Weights by round", "Scaled so that their absolute values sum to 1."),
            )
        ],
    }


def _drawn(history: History, name: str, kind: str) -> HttpResponse:
    """A chart of a history as a picture, as figures, or as the specification that draws it."""
    if not history.get("rounds") or name not in SPECS or kind not in MEDIA_TYPES:
        raise Http404("There is no such picture.")
    if kind == "json":
        return JsonResponse(SPECS[name](history))
    answer = HttpResponse(content_type=MEDIA_TYPES[kind])
    if kind == "csv":
        answer.writelines(csv_lines(history_table(history, name)))
    else:
        answer.write(picture(SPECS[name](history), kind))
    answer["Content-Disposition"] = f'inline; filename="{name}-by-round.{kind}"'
    return answer
