from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from decoding.access import fetch_for
from decoding.actions.measurements import ask_for_comparison, ask_for_measurement
from decoding.forms.weights import CompareForm, OnCorpusForm
from decoding.models import Comparison, System
from evaluation.core.differences import differences
from evaluation.core.errors import VariorumError


@login_required
@require_POST
def measure(request: HttpRequest, pk: int) -> HttpResponse:
    """BLEU of a system on a corpus."""
    system = fetch_for(request.user, System.objects, pk=pk)
    form = OnCorpusForm(request.POST, user=request.user, system=system)
    if not form.is_valid():
        messages.error(request, "Choose a corpus with references.")
        return redirect(system)
    try:
        job = ask_for_measurement(system, form.cleaned_data["corpus"], owner=request.user)
    except VariorumError as error:
        messages.error(request, str(error))
        return redirect(system)
    return redirect(job)


@login_required
@require_http_methods(["GET", "POST"])
def compare(request: HttpRequest, pk: int) -> HttpResponse:
    """Compare a system with another one."""
    system = fetch_for(request.user, System.objects, pk=pk)
    form = CompareForm(request.POST or None, user=request.user, system=system)
    if request.method == "POST" and form.is_valid():
        try:
            made = ask_for_comparison(system, owner=request.user, **form.cleaned_data)
        except VariorumError as error:
            form.add_error(None, str(error))
        else:
            return redirect(made if made.result else made.job or made)
    return render(
        request,
        "decoding/compare_systems.html",
        {"form": form, "system": system},
        status=422 if form.errors else 200,
    )


@login_required
@require_GET
def comparison(request: HttpRequest, pk: int) -> HttpResponse:
    """Two systems' BLEU, their difference, and the sentences behind it."""
    comparisons = Comparison.objects.select_related("corpus", "first", "second", "job", "owner")
    found = fetch_for(request.user, comparisons, pk=pk)
    groups = [
        (system, [_shown(one) for one in found.result.get(name, ())])
        for system, name in ((found.second, "second_better"), (found.first, "first_better"))
    ]
    return render(
        request,
        "decoding/comparison.html",
        {
            "comparison": found,
            "result": found.result,
            "groups": groups,
            "owned": request.user.is_superuser or found.owner_id == request.user.pk,
        },
    )


def _shown(one: dict) -> dict:
    """A sentence with what each translation has that the other has not."""
    return one | {
        "spans": [
            differences(one["first"], one["second"]),
            differences(one["second"], one["first"]),
        ]
    }
