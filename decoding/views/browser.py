from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET

from decoding.access import fetch_for
from decoding.beside import Beside, Side
from decoding.display import Display
from decoding.exporting import KINDS, MEDIA_TYPES, exported, file_name, packed
from decoding.forms.browser import SideBySideForm
from decoding.models import Corpus, Job, ListPair, RecipeVersion, System
from decoding.queries.browser import (
    SideBySide,
    compared_versions,
    lists_with_entries,
    pairs_between,
    place_of,
    quartile_of,
    remembered_bounds,
    remembered_count,
)
from decoding.queries.corpora import corpora_with_lists, lists_by_recipe

ON_A_PAGE = 25
_KEPT = ("baseline", "other", "display")  # of what is said, on the way to a segment


@login_required
@require_GET
def all_lists(request: HttpRequest) -> HttpResponse:
    """Which lists there are, some corpora at a time."""
    corpora = corpora_with_lists(request.user)
    page = Paginator(corpora, ON_A_PAGE).get_page(request.GET.get("page"))
    lists = lists_by_recipe(request.user, page)
    return render(request, "decoding/lists.html", {"page": page, "lists": lists})


@login_required
@require_GET
def browse(request: HttpRequest, corpus: int, system: int) -> HttpResponse:
    """The segments of a comparison, a page at a time."""
    form, wanted = _wanted(request, corpus, system)
    page: Page[ListPair] = Paginator(_Places(wanted), ON_A_PAGE).get_page(request.GET.get("page"))
    bounds = remembered_bounds(wanted)
    rows = [
        (place, pair, _quartile(bounds, pair))
        for place, pair in enumerate(page, start=page.start_index())
    ]
    return render(
        request,
        "decoding/browse.html#table" if request.htmx else "decoding/browse.html",
        {"form": form, "wanted": wanted, "page": page, "rows": rows, "kinds": KINDS},
    )


@login_required
@require_GET
def compare(request: HttpRequest, corpus: int, system: int, place: int) -> HttpResponse:
    """Two lists of the segment at that place (from 1) among those wanted, side by side."""
    form, wanted = _wanted(request, corpus, system)
    if place > wanted.corpus.segment_count:  # maybe by more than a database can count
        raise Http404("There is no such segment among those wanted.")
    count = remembered_count(wanted)
    found = pairs_between(wanted, max(0, place - 1), place)
    pair = found.prefetch_related("segment__references").first()
    if pair is None:
        raise Http404("There is no such segment among those wanted.")
    return render(
        request,
        "decoding/compare.html",
        {
            "form": form,
            "wanted": wanted,
            "pair": pair,
            "quartile": _quartile(remembered_bounds(wanted), pair),
            "beside": _beside(request, wanted, pair, form.shown_as),
            "place": place,
            "count": count,
            "before": place - 1,
            "after": place + 1 if place < count else 0,
            "page_of_place": (place - 1) // ON_A_PAGE + 1,
        },
    )


@login_required
@require_GET
def go_to(request: HttpRequest, corpus: int, system: int) -> HttpResponse:
    """To a segment by its number, among all segments in their order."""
    _, wanted = _wanted(request, corpus, system)
    everything = replace(wanted, sort="segment", quartile=0, gain="", length="")
    asked = request.GET.get("number", "")
    # Behind the last there is none: whoever asks for one gets the last.
    number = int(asked[:10]) if asked.isdecimal() else 1
    place = min(place_of(everything, number), remembered_count(everything))
    said = {name: request.GET[name] for name in _KEPT if name in request.GET}
    address = reverse("decoding:compare", args=[corpus, system, max(1, place)])
    return redirect(f"{address}?{urlencode(said)}" if said else address)


@login_required
@require_GET
def download(
    request: HttpRequest, corpus: int, system: int, version: int, kind: str
) -> StreamingHttpResponse:
    """All lists of a corpus by a recipe version, as a file."""
    of, by, versions = _fetch(request, corpus, system)
    wanted = {one.pk: one for one in versions}.get(version)
    if wanted is None or kind not in MEDIA_TYPES:
        raise Http404("There is no such file.")
    texts = exported(of, by, wanted, kind)
    name = file_name(of, by, wanted, kind)
    return StreamingHttpResponse(
        packed(texts) if kind.endswith(".gz") else texts,
        content_type=MEDIA_TYPES[kind],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


class _Places:
    """What is wanted, as a paginator wants it: counted and cut into slices."""

    def __init__(self, wanted: SideBySide) -> None:
        self.wanted = wanted

    def __len__(self) -> int:
        return remembered_count(self.wanted)

    def __getitem__(self, places: slice) -> list[ListPair]:
        return list(pairs_between(self.wanted, places.start, places.stop))


def _beside(request: HttpRequest, wanted: SideBySide, pair: ListPair, display: Display) -> Beside:
    lists = lists_with_entries([pair.baseline_id, pair.other_id])
    jobs = Job.objects.visible_to(request.user).in_bulk({made.job_id for made in lists.values()})
    baseline, other = (
        Side(
            made.recipe_version,
            entries := list(made.entries.all()),
            bleu1=[entry.bleu1 for entry in entries],
            coverage=made.coverage,
            oracle=made.oracle_bleu1,
            made=made,
            job=jobs.get(made.job_id),
        )
        for made in (lists[pair.baseline_id], lists[pair.other_id])
    )
    corpus = wanted.corpus
    return Beside(
        baseline,
        other,
        lambda text: display.show(text, corpus.target_language),
        corpus.target_language,
        corpus.target_direction,
    )


def _wanted(request: HttpRequest, corpus: int, system: int) -> tuple[SideBySideForm, SideBySide]:
    of, by, versions = _fetch(request, corpus, system)
    form = SideBySideForm(request.GET, versions=versions, system=by)
    return form, form.side_by_side(of, by)


def _fetch(
    request: HttpRequest, corpus: int, system: int
) -> tuple[Corpus, System, list[RecipeVersion]]:
    """What the lists are of and by, and the recipe versions of which there are any."""
    of = fetch_for(request.user, Corpus.objects, pk=corpus)
    by = fetch_for(request.user, System.objects.defer("card"), pk=system)
    versions = compared_versions(of, by)
    if not versions:
        raise Http404("There are no lists of this corpus by this system.")
    return of, by, versions


def _quartile(bounds: list[tuple[float, int] | None], pair: ListPair) -> int | None:
    return None if pair.bleu1 is None else quartile_of(bounds, pair.bleu1, pair.segment_id)
