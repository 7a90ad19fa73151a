"""Approvals and bonuses, as lists for the platform that participants came from."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import BadRequest
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods

from decoding.access import fetch_for
from studies.actions.paying import bulk_lines, dues, lists_so_far, make_pay_list
from studies.models import Participant, PayList
from studies.queries.dashboard import studies_on_page


@login_required
@require_http_methods(["GET", "POST"])
def pay(request: HttpRequest, pk: int) -> HttpResponse:
    """What is due by the study's rules, and a list of it."""
    study = fetch_for(
        request.user, studies_on_page(request.user), edit=request.method == "POST", pk=pk
    )
    if request.method == "POST":
        kind, arrival = request.POST.get("kind", ""), request.POST.get("arrival", "")
        if kind not in PayList.Kind.values or arrival not in Participant.Arrival.values:
            raise BadRequest("Choose approvals or bonuses, and a platform.")
        made = make_pay_list(study, kind, arrival, request.user)
        if made is None:
            messages.info(request, "Nothing is due that does not stand on a list already.")
        return redirect("studies:pay", pk)
    rows = dues(study)
    here = {one.participant.arrival for one in rows}
    return render(
        request,
        "studies/pay.html",
        {
            "study": study,
            "conduct": study.the_conduct,
            "dues": rows,
            "arrivals": [
                (name, words) for name, words in Participant.Arrival.choices if name in here
            ],
            "lists": lists_so_far(study),
        },
    )


@login_required
@require_GET
def pay_file(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """A list, the same whenever it is asked for."""
    study = fetch_for(request.user, studies_on_page(request.user), edit=True, pk=pk)
    found = study.pay_lists.filter(number=number).first()
    if found is None:
        raise Http404("There is no such list.")
    return HttpResponse(
        bulk_lines(found),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="study-{pk}-{found.kind}-{number}.csv"'
        },
    )
