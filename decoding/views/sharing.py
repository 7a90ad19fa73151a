from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from decoding.access import fetch_own
from decoding.actions.sharing import share_with, stop_share
from decoding.forms.sharing import ShareForm
from decoding.models import Owned
from decoding.queries.sharing import shareable, shares_of


@login_required
@require_http_methods(["GET", "POST"])
def share_page(request: HttpRequest, kind: str, pk: int) -> HttpResponse:
    owned = _own(request, kind, pk)
    form = ShareForm(request.POST or None, owner=owned.owner)
    if request.method == "POST" and form.is_valid():
        share_with(owned, user=form.cleaned_data["user"], role=form.cleaned_data["role"])
        return redirect("decoding:share", kind, pk)
    return render(
        request,
        "decoding/share.html",
        {"owned": owned, "kind": kind, "shares": shares_of(owned), "form": form},
        status=422 if form.errors else 200,
    )


@login_required
@require_POST
def stop_sharing(request: HttpRequest, kind: str, pk: int, share: int) -> HttpResponse:
    stop_share(_own(request, kind, pk), share)
    return redirect("decoding:share", kind, pk)


def _own(request: HttpRequest, kind: str, pk: int) -> Owned:
    """The object, for its owner or an administrator: nobody passes on what they were lent."""
    model = shareable().get(kind)
    if model is None:
        raise Http404("There is nothing of that kind to share.")
    return fetch_own(request.user, model.objects, to="share", pk=pk)
