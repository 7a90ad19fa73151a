from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from decoding.access import fetch_for, fetch_own
from decoding.actions.corpora import import_or_ask
from decoding.forms.corpora import CorpusForm
from decoding.models import Corpus, Segment
from decoding.queries.corpora import SegmentsInOrder, corpora_on_page, lists_by_recipe
from decoding.uploads import received
from decoding.views.owned import delete_owned, rights
from evaluation.core.errors import InputError

ON_A_PAGE = 25


@login_required
@require_GET
def corpus_list(request: HttpRequest) -> HttpResponse:
    page = Paginator(corpora_on_page(request.user), ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "decoding/corpora.html", {"page": page})


@login_required
@require_http_methods(["GET", "POST"])
def add_corpus(request: HttpRequest) -> HttpResponse:
    form = CorpusForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        files = [form.cleaned_data["source"], *form.cleaned_data["references"]]
        try:
            with received(*files) as paths:
                segments = form.read_segments(paths)
                corpus_or_job = import_or_ask(segments, owner=request.user, **form.about)
        except InputError as error:
            form.add_error(None, str(error))
        else:
            return redirect(corpus_or_job)
    return render(
        request, "decoding/add_corpus.html", {"form": form}, status=422 if form.errors else 200
    )


@login_required
@require_GET
def corpus_page(request: HttpRequest, pk: int) -> HttpResponse:
    corpus = fetch_for(request.user, Corpus.objects.select_related("owner"), pk=pk)
    segments: Paginator[Segment] = Paginator(SegmentsInOrder(corpus), ON_A_PAGE)
    return render(
        request,
        "decoding/corpus.html",
        {
            "corpus": corpus,
            "facts": {
                "Segments": f"{corpus.segment_count:,}",
                "References": corpus.most_references,
            },
            "page": segments.get_page(request.GET.get("page")),
            "lists": lists_by_recipe(request.user, [corpus]),
            **rights(request.user, corpus),
        },
    )


@login_required
@require_POST
def delete_corpus(request: HttpRequest, pk: int) -> HttpResponse:
    corpus = fetch_own(request.user, Corpus.objects, to="delete", pk=pk)
    return delete_owned(request, corpus, "decoding:corpora")
