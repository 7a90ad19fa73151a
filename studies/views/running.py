"""A study that runs: how far it is, who takes part, what they were shown and gave."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from decoding.access import fetch_for
from decoding.actions.jobs import submit_job
from studies import exports
from studies.actions import participants
from studies.actions.notices import try_again
from studies.actions.running import amend_conduct, pause_study, start_study, stop_study
from studies.arrivals import way_back
from studies.forms import AmendForm, CrowdForm, ExcludeForm, InviteForm
from studies.models import Edit, Judgment, Kind, Participant, Study
from studies.queries.dashboard import (
    dashboard,
    participants_on_page,
    simulated_too,
    studies_on_page,
    tasks_on_page,
)
from studies.views.entering import screening_context, training_context
from studies.views.taking import TELEMETRY, Shown

ROWS_ON_A_PAGE = 50
_CHANGES = {"start": start_study, "pause": pause_study, "stop": stop_study}


def _study(request: HttpRequest, pk: int, *, edit: bool = False) -> Study:
    return fetch_for(request.user, studies_on_page(request.user), edit=edit, pk=pk)


@login_required
@require_GET
def study_page(request: HttpRequest, pk: int) -> HttpResponse:
    """The dashboard; a draft goes on with its design."""
    study = _study(request, pk)
    editable = Study.objects.editable_by(request.user).filter(pk=pk).exists()
    if study.is_draft and editable:
        return redirect("studies:step", study.pk, "design")
    return render(
        request,
        "studies/study.html#panel" if request.htmx else "studies/study.html",
        {
            "study": study,
            "editable": editable,
            "dashboard": dashboard(study),
            "participants": study.participants.exclude(state="invited").count(),
            "simulated": simulated_too(study),
            "link": request.build_absolute_uri(reverse("studies:arrive", args=[study.code])),
            "tables": {name: table.about for name, table in exports.TABLES.items()},
            "crowd": CrowdForm(),
            "previews": previews(study),
            "notices": dict(study.notices.order_by().values_list("state").annotate(n=Count("pk"))),
            "may_share": request.user.is_superuser or study.owner_id == request.user.pk,
        },
    )


@login_required
@require_POST
def change_state(request: HttpRequest, pk: int, change: str) -> HttpResponse:
    study = _study(request, pk, edit=True)
    if change not in _CHANGES:
        raise Http404("A study can be started, paused and stopped.")
    if not _CHANGES[change](study):
        messages.info(request, "The study was in another state already.")
    return redirect(study)


@login_required
@require_http_methods(["GET", "POST"])
def amend(request: HttpRequest, pk: int) -> HttpResponse:
    study = _study(request, pk, edit=True)
    if study.is_draft:
        return redirect("studies:step", study.pk, "conduct")
    form = AmendForm(request.POST or None, study=study)
    if request.method == "POST" and form.is_valid():
        amend_conduct(study, form.conduct, reason=form.reason, author=request.user)
        return redirect("studies:amend", study.pk)
    return render(
        request,
        "studies/amend.html",
        {"study": study, "form": form, "amendments": study.amendments.select_related("author")},
        status=422 if form.errors else 200,
    )


# --- Participants -----------------------------------------------------------------------------


@login_required
@require_GET
def participant_list(request: HttpRequest, pk: int) -> HttpResponse:
    study = _study(request, pk)
    page = Paginator(participants_on_page(study), ROWS_ON_A_PAGE)
    return render(
        request,
        "studies/participants.html#rows" if request.htmx else "studies/participants.html",
        {"study": study, "page": page.get_page(request.GET.get("page")), "invite": InviteForm()},
    )


def _participant(request: HttpRequest, pk: int, pseudonym: str, *, edit: bool = False):
    study = _study(request, pk, edit=edit)
    found = participants_on_page(study).filter(pseudonym=pseudonym).first()
    if found is None:
        raise Http404("Nobody of that name takes part.")
    return study, found


@login_required
@require_http_methods(["GET", "POST"])
def participant_page(request: HttpRequest, pk: int, pseudonym: str) -> HttpResponse:
    """What one person did; excluding them, taking them in again, deleting their data."""
    editing = request.method == "POST"
    study, one = _participant(request, pk, pseudonym, edit=editing)
    form = ExcludeForm(request.POST if request.POST.get("action") == "exclude" else None)
    if editing:
        action = request.POST.get("action")
        if action == "exclude" and form.is_valid():
            participants.exclude(one, form.cleaned_data["reason"])
            return redirect("studies:participant", pk, pseudonym)
        if action == "reinstate":
            participants.reinstate(one)
            return redirect("studies:participant", pk, pseudonym)
        if action == "erase":
            participants.erase(one)
            messages.success(request, "Their data are deleted.")
            return redirect("studies:participants", pk)
    return render(
        request,
        "studies/participant.html",
        {
            "study": study,
            "participant": one,
            "form": form,
            "entry": one.entry_answers.all(),
            "edits": Edit.objects.filter(participant=one).select_related("task__segment"),
            "judgments": Judgment.objects.filter(participant=one).select_related(
                "task__segment", "first", "second"
            ),
        },
        status=422 if form.errors else 200,
    )


@login_required
@require_POST
def invite(request: HttpRequest, pk: int) -> HttpResponse:
    """Invitations, as a file of links."""
    study = _study(request, pk, edit=True)
    form = InviteForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Ask for 1 to 1000 invitations.")
        return redirect("studies:participants", pk)
    start = request.build_absolute_uri(reverse("studies:arrive", args=[study.code]))
    links = [
        f"{start}?invitation={one.identity}\n"
        for one in participants.invite(study, form.cleaned_data["count"])
    ]
    return HttpResponse(
        "".join(links),
        content_type="text/plain; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="study-{pk}-invitations.txt"'},
    )


@login_required
@require_POST
def crowd(request: HttpRequest, pk: int) -> HttpResponse:
    study = _study(request, pk, edit=True)
    form = CrowdForm(request.POST)
    if not form.is_valid():
        messages.error(request, "A crowd has 1 to 2000 people.")
        return redirect(study)
    parameters = {"study": study.pk, "address": request.build_absolute_uri("/").rstrip("/")}
    job = submit_job(
        "simulate-crowd", owner=request.user, parameters=parameters | form.cleaned_data
    )
    return redirect(job)


@login_required
@require_POST
def report_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Send once more what the platform did not take."""
    study = _study(request, pk, edit=True)
    count = try_again(study)
    messages.info(request, f"{count} reports are sent once more.")
    return redirect(study)


# --- Tasks ----------------------------------------------------------------------------------------


@login_required
@require_GET
def task_list(request: HttpRequest, pk: int, kind: str) -> HttpResponse:
    study = _study(request, pk)
    page = Paginator(tasks_on_page(study, _kind(kind)), ROWS_ON_A_PAGE)
    return render(
        request,
        "studies/tasks.html",
        {"study": study, "kind": kind, "page": page.get_page(request.GET.get("page"))},
    )


@login_required
@require_GET
def task_page(request: HttpRequest, pk: int, kind: str, number: int) -> HttpResponse:
    """A task with all that its participants do not see, and every answer to it."""
    study = _study(request, pk)
    task = tasks_on_page(study, _kind(kind)).filter(number=number).first()
    if task is None:
        raise Http404("The plan has no such task.")
    answers = Edit if kind == Kind.EDITING else Judgment
    return render(
        request,
        "studies/task.html",
        {
            "study": study,
            "task": task,
            "slots": task.slots.select_related("participant").order_by("number"),
            "answers": answers._default_manager.filter(task=task).select_related("participant"),
        },
    )


def _kind(kind: str) -> str:
    if kind not in Kind.values:
        raise Http404("Tasks are of EDITING or of EVAL.")
    return kind


@login_required
@require_GET
def preview(request: HttpRequest, pk: int, page: str) -> HttpResponse:
    """A participant's page as they will see it. Nothing is leased, nothing is kept."""
    study = _study(request, pk)
    newest = {row.kind: row for row in study.wordings.order_by("version")}
    context = {
        "study": study,
        "preview": True,
        "participant": Participant(),
        "wording": newest.get("consent"),
        "editing": newest.get("editing"),
        "eval": newest.get("eval"),
        "done": 3,
        "limit": study.the_conduct.tasks_per_participant or None,
    }
    context |= _more_of(study, page)
    template = "done" if page in _OUTCOMES else page.partition("-")[0]
    with translation.override(study.interface or settings.LANGUAGE_CODE):
        return render(request, f"studies/take/{template}.html", context)


# The last pages, by how somebody ended.
_OUTCOMES = ("finished", "left", "screened", "unqualified")


def previews(study: Study) -> dict[str, str]:
    """The pages that participants of a study see, in the order in which they do."""
    entry = study.the_entry
    pages = {"consent": "Consent"}
    if entry.questions:
        pages["screening"] = "Screening"
    pages["instructions"] = "Instructions"
    for number, item in enumerate(entry.items, start=1):
        pages[f"training-{number}"] = f"Training {number}, {Kind(item.kind).label}"
    pages |= {"editing": "EDITING", "eval": "EVAL", "finished": "The end"}
    if entry.questions:
        pages["screened"] = "The end for who is screened out"
    if entry.pass_mark:
        pages["unqualified"] = "The end for who does not pass the training"
    return pages


def _more_of(study: Study, page: str) -> dict[str, object]:
    """What one of the pages shows beyond what all do."""
    if page in ("editing", "eval"):
        return {"task": _example(study, page), "telemetry": TELEMETRY[page]}
    if page == "screening":
        return screening_context(study)
    if page in _OUTCOMES:
        code = study.code_of(page)
        one = Participant(state=page)
        return {"participant": one, "completion_code": code, "back": way_back(study, code)}
    kind, _, number = page.partition("-")
    items = study.the_entry.items
    if kind == "training" and number.isdecimal() and 1 <= int(number) <= len(items):
        return training_context(study, study.the_entry, int(number)) | {"attempt": 1}
    if page not in ("consent", "instructions"):
        raise Http404("There is no such page.")
    return {}


def _example(study: Study, kind: str) -> Shown:
    """The first task of the plan, or invented text before there is one."""
    corpus = study.corpus
    task = study.tasks.filter(kind=kind).order_by("number").first()
    if kind == Kind.EDITING:
        texts = task.texts if task else ["a first translation", "another translation", "a third"]
        return Shown(kind, "", texts, corpus.target_language, corpus.target_direction)
    reference = task.texts[0] if task else "This is a reference."
    texts = ["This is what somebody wrote.", "And this is what somebody else wrote."]
    return Shown(
        kind, "", texts, corpus.target_language, corpus.target_direction, reference=reference
    )


# --- Files ----------------------------------------------------------------------------------------


@login_required
@require_GET
def export(request: HttpRequest, pk: int, name: str, form: str) -> StreamingHttpResponse:
    """One table. With ``?all=1`` also what does not count: late, excluded, simulated."""
    study = _study(request, pk)
    table = exports.TABLES.get(name)
    writers = {
        "csv": (exports.as_csv, "text/csv"),
        "jsonl": (exports.as_json_lines, "application/jsonl"),
    }
    if table is None or form not in writers:
        raise Http404("There is no such file.")
    write, content_type = writers[form]
    everything = request.GET.get("all") == "1"
    mark = "-with-simulated" if everything and simulated_too(study) else ""
    return StreamingHttpResponse(
        write(table, study, everything=everything),
        content_type=f"{content_type}; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="study-{pk}-{name}{mark}.{form}"'},
    )
