from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from decoding.access import fetch_for
from decoding.actions.training import ask_for_training
from decoding.forms.training import TrainingForm
from decoding.models import Corpus
from decoding.queries.corpora import source_words
from decoding.training import expected_minutes
from evaluation.core.errors import InputError


@login_required
@require_http_methods(["GET", "POST"])
def train(request: HttpRequest, pk: int) -> HttpResponse:
    """Train a system on a corpus."""
    corpus = fetch_for(request.user, Corpus.objects, pk=pk)
    form = TrainingForm(request.POST or None, user=request.user, corpus=corpus)
    if request.method == "POST" and form.is_valid():
        try:
            job = ask_for_training(corpus, owner=request.user, **form.wanted)
        except InputError as error:
            form.add_error(None, str(error))
        else:
            return redirect(job)
    return render(
        request,
        "decoding/train.html",
        {"form": form, "corpus": corpus, "minutes": expected_minutes(source_words(corpus))},
        status=422 if form.errors else 200,
    )
