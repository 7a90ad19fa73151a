"""What corpora and systems have in common: they are edited and deleted alike."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from decoding.access import fetch_for, is_own
from decoding.actions.deletion import delete_or_ask
from decoding.actions.describing import describe
from decoding.forms.describing import CorpusAboutForm, SystemAboutForm
from decoding.models import Corpus, System
from decoding.models.ownership import User
from decoding.queries.deletion import goes_with, needed_by
from evaluation.core.errors import InputError, VariorumError

_FORMS = {Corpus: CorpusAboutForm, System: SystemAboutForm}


@login_required
@require_http_methods(["GET", "POST"])
def edit(request: HttpRequest, model: type[Corpus | System], pk: int) -> HttpResponse:
    """What is said about a corpus or a system."""
    owned = fetch_for(request.user, model.objects.select_related("owner"), edit=True, pk=pk)
    title = str(owned)
    form = _FORMS[model](request.POST or None, instance=owned)
    if request.method == "POST" and form.is_valid():
        try:
            describe(owned, **form.cleaned_data)
        except InputError as error:
            form.add_error("name", str(error))
        else:
            messages.info(request, "It is changed.")
            return redirect(owned)
    return render(
        request,
        "decoding/edit.html",
        {"form": form, "owned": owned, "title": title, "is_corpus": model is Corpus},
        status=422 if form.errors else 200,
    )


def delete_owned(request: HttpRequest, owned: Corpus | System, after: str) -> HttpResponse:
    """Delete it now or by a job; ``after`` is the address of what is left then."""
    try:
        job = delete_or_ask(owned, by=request.user)
    except VariorumError as error:
        messages.error(request, str(error))
        return redirect(owned)
    if job is not None:
        return redirect(job)
    messages.info(request, f"{owned} is deleted.")
    return redirect(after)


def rights(user: User, owned: Corpus | System) -> dict[str, Any]:
    """What the user can do with it, and what a deletion would mean, for its page."""
    if not is_own(user, owned):
        editable = type(owned).objects.editable_by(user).filter(pk=owned.pk).exists()
        return {"editable": editable, "owned": False}
    needed = needed_by(owned, user)
    return {
        "editable": True,
        "owned": True,
        "needed_by": needed,
        "goes_with": [] if needed else goes_with(owned),
    }
