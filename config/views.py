from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_GET, require_POST

from config import demonstration, logs
from config.styleguide import samples
from decoding.queries.corpora import corpora_on_page, systems_on_page
from decoding.queries.jobs import jobs_on_page, unfinished
from evaluation.core.errors import VariorumError
from studies.queries.dashboard import studies_on_page


@login_required
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Where a researcher lands: their studies, their systems, what is being worked on."""
    jobs = unfinished(jobs_on_page().visible_to(request.user))
    part = request.htmx and request.htmx.target
    if part == "demonstration":
        return render(request, "home.html#tour", {"tour": demonstration.tour_for(request.user)})
    return render(
        request,
        "home.html#jobs" if request.htmx else "home.html",
        {
            "tour": None if request.htmx else demonstration.tour_for(request.user),
            "studies": studies_on_page(request.user)[:10],
            "systems": systems_on_page(request.user)[:10],
            "corpora": corpora_on_page(request.user)[:10],
            "jobs": jobs[:10],
        },
    )


@login_required
@require_POST
def delete_demonstration(request: HttpRequest) -> HttpResponse:
    """All of it, with what visitors wrote in its studies."""
    if demonstration.tour_for(request.user) is None:
        raise Http404("There is no demonstration here.")
    try:
        demonstration.delete()
    except VariorumError as error:
        messages.error(request, str(error))
    else:
        messages.info(request, "The demonstration is deleted.")
    return redirect("home")


@require_GET
def favicon(request: HttpRequest) -> HttpResponse:
    """Browsers ask for it by this name on pages that name no icon, such as the admin's."""
    return redirect(static("icon.svg"))


@require_GET
def styleguide(request: HttpRequest) -> HttpResponse:
    """All components on one page, for whoever changes or uses them."""
    return render(request, "styleguide.html", samples(request.GET.get("page")))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _error(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _error(request, 403, explanation=str(exception))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _error(
        request,
        403,
        explanation="This form was open too long, or cookies are off. Go back, reload the page "
        "and send it again.",
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return _error(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    return _error(request, 500)


def _error(request: HttpRequest, status: int, explanation: str = "") -> HttpResponse:
    return render(
        request,
        f"{status}.html",
        {"explanation": explanation, "request_id": logs.request_id.get()},
        status=status,
    )
