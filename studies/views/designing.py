"""From a new study to a frozen one."""

from __future__ import annotations

import json

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from decoding.access import fetch_for
from decoding.display import is_lost
from decoding.models import Corpus, System
from evaluation.core.errors import InputError
from studies.actions.planning import (
    copy_study,
    delete_study,
    display_of,
    freeze_study,
    registration,
    sample_of,
)
from studies.core.assignment import expense, fewest_participants
from studies.core.entry import LONGEST_SECONDS, reading_seconds, training_seconds
from studies.forms import (
    ArrivalForm,
    ConditionsForm,
    ConductForm,
    DesignForm,
    EntryForm,
    NewStudyForm,
    WordingsForm,
)
from studies.models import Study
from studies.queries.dashboard import studies_on_page
from studies.queries.planning import line_to_preview
from studies.views.running import previews

STUDIES_ON_A_PAGE = 25
STEPS = {
    "conditions": ("Conditions", ConditionsForm),
    "design": ("Design", DesignForm),
    "entry": ("Screening and training", EntryForm),
    "conduct": ("Time and pay", ConductForm),
    "wordings": ("Texts", WordingsForm),
    "arrival": ("Arrival", ArrivalForm),
}
# What may still be changed once the plan stands; wordings by a new version, conduct by amendment.
OPEN_STEPS = ("wordings", "arrival")
_POWER_STUDIES = 200


@login_required
@require_GET
def study_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(studies_on_page(request.user), STUDIES_ON_A_PAGE)
    return render(request, "studies/studies.html", {"page": page.get_page(request.GET.get("page"))})


@login_required
@require_http_methods(["GET", "POST"])
def new_study(request: HttpRequest) -> HttpResponse:
    """First a corpus (by its id in the address), then the conditions."""
    chosen = request.GET.get("corpus", "")
    if not chosen.isdigit():
        corpora = Corpus.objects.visible_to(request.user).filter(
            lists__isnull=False, most_references__gt=0
        )
        return render(request, "studies/new_corpus.html", {"corpora": corpora.distinct()})
    corpus = fetch_for(request.user, Corpus.objects, pk=chosen)
    form = NewStudyForm(request.POST or None, corpus=corpus, user=request.user)
    if request.method == "POST" and form.is_valid():
        return redirect("studies:step", form.create().pk, "design")
    return render(
        request,
        "studies/new.html",
        {"form": form, "corpus": corpus},
        status=422 if form.errors else 200,
    )


@login_required
@require_http_methods(["GET", "POST"])
def step(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """One step of the wizard; the steps can be taken in any order."""
    study = fetch_for(request.user, Study.objects.select_related("corpus"), edit=True, pk=pk)
    if name not in STEPS or (not study.is_draft and name not in OPEN_STEPS):
        messages.info(request, "The plan stands: this can no longer be changed.")
        return redirect(study)
    title, form_class = STEPS[name]
    form = form_class(request.POST or None, study=study)
    if request.method == "POST" and form.is_valid():
        form.apply(request.user)
        messages.success(request, "Saved.")
        return redirect("studies:step", study.pk, name)
    return render(
        request,
        "studies/step.html",
        {
            "study": study,
            "steps": {key: words for key, (words, _) in STEPS.items()},
            "step": name,
            "title": title,
            "form": form,
            "consequences": _consequences(study, name),
            "previews": previews(study),
        },
        status=422 if form.errors else 200,
    )


@login_required
@require_POST
def follows(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """What would follow from a step as it is filled in; nothing is saved."""
    study = fetch_for(request.user, Study.objects.select_related("corpus"), edit=True, pk=pk)
    if name not in STEPS:
        raise Http404("There is no such step.")
    form = STEPS[name][1](request.POST, study=study)
    problem = ""
    if not form.is_valid():
        problem = " ".join(str(error) for errors in form.errors.values() for error in errors)
    elif hasattr(form, "change"):
        form.change()
    consequences = _consequences(study, name)
    context = {
        "study": study,
        "step": name,
        "previews": previews(study),
        "consequences": consequences | ({"problem": problem} if problem else {}),
        "unsaved": True,
    }
    return render(request, "studies/step.html#follows", context)


def _consequences(study: Study, step: str) -> dict[str, object]:
    """What follows from the design as it is saved, for a step of the wizard."""
    design, conduct = study.the_design, study.the_conduct
    needed = expense(design, conduct)
    found: dict[str, object] = {
        "design": design,
        "people": fewest_participants(design, conduct),
        "hours": round(needed.hours),
        "cost": round(needed.cost),
        "bonuses": round(needed.bonuses),
        "currency": conduct.currency,
    }
    found["readings"] = _readings(study)
    found["longest"] = LONGEST_SECONDS
    if study.is_draft:
        found |= _shown(study) if step == "conduct" else {}
        try:
            sample = sample_of(study)
            found |= {"eligible": sample.eligible, "left_out": sample.left_out}
        except InputError as error:
            found["problem"] = str(error)
    return found


def _shown(study: Study) -> dict[str, object]:
    """A line of the lists, as it was decoded and as participants would read it."""
    line = line_to_preview(study)
    shown = display_of(study.the_conduct).show(line, study.corpus.target_language)
    return {"decoded": line, "shown": shown, "is_lost": is_lost(line, shown)} if line else {}


def _readings(study: Study) -> dict[str, int]:
    """How many seconds each of the texts before the first task takes."""
    newest = {row.kind: row.text for row in study.wordings.order_by("version")}
    found = {
        "Consent": reading_seconds(newest.get("consent", "")),
        "Instructions": reading_seconds(newest.get("editing", ""), newest.get("eval", "")),
    }
    entry = study.the_entry
    return found | ({"Training": training_seconds(entry.items)} if entry.items else {})


@login_required
@require_GET
def power(request: HttpRequest, pk: int) -> HttpResponse:
    """How likely a difference of so many points would be found, by simulating the study."""
    from evaluation.core.statistics.planning import power as power_of
    from evaluation.core.statistics.simulation import Assumptions
    from evaluation.core.statistics.simulation import Design as Size

    study = fetch_for(request.user, Study.objects, pk=pk)
    design = study.the_design
    sizes = {
        name: _whole(request.GET.get(parameter, ""), getattr(design, parameter))
        for name, parameter in (
            ("sentences", "sample_size"), ("draws", "draws"), ("judges", "judges"),
            ("pairs", "pairs_per_comparison"),
        )
    }  # fmt: skip
    every = sizes["draws"] ** 2
    sizes["pairs"] = min(sizes["pairs"] or every, every)
    found = [
        (
            points,
            power_of(
                Size(**sizes),
                # Agreement and likeness as studies of this kind show them.
                Assumptions(
                    first=0.36 + points / 200,
                    second=0.36 - points / 200,
                    agreement=0.5,
                    likeness=0.42,
                ),
                seed=design.seed,
                studies=_POWER_STUDIES,
            ).power,
        )
        for points in (4, 8, 12)
    ]
    context = {"study": study, "found": found, "sizes": sizes}
    return render(request, "studies/power.html", context)


def _whole(text: str, otherwise: int | None) -> int | None:
    """A number of a form that is being filled in, if it is one that can be simulated."""
    return int(text) if text.isascii() and text.isdigit() and 1 <= int(text) <= 2000 else otherwise


@login_required
@require_POST
def copy(request: HttpRequest, pk: int) -> HttpResponse:
    """A draft of one's own with the same decisions."""
    study = fetch_for(request.user, Study.objects.select_related("corpus"), pk=pk)
    # A study needs its corpus and systems, so who may not use them cannot have a copy.
    fetch_for(request.user, Corpus.objects, pk=study.corpus_id)
    for one in study.conditions.all():
        fetch_for(request.user, System.objects, pk=one.system_id)
    return redirect("studies:step", copy_study(study, request.user).pk, "design")


@login_required
@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    study = fetch_for(request.user, Study.objects, edit=True, pk=pk)
    try:
        delete_study(study)
    except InputError as error:
        messages.error(request, str(error))
        return redirect(study)
    messages.info(request, f"{study} is deleted.")
    return redirect("studies:studies")


@login_required
@require_POST
def freeze(request: HttpRequest, pk: int) -> HttpResponse:
    study = fetch_for(request.user, Study.objects.select_related("corpus"), edit=True, pk=pk)
    try:
        freeze_study(study)
    except InputError as error:
        messages.error(request, str(error))
        return redirect("studies:step", study.pk, "design")
    return redirect(study)


@login_required
@require_GET
def registration_file(request: HttpRequest, pk: int) -> HttpResponse:
    """What can be registered before the study begins."""
    study = fetch_for(request.user, Study.objects.select_related("corpus"), pk=pk)
    try:
        content = registration(study)
    except InputError as error:
        messages.error(request, str(error))
        return redirect(study)
    return HttpResponse(
        json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n",
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="study-{study.pk}-plan.json"'},
    )
