from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from decoding.access import fetch_for, fetch_own
from decoding.actions.imports import ask_for_import, ask_for_import_of_path
from decoding.actions.lists import ask_for_lists
from decoding.actions.systems import add_external_system, add_pool
from decoding.cards import about_system, origins, training_facts
from decoding.forms.lists import MakeListsForm
from decoding.forms.systems import MosesForm, PoolForm, SystemForm
from decoding.forms.weights import OnCorpusForm
from decoding.models import Corpus, System
from decoding.queries.corpora import corpora_with_lists, lists_by_recipe, systems_on_page
from decoding.uploads import received
from decoding.views.owned import delete_owned, rights
from decoding.views.weights import history_context
from evaluation.core.errors import InputError, VariorumError

ON_A_PAGE = 25


@login_required
@require_GET
def system_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(systems_on_page(request.user), ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "decoding/systems.html", {"page": page})


@login_required
@require_http_methods(["GET", "POST"])
def add_external(request: HttpRequest) -> HttpResponse:
    form = SystemForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            system = add_external_system(owner=request.user, **form.about)
        except InputError as error:
            form.add_error("name", str(error))
        else:
            return redirect("decoding:upload", system.pk)
    return render(
        request, "decoding/add_external.html", {"form": form}, status=422 if form.errors else 200
    )


@login_required
@require_http_methods(["GET", "POST"])
def add_moses(request: HttpRequest) -> HttpResponse:
    form = MosesForm(request.POST or None, request.FILES or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            if said.get("path"):
                job = ask_for_import_of_path(said["path"], owner=request.user, **form.about)
            else:
                job = ask_for_import(
                    said["archive"], said["moses_ini"], owner=request.user, **form.about
                )
        except InputError as error:
            form.add_error(None, str(error))
        else:
            return redirect(job)
    return render(
        request, "decoding/add_moses.html", {"form": form}, status=422 if form.errors else 200
    )


@login_required
@require_http_methods(["GET", "POST"])
def upload(request: HttpRequest, pk: int) -> HttpResponse:
    """An external system's translations of a corpus."""
    system = fetch_for(request.user, System.objects, edit=True, pk=pk)
    form = PoolForm(request.POST or None, request.FILES or None, user=request.user, system=system)
    if request.method == "POST" and form.is_valid():
        files = form.cleaned_data["files"]
        try:
            with received(*files) as paths:
                add_pool(
                    system, form.cleaned_data["corpus"], form.read_lists(paths), name=files[0].name
                )
        except InputError as error:
            form.add_error(None, str(error))
        else:
            return redirect("decoding:make-lists", system.pk)
    return render(
        request,
        "decoding/upload.html",
        {"form": form, "system": system},
        status=422 if form.errors else 200,
    )


@login_required
@require_GET
def system_page(request: HttpRequest, pk: int) -> HttpResponse:
    system = fetch_for(request.user, System.objects.select_related("owner"), pk=pk)
    visible = Corpus.objects.visible_to(request.user)
    return render(
        request,
        "decoding/system.html",
        {
            "system": system,
            "facts": about_system(system),
            "origins": origins(system.card.get("provenance", {})),
            "training": training_facts(system.card.get("training", {})),
            "history": history_context(
                system.card.get("tuning", {}), "decoding:system-history", system.pk
            ),
            "measurements": system.measurements.select_related("corpus").filter(corpus__in=visible),
            "measure_form": OnCorpusForm(user=request.user, system=system),
            "pools": system.pools.select_related("corpus").filter(corpus__in=visible),
            "lists": lists_by_recipe(
                request.user, corpora_with_lists(request.user, system), system
            ),
            **rights(request.user, system),
        },
    )


@login_required
@require_http_methods(["GET", "POST"])
def make_lists(request: HttpRequest, pk: int) -> HttpResponse:
    system = fetch_for(request.user, System.objects, pk=pk)
    form = MakeListsForm(request.POST or None, user=request.user, system=system)
    if request.method == "POST" and form.is_valid():
        try:
            job = ask_for_lists(
                form.cleaned_data["corpus"],
                system,
                form.cleaned_data["recipes"],
                owner=request.user,
                segments=form.segments,
            )
        except VariorumError as error:
            form.add_error(None, str(error))
        else:
            return redirect(job)
    return render(
        request,
        "decoding/make_lists.html",
        {"form": form, "system": system},
        status=422 if form.errors else 200,
    )


@login_required
@require_POST
def delete_system(request: HttpRequest, pk: int) -> HttpResponse:
    system = fetch_own(request.user, System.objects, to="delete", pk=pk)
    return delete_owned(request, system, "decoding:systems")
