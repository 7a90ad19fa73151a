from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from decoding.access import fetch_for
from decoding.actions.jobs import cancel_job, retry_job, submit_job
from decoding.actions.lists import ask_again
from decoding.forms.jobs import SelfTestForm
from decoding.models import Job
from decoding.queries.asked import OUT_OF_SIGHT, asked_with, is_out_of_sight
from decoding.queries.jobs import (
    failures_on_page,
    jobs_on_page,
    outcome_of,
    result_of,
    unfinished,
)
from evaluation.core.errors import VariorumError

JOBS_ON_A_PAGE = 25


@login_required
@require_GET
def job_list(request: HttpRequest) -> HttpResponse:
    jobs = jobs_on_page().visible_to(request.user)
    page = Paginator(jobs, JOBS_ON_A_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "decoding/jobs.html#table" if request.htmx else "decoding/jobs.html",
        {
            "page": page,
            "refresh": any(not job.is_finished for job in page),
            "unfinished": unfinished(jobs).count(),
            "self_test": SelfTestForm(),
        },
    )


@login_required
@require_GET
def job_page(request: HttpRequest, pk: int) -> HttpResponse:
    jobs = Job.objects.select_related("owner")
    if request.htmx:  # every second: without what the panel shows of few jobs, or never
        jobs = jobs.defer("parameters", "result", "traceback")
    return _show(request, fetch_for(request.user, jobs, pk=pk))


@login_required
@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    job = fetch_for(request.user, Job.objects, edit=True, pk=pk)
    if not cancel_job(job):
        messages.info(request, "The job had ended already.")
    return _answer(request, job)


@login_required
@require_POST
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    job = fetch_for(request.user, Job.objects, edit=True, pk=pk)
    if is_out_of_sight(job):
        messages.error(request, OUT_OF_SIGHT)
    elif not retry_job(job):
        messages.info(request, "The job is queued or running already.")
    return _answer(request, job)


@login_required
@require_POST
def again(request: HttpRequest, pk: int) -> HttpResponse:
    """Make the lists that a job could not make, by a new job."""
    job = fetch_for(request.user, Job.objects, edit=True, pk=pk, kind="make-lists")
    try:
        return redirect(ask_again(job, owner=request.user))
    except VariorumError as error:
        messages.error(request, str(error))
        return redirect(job)


@login_required
@require_POST
def self_test(request: HttpRequest) -> HttpResponse:
    form = SelfTestForm(request.POST)
    if not form.is_valid():
        return render(request, "decoding/self_test.html", {"form": form}, status=422)
    return redirect(submit_job("self-test", owner=request.user, parameters=form.cleaned_data))


def _answer(request: HttpRequest, job: Job) -> HttpResponse:
    """After a change: the fresh panel for htmx, the page for a browser without it."""
    if not request.htmx:
        return redirect(job)
    job.refresh_from_db()
    return _show(request, job)


def _show(request: HttpRequest, job: Job) -> HttpResponse:
    editable = Job.objects.editable_by(request.user).filter(pk=job.pk).exists()
    return render(
        request,
        "decoding/job.html#panel" if request.htmx else "decoding/job.html",
        {
            "job": job,
            "editable": editable,
            "outcome": outcome_of(job),
            "asked": [] if request.htmx else asked_with(job, request.user),
            "result": result_of(job),
            "failed": failures_on_page(job),
            "may_share": request.user.is_superuser or job.owner_id == request.user.pk,
        },
    )
