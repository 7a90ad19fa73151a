from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.forms import Form
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django_htmx.http import HttpResponseClientRefresh

from decoding.access import fetch_for
from decoding.charts import MEDIA_TYPES
from decoding.uploads import scratch
from evaluation.actions import Source, ask_for_bundle, ask_for_report, keep_file, peek, publish
from evaluation.bundles import write_bundle
from evaluation.core.errors import InputError
from evaluation.core.report.figures import Report
from evaluation.core.report.plain import from_plain, to_plain
from evaluation.core.report.slices import Slice, slice_from
from evaluation.core.report.together import Together, together
from evaluation.drawn import DARK, FORMS, Chart, rendered
from evaluation.forms import BundleForm, SliceForm, UploadForm
from evaluation.gathering import COVARIATES, key_of, slice_key
from evaluation.models import Analysis, JudgmentFile, Peek
from evaluation.queries import analyses_of, files_on_page, newest_analysis, studies_on_page
from evaluation.report_tables import tables, tables_together
from studies.models import Study

ON_A_PAGE = 25
MOST_TOGETHER = 50


@login_required
@require_GET
def report_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(studies_on_page(request.user), ON_A_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "evaluation/reports.html",
        {"page": page, "files": files_on_page(request.user), "form": UploadForm()},
    )


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    return _take_file(request, UploadForm, "evaluation/upload.html", keep_file)


@login_required
@require_http_methods(["GET", "POST"])
def import_bundle(request: HttpRequest) -> HttpResponse:
    return _take_file(request, BundleForm, "evaluation/import.html", ask_for_bundle)


def _take_file(
    request: HttpRequest, kind: type[Form], template: str, keep: Callable[..., Any]
) -> HttpResponse:
    """Show a form with a file; what is wrong with the file stands beside it."""
    form = kind(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(keep(form.cleaned_data["file"], owner=request.user))
        except InputError as error:
            form.add_error("file", str(error))
    return render(request, template, {"form": form}, status=422 if form.errors else 200)


@login_required
@require_GET
def study_report(request: HttpRequest, pk: int) -> HttpResponse:
    study = fetch_for(request.user, Study.objects.select_related("owner", "corpus"), pk=pk)
    if study.is_draft:
        return render(request, "evaluation/nothing.html", {"study": study})
    if _is_hidden(study, request.user):
        return render(request, "evaluation/hidden.html", {"study": study})
    return _show(request, study)


@login_required
@require_GET
def studies_together(request: HttpRequest) -> HttpResponse:
    try:
        studies, cut = _chosen(request), slice_from(request.GET)
        found, missing = _together(studies, cut, request.user)
    except InputError as error:
        address = reverse("evaluation:reports")
        return render(
            request, "evaluation/nothing.html", {"error": error, "address": address}, status=400
        )
    context = {"studies": studies, "missing": missing, "address": request.get_full_path()}
    if found is not None:
        if request.htmx:  # from the page that waited, whose head has no scripts for charts
            return HttpResponseClientRefresh()
        from evaluation.charts.together import charts_together

        query, address = request.GET.urlencode(), reverse("evaluation:together")
        drawn = _drawn(charts_together(found), found.marks, address, f"?{query}")
        context |= {
            "found": found,
            "charts": drawn,
            "tables": tables_together(found),
            "colours": DARK,
            "pages": _pages(studies, cut),
            "json_address": f"{reverse('evaluation:together-json')}?{query}",
        }
    return render(request, "evaluation/together.html", context)


@login_required
@require_GET
def together_figure(request: HttpRequest, name: str, form: str) -> HttpResponse:
    from evaluation.charts.together import charts_together

    return _figure(charts_together(_found_together(request)), name, form)


@login_required
@require_GET
def together_json(request: HttpRequest) -> HttpResponse:
    return _json(to_plain(_found_together(request)))


def _found_together(request: HttpRequest) -> Together:
    """What the page with the same address shows."""
    try:
        found, _ = _together(_chosen(request), slice_from(request.GET), request.user)
    except InputError as error:
        raise Http404(str(error)) from None
    if found is None:
        raise Http404("These reports are not made yet. Open their page first.")
    return found


def _chosen(request: HttpRequest) -> list[Study]:
    """The studies that the address names, if this person may see all their figures now."""
    numbers = dict.fromkeys(request.GET.getlist("study"))
    if not all(number.isdigit() for number in numbers) or len(numbers) > MOST_TOGETHER:
        raise InputError(
            "the address does not name studies",
            hint=f"Choose from two to {MOST_TOGETHER} on the page of reports.",
        )
    visible = Study.objects.visible_to(request.user).filter(pk__in=numbers)
    found = {str(study.pk): study for study in visible.select_related("owner", "corpus")}
    peeked = set(
        Peek.objects.filter(user=request.user, study__in=found).values_list("study", flat=True)
    )
    for number in numbers:
        study = found.get(number)
        if study is None or study.is_draft:
            raise Http404("One of these studies has no report that you may see.")
        if study.state != Study.State.ENDED and study.pk not in peeked:
            raise InputError(
                f"the figures of {study} are hidden until it ends",
                hint="Leave it out, or open its own report and choose to look.",
            )
    return [found[number] for number in numbers]


def _together(
    studies: list[Study], cut: Slice, user: Any
) -> tuple[Together | None, list[tuple[Study, Any]]]:
    """What the studies' kept reports say together, or the jobs that make those that are missing."""
    keys = {study: key_of(study, cut) for study in studies}
    there = analyses_of(keys.values())
    missing = [study for study in studies if keys[study] not in there]
    if missing:
        return None, [(study, ask_for_report(study, cut, owner=user)) for study in missing]
    return together([from_plain(Report, there[keys[study]].report) for study in studies]), []


def _pages(studies: list[Study], cut: Slice) -> dict[str, str]:
    """Where each study's own report is, of the same slice."""
    return {
        study.name: _with(reverse("evaluation:study-report", args=[study.pk]), cut)
        for study in studies
    }


@login_required
@require_GET
def file_report(request: HttpRequest, pk: int) -> HttpResponse:
    return _show(request, fetch_for(request.user, JudgmentFile.objects, pk=pk))


@login_required
@require_POST
def peek_at(request: HttpRequest, pk: int) -> HttpResponse:
    study = fetch_for(request.user, Study.objects, pk=pk)
    peek(study, request.user)
    return redirect("evaluation:study-report", pk)


@login_required
@require_POST
def publish_report(request: HttpRequest, pk: int) -> HttpResponse:
    study = fetch_for(request.user, Study.objects, edit=True, pk=pk)
    analysis = get_object_or_404(Analysis, study=study, pk=request.POST.get("analysis", 0))
    publish(analysis, by=request.user)
    messages.info(request, "This report is kept as it is now, at an address of its own.")
    return redirect("evaluation:published", analysis.code)


@login_required
@require_GET
def published(request: HttpRequest, code: UUID) -> HttpResponse:
    analysis = _published(request, code)
    address = reverse("evaluation:published", args=[code])
    return render(
        request, "evaluation/report.html", _context(analysis, address, "") | {"published": True}
    )


@login_required
@require_GET
def study_figure(request: HttpRequest, pk: int, name: str, form: str) -> HttpResponse:
    return _figure(_charts_of(_current(request, _study(request, pk))), name, form)


@login_required
@require_GET
def file_figure(request: HttpRequest, pk: int, name: str, form: str) -> HttpResponse:
    file = fetch_for(request.user, JudgmentFile.objects, pk=pk)
    return _figure(_charts_of(_current(request, file)), name, form)


@login_required
@require_GET
def published_figure(request: HttpRequest, code: UUID, name: str, form: str) -> HttpResponse:
    return _figure(_charts_of(_published(request, code)), name, form)


@login_required
@require_GET
def study_json(request: HttpRequest, pk: int) -> HttpResponse:
    return _json(_current(request, _study(request, pk)).report)


@login_required
@require_GET
def file_json(request: HttpRequest, pk: int) -> HttpResponse:
    return _json(_current(request, fetch_for(request.user, JudgmentFile.objects, pk=pk)).report)


@login_required
@require_GET
def bundle(request: HttpRequest, pk: int) -> FileResponse:
    """All of a study, for those who may change it: it holds what people wrote."""
    study = fetch_for(request.user, Study.objects, edit=True, pk=pk)
    report = _current(request, _study(request, pk)).report
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        path = Path(folder) / "bundle.zip"
        write_bundle(study, report, path)
        # The open file outlives its name.
        return FileResponse(path.open("rb"), as_attachment=True, filename=f"study-{pk}.zip")


def _study(request: HttpRequest, pk: int) -> Study:
    """A study whose figures this person may see now."""
    study = fetch_for(request.user, Study.objects, pk=pk)
    if study.is_draft or _is_hidden(study, request.user):
        raise Http404("There is no report to see here yet.")
    return study


def _is_hidden(study: Study, user: Any) -> bool:
    """Before its end a study's figures are shown to those who chose to look, and it is noted."""
    if study.state == Study.State.ENDED:
        return False
    return not Peek.objects.filter(study=study, user=user).exists()


def _published(request: HttpRequest, code: UUID) -> Analysis:
    """A published report, for all who may see the study."""
    analysis = get_object_or_404(Analysis, code=code, published_at__isnull=False)
    fetch_for(request.user, Study.objects, pk=analysis.study_id)
    return analysis


def _show(request: HttpRequest, source: Source) -> HttpResponse:
    """The report of the answers as they are now, or the newest there is while it is made."""
    address = source.get_absolute_url() if isinstance(source, JudgmentFile) else reverse(
        "evaluation:study-report", args=[source.pk]
    )  # fmt: skip
    try:
        cut = slice_from(request.GET)
    except InputError as error:
        return render(
            request, "evaluation/nothing.html", {"error": error, "address": address}, status=400
        )
    asked = request.GET.dict()
    if "groups" in asked and asked != cut.as_query():
        # The form names everything; the address says only what differs from the usual.
        return redirect(_with(address, cut))
    analysis = Analysis.objects.filter(key=key_of(source, cut)).first()
    job = None if analysis else ask_for_report(source, cut, owner=request.user)
    shown = analysis or newest_analysis(slice_key(source, cut))
    if request.htmx and request.headers.get("X-Shown") == _shown(shown, job):
        return HttpResponse(status=204)
    context = {"source": source, "job": job, "shown": _shown(shown, job), "live": bool(job)}
    if isinstance(source, Study):
        context["study"] = source
        context["live"] = bool(job) or source.is_running
    if shown is None:
        return render(request, "evaluation/making.html", context | {"address": _with(address, cut)})
    if request.htmx and request.headers.get("X-Shown", "").startswith("0-"):
        # From a page without a report: what a report needs in a page's head is not in that one's.
        return HttpResponseClientRefresh()
    query = urlencode(cut.as_query())
    context |= _context(shown, address, f"?{query}" if query else "")
    return render(
        request,
        "evaluation/report.html#report" if request.htmx else "evaluation/report.html",
        context,
    )


def _shown(analysis: Analysis | None, job: Any) -> str:
    """What tells one state of the page from another."""
    return f"{analysis.pk if analysis else 0}-{job.state if job else 'done'}"


def _with(address: str, cut: Slice) -> str:
    query = urlencode(cut.as_query())
    return f"{address}?{query}" if query else address


def _context(analysis: Analysis, address: str, query: str) -> dict[str, Any]:
    """A kept report as the template shows it."""
    report = from_plain(Report, analysis.report)
    charts = _charts_of(analysis)
    covariates = {name: COVARIATES.get(name, name) for name in report.choices["covariates"]}
    return {
        "analysis": analysis,
        "report": report,
        "tables": tables(report),
        "charts": _drawn(charts, report.marks, address, query),
        "colours": DARK,
        "form": SliceForm(report.cut, report.choices["conditions"], covariates, auto_id="slice-%s"),
        "json_address": f"{address}report.json{query}",
    }


def _drawn(
    charts: Iterable[Chart], marks: tuple[str, ...], address: str, query: str
) -> dict[str, Any]:
    """Charts by name, with what the page shows beside them."""
    return {
        chart.name.replace("-", "_"): {
            "chart": chart,
            "marks": marks,
            "picture": f"{address}figures/{chart.name}.svg{query}",
            "downloads": {
                form.upper(): f"{address}figures/{chart.name}.{form}{query}" for form in FORMS
            },
        }
        for chart in charts
    }


def _current(request: HttpRequest, source: Source) -> Analysis:
    """What the page with the same address shows."""
    try:
        cut = slice_from(request.GET)
    except InputError as error:
        raise Http404(str(error)) from None
    found = Analysis.objects.filter(key=key_of(source, cut)).first()
    found = found or newest_analysis(slice_key(source, cut))
    if found is None:
        raise Http404("This report is not made yet. Open its page first.")
    return found


def _figure(charts: Iterable[Chart], name: str, form: str) -> HttpResponse:
    for chart in charts:
        if form in FORMS and chart.name == name:
            response = HttpResponse(rendered(chart, form), content_type=MEDIA_TYPES[form])
            response["Content-Disposition"] = f'attachment; filename="{name}.{form}"'
            return response
    raise Http404("This report has no such figure.")


def _charts_of(analysis: Analysis) -> list[Chart]:
    return [from_plain(Chart, plain) for plain in analysis.charts]


def _json(report: dict[str, Any]) -> HttpResponse:
    body = json.dumps(report, ensure_ascii=False, indent=1)
    response = HttpResponse(body, content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="report.json"'
    return response
