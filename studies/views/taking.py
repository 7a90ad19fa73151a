"""What participants see. Nothing here may tell which condition, system or rank a text is of."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from evaluation.core.errors import InputError
from studies.actions import participants
from studies.actions.checks import answer_check, check_for
from studies.actions.entry import gate
from studies.actions.handing_out import (
    NotNow,
    Receipt,
    Telemetry,
    edits_of,
    last_judgment,
    lease_next,
    may_undo,
    pass_task,
    revise_judgment,
    save_draft,
    submit_edit,
    submit_judgment,
    tasks_done,
)
from studies.arrivals import carried, identity_of, is_simulation, way_back
from studies.models import Assignment, Check, Judgment, Kind, Participant, Study
from studies.queries.participants import by_token
from studies.queries.slots import open_or_coming

COOKIE = "take"
_COOKIE_SECONDS = 90 * 24 * 3600
# The fields of a form that its script fills with counts.
TELEMETRY = {
    "editing": ("active", "pauses", "blurs", "keys", "deletions", "pastes", "pasted", "copied"),
    "eval": ("active", "pauses", "blurs"),
}
P = ParamSpec("P")
State = Participant.State


@dataclass(frozen=True, slots=True)
class Shown:
    """A task as the page shows it, and nothing of where it comes from."""

    kind: str
    key: uuid.UUID
    texts: list[str]  # EDITING: the translations; EVAL: A and B
    language: str
    direction: str
    reference: str = ""
    draft: str = ""


# --- Who is asking ------------------------------------------------------------------------------


def _study(code: str) -> Study:
    study = (
        Study.objects.select_related("corpus")
        .defer("plan")
        .filter(code=code)
        .exclude(state=Study.State.DRAFT)
        .first()
    )
    if study is None:
        raise Http404("There is no study here.")
    return study


def _known(request: HttpRequest, code: str) -> Participant | None:
    token = request.COOKIES.get(COOKIE, "")
    if not token:
        return None
    return by_token(participants.hash_token(token), code)


def speaking(view: Callable[P, HttpResponse]) -> Callable[P, HttpResponse]:
    """Whatever language the page finds out that it speaks, the next page finds its own."""

    @wraps(view)
    def spoken(*args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        with translation.override(settings.LANGUAGE_CODE):
            return view(*args, **kwargs)

    return spoken


def _speak(request: HttpRequest, study: Study) -> None:
    """The study's language, or the one that the browser asks for."""
    translation.activate(study.interface or translation.get_language_from_request(request))


def taking_part(
    view: Callable[Concatenate[HttpRequest, Participant, P], HttpResponse],
) -> Callable[Concatenate[HttpRequest, str, P], HttpResponse]:
    """For who has agreed, in the browser in which they are; everybody else begins at the start."""

    @never_cache
    @speaking
    @wraps(view)
    def guarded(request: HttpRequest, code: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        participant = _known(request, code)
        study = participant.study if participant else _study(code)
        _speak(request, study)
        if participant is None:
            return _say(
                request,
                study,
                _("You are not signed in to this study"),
                _(
                    "You may have gone on in another browser, or cookies are off. Open the link "
                    "to the study again."
                ),
                status=403,
            )
        if participant.state in (State.ARRIVED, State.INVITED):
            return redirect("studies:arrive", code)
        try:
            return view(request, participant, *args, **kwargs)
        except InputError as error:
            return _say(
                request, participant.study, _("That did not work"), said(error), status=409, on=True
            )

    return guarded


def said(error: InputError) -> str:
    """An error's sentences in the language of the page: the catalogue has those of participants."""
    parts = [_(error.problem), _(error.hint) if error.hint else ""]
    return " ".join(f"{part[:1].upper()}{part[1:].rstrip('.')}." for part in parts if part)


def _say(
    request: HttpRequest,
    study: Study,
    title: str,
    text: str,
    *,
    status: int = 200,
    on: bool = False,
) -> HttpResponse:
    """A page that says one thing; with ``on``, it leads on to the next task."""
    context = {"study": study, "heading": title, "text": text, "on": on}
    return render(request, "studies/take/say.html", context, status=status)


# --- Coming ---------------------------------------------------------------------------------------


@never_cache
@require_GET
@speaking
def arrive(request: HttpRequest, code: str) -> HttpResponse:
    """What the study is about, and the question whether to take part. Nothing is stored yet."""
    study = _study(code)
    _speak(request, study)
    if study.state in (Study.State.FROZEN, Study.State.ENDED):
        return _not_running(request, study)
    try:
        identity = identity_of(study, request.GET, here=_door(request, code))
    except InputError as error:
        return _say(request, study, _("You cannot take part by this link"), said(error), status=403)
    here = _known(request, code)
    if here is not None and here.state not in (State.ARRIVED, State.INVITED):
        same = (here.arrival, here.identity) == (identity.arrival, identity.name)
        if same:
            return redirect("studies:task", code)
    if not study.is_running:
        return _not_running(request, study)
    return render(
        request,
        "studies/take/consent.html",
        {
            "study": study,
            "wording": _wording(study, "consent"),
            "query": carried(study, identity, request.GET),
        },
    )


def _door(request: HttpRequest, code: str) -> str:
    return request.build_absolute_uri(reverse("studies:arrive", args=[code]))


def _not_running(request: HttpRequest, study: Study) -> HttpResponse:
    words = {
        Study.State.FROZEN: (_("This study has not begun"), _("Come back later.")),
        Study.State.PAUSED: (_("This study pauses"), _("Come back later: it will go on.")),
        Study.State.ENDED: (_("This study has ended"), _("Thank you for your interest.")),
    }
    return _say(request, study, *words[Study.State(study.state)])


def _wording(study: Study, kind: str):
    return study.wordings.filter(kind=kind).order_by("-version").first()


@never_cache
@require_POST
@speaking
def consent(request: HttpRequest, code: str) -> HttpResponse:
    """They agree: from here on there is a participant."""
    study = _study(code)
    _speak(request, study)
    if not study.is_running:
        return _not_running(request, study)
    try:
        identity = identity_of(study, request.GET, here=_door(request, code))
        arrived = participants.arrive(
            study,
            identity,
            request.COOKIES.get(COOKIE, ""),
            is_simulated=is_simulation(study, request.GET),
        )
        if arrived is None:
            if request.POST.get("move") != "yes":
                context = {"study": study, "query": request.GET.urlencode()}
                return render(request, "studies/take/move.html", context)
            arrived = participants.move_here(participants.known_as(study, identity))
    except InputError as error:
        return _say(request, study, _("You cannot take part by this link"), said(error), status=403)
    participant, token = arrived
    wording = _wording(study, "consent")
    participants.consent(participant, wording.version if wording else 0)
    participant.refresh_from_db()
    answer = redirect(f"studies:{gate(participant) or 'task'}", code)
    answer.set_cookie(
        COOKIE,
        token,
        max_age=_COOKIE_SECONDS,
        path=f"/take/{code}/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return answer


@require_http_methods(["GET", "POST"])
@taking_part
def instructions(request: HttpRequest, participant: Participant) -> HttpResponse:
    study = participant.study
    texts = {kind: _wording(study, kind) for kind in ("editing", "eval")}
    if request.method == "POST":
        participants.instruct(
            participant, {kind: text.version for kind, text in texts.items() if text}
        )
        participant.refresh_from_db(fields=["instructed_at"])
        return redirect(f"studies:{gate(participant) or 'task'}", study.code)
    if gate(participant) == "screening":
        return redirect("studies:screening", study.code)
    context = {"study": study, "participant": participant, **texts}
    return render(request, "studies/take/instructions.html", context)


# --- Working ------------------------------------------------------------------------------------


@require_http_methods(["GET", "POST"])
@taking_part
def task(request: HttpRequest, participant: Participant) -> HttpResponse:
    """The task in hand. A POST answers it; scripts get the next one at once, in one round trip."""
    if request.method == "GET":
        return _next(request, participant)
    key = _key(request.POST.get("key", ""))
    if "copy" in request.POST:
        _copy(request, participant, key)
    else:
        try:
            _submit(request, participant, key)
        except NotNow:
            raise
        except InputError as error:
            return _next(request, participant, problem=said(error), text=request.POST.get("text"))
    if _by_script(request):
        return _next(request, participant)
    return redirect("studies:task", participant.study.code)


def _by_script(request: HttpRequest) -> bool:
    return request.headers.get("X-Take") == "script"


def _key(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise NotNow("this form is not complete", hint="Reload the page.") from None


def _submit(request: HttpRequest, participant: Participant, key: uuid.UUID) -> Receipt:
    telemetry = _telemetry(request)
    match request.POST.get("action"):
        case "pass":
            return pass_task(participant.pk, key, telemetry)
        case "a" | "b" | "same" as choice:
            if participant.study.the_conduct.check_every and answer_check(
                participant.pk, key, choice
            ):
                return Receipt("counted")
            return submit_judgment(participant.pk, key, choice, telemetry)
        case _:
            return submit_edit(participant.pk, key, request.POST.get("text", ""), telemetry)


def _telemetry(request: HttpRequest) -> Telemetry:
    """What the browser counted, as far as it makes sense: it comes from outside."""

    def count(name: str) -> int | None:
        text = request.POST.get(name, "")
        return min(int(text), 1_000_000) if text.isascii() and text.isdigit() else None

    active = count("active")
    return Telemetry(
        active_seconds=None if active is None else active / 1000,
        pauses=count("pauses"),
        focus_losses=count("blurs"),
        keystrokes=count("keys"),
        deletions=count("deletions"),
        pastes=count("pastes"),
        pasted_characters=count("pasted"),
        copied_from=min(copied, 100) if (copied := count("copied")) else None,
        saw_differences=request.POST.get("differences") == "1",
    )


def _copy(request: HttpRequest, participant: Participant, key: uuid.UUID) -> None:
    """Without scripts: a translation is taken as a start by the server."""
    held = Assignment.objects.select_related("task").filter(
        key=key, participant=participant, kind=Kind.EDITING
    )
    place = request.POST["copy"]
    for assignment in held:
        if place.isdigit() and 1 <= int(place) <= len(assignment.task.texts):
            save_draft(participant.pk, key, assignment.task.texts[int(place) - 1])


def _next(
    request: HttpRequest, participant: Participant, problem: str = "", text: str | None = None
) -> HttpResponse:
    study = participant.study
    before = gate(participant)
    if before:
        return redirect(f"studies:{before}", study.code)
    check = check_for(participant)
    if check is not None:
        return _show(request, participant, _shown_check(check, study))
    try:
        assignment = lease_next(participant.pk)
    except NotNow as error:
        return _over(request, participant, error)
    if assignment is None:
        return _nothing(request, participant)
    shown = _shown(assignment, study)
    if shown is None:
        raise NotNow("this task is no longer there", hint="Go on to the next one.")
    if text is not None:
        shown = replace(shown, draft=text[:4000])
    return _show(request, participant, shown, problem)


def _show(
    request: HttpRequest, participant: Participant, shown: Shown, problem: str = ""
) -> HttpResponse:
    study = participant.study
    return render(
        request,
        f"studies/take/{shown.kind}.html",
        {
            "study": study,
            "task": shown,
            "done": tasks_done(participant),
            "limit": study.the_conduct.tasks_per_participant or None,
            "telemetry": TELEMETRY[shown.kind],
            "problem": problem,
            "differences": _differences(shown) if "differences" in request.GET else None,
            "may_undo": shown.kind == Kind.EVAL and may_undo(participant),
        },
        status=422 if problem else 200,
    )


def _shown(assignment: Assignment, study: Study) -> Shown | None:
    task = assignment.task
    corpus = study.corpus
    whole = {"language": corpus.target_language, "direction": corpus.target_direction}
    if assignment.kind == Kind.EDITING:
        return Shown(
            Kind.EDITING.value, assignment.key, task.texts, draft=assignment.draft, **whole
        )
    edits = edits_of(task)
    if edits is None:
        return None
    texts = [edit.text for edit in edits]
    if assignment.slot.swapped:
        texts.reverse()
    return Shown(Kind.EVAL.value, assignment.key, texts, reference=task.texts[0], **whole)


def _shown_check(check: Check, study: Study) -> Shown:
    corpus = study.corpus
    return Shown(
        Kind.EVAL.value,
        check.key,
        check.texts,
        corpus.target_language,
        corpus.target_direction,
        reference=check.reference,
    )


def _differences(shown: Shown):
    from evaluation.core.differences import differences

    one, other = shown.texts
    return [differences(one, other), differences(other, one)]


def _over(request: HttpRequest, participant: Participant, error: NotNow) -> HttpResponse:
    study = participant.study
    if participant.state in Participant.OVER:
        return redirect("studies:done", study.code)
    if participant.is_excluded:
        return _say(request, study, _("Your part in this study is over"), _("Thank you."))
    if not study.is_running:
        return _not_running(request, study)
    return _say(request, study, _("There is no task for you"), said(error), status=409)


def _nothing(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Nothing to do: for good, or only as long as others are at it."""
    study = participant.study
    limit = study.the_conduct.tasks_per_participant
    done = tasks_done(participant)
    over = bool(limit and done >= limit) or not open_or_coming(study.pk).exists()
    if over:
        participants.finish(participant)
        if not _by_script(request):
            return redirect("studies:done", study.code)
        participant.state = State.FINISHED
        return _done(request, participant)
    return render(request, "studies/take/nothing.html", {"study": study, "done": done})


@require_POST
@taking_part
def draft(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Keep what is being written. 204: kept; 409: kept, but somebody else has the task now."""
    kept = save_draft(
        participant.pk, _key(request.POST.get("key", "")), request.POST.get("text", "")
    )
    return HttpResponse(status=204 if kept else 409)


@require_http_methods(["GET", "POST"])
@taking_part
def undo(request: HttpRequest, participant: Participant) -> HttpResponse:
    """The last judgment once more, for as long as it can be changed."""
    old = last_judgment(participant)
    if request.method == "POST":
        choice = request.POST.get("action", "")
        if choice != "keep":
            replaced, key = _key(request.POST.get("replaced", "")), _key(request.POST["key"])
            revise_judgment(participant.pk, replaced, key, choice)
        return redirect("studies:task", participant.study.code)
    if old is None:
        raise NotNow(_("Your last answer can no longer be changed"))
    study = participant.study
    return render(
        request,
        "studies/take/eval.html",
        {
            "study": study,
            "task": _shown_again(old, study),
            "telemetry": TELEMETRY["eval"],
            "replaced": old.form_key,
            "done": tasks_done(participant),
            "limit": study.the_conduct.tasks_per_participant or None,
        },
    )


def _shown_again(old: Judgment, study: Study) -> Shown:
    texts = [old.first.text, old.second.text]
    if old.swapped:
        texts.reverse()
    corpus = study.corpus
    return Shown(
        Kind.EVAL.value,
        uuid.uuid4(),
        texts,
        corpus.target_language,
        corpus.target_direction,
        reference=old.task.texts[0],
    )


# --- Going --------------------------------------------------------------------------------------


@require_POST
@taking_part
def finish(request: HttpRequest, participant: Participant) -> HttpResponse:
    participants.leave(participant)
    participants.finish(participant)
    return redirect("studies:done", participant.study.code)


@require_http_methods(["GET", "POST"])
@taking_part
def leave(request: HttpRequest, participant: Participant) -> HttpResponse:
    """Stop, or stop and have everything deleted."""
    study = participant.study
    if request.method == "GET":
        context = {"study": study, "participant": participant, "done": tasks_done(participant)}
        return render(request, "studies/take/leave.html", context)
    if request.POST.get("action") == "erase":
        participants.erase(participant)
        answer = _say(
            request,
            study,
            _("Your data are deleted"),
            _("Nothing that you wrote or chose is left here. Thank you for your time."),
        )
        answer.delete_cookie(COOKIE, path=f"/take/{study.code}/")
        return answer
    participants.leave(participant)
    return redirect("studies:done", study.code)


@require_GET
@taking_part
def done(request: HttpRequest, participant: Participant) -> HttpResponse:
    if participant.state == State.WORKING:
        return redirect("studies:task", participant.study.code)
    return _done(request, participant)


def _done(request: HttpRequest, participant: Participant) -> HttpResponse:
    study = participant.study
    answered = tasks_done(participant)
    code = study.code_of(participant.state, answered=bool(answered))
    context = {
        "study": study,
        "participant": participant,
        "done": answered,
        "completion_code": code,
        "back": way_back(study, code),
    }
    return render(request, "studies/take/done.html", context)
