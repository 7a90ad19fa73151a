"""Screening and training: between agreeing and the first task."""

from __future__ import annotations

import re

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from evaluation.core.errors import InputError
from studies.actions.entry import (
    Feedback,
    answer_screening,
    answer_training,
    feedback,
    gate,
    training_progress,
)
from studies.core.assignment import EVAL
from studies.core.entry import AGAIN, ASKED, Entry, Item
from studies.models import Participant, Study
from studies.views.taking import said, taking_part


def go_on(participant: Participant) -> HttpResponse:
    """To what stands before the next task, or to the task."""
    return redirect(f"studies:{gate(participant) or 'task'}", participant.study.code)


@require_http_methods(["GET", "POST"])
@taking_part
def screening(request: HttpRequest, participant: Participant) -> HttpResponse:
    if gate(participant) != "screening":
        return go_on(participant)
    problem = ""
    if request.method == "POST":
        try:
            answers = {
                number: request.POST.get(f"question-{number}", "")
                for number, _ in enumerate(participant.study.the_entry.questions, start=1)
            }
            answer_screening(participant, answers)
            participant.refresh_from_db()
            return go_on(participant)
        except InputError as error:
            problem = said(error)
    context = screening_context(participant.study) | {"problem": problem}
    return render(request, "studies/take/screening.html", context, status=422 if problem else 200)


def screening_context(study: Study) -> dict[str, object]:
    return {"study": study, "questions": study.the_entry.questions}


@require_http_methods(["GET", "POST"])
@taking_part
def training(request: HttpRequest, participant: Participant) -> HttpResponse:
    """An item; after it, what is said about the answer; at the end, on to the tasks."""
    study = participant.study
    after = re.fullmatch(r"(\d{1,3})-(\d{1,3})", request.GET.get("after", ""))
    if after and (said_of := feedback(participant, int(after[1]), int(after[2]))):
        return _feedback(request, participant, said_of)
    if gate(participant) != "training":
        return go_on(participant)
    where = training_progress(participant)
    attempt, number = where.attempt, where.number
    if where.state == AGAIN:
        if "again" not in request.GET and request.method == "GET":
            context = {"study": study, "where": where, "entry": study.the_entry}
            return render(request, "studies/take/training_again.html", context)
        attempt, number = attempt + 1, 1
    elif where.state != ASKED:
        return go_on(participant)
    problem, text = "", ""
    if request.method == "POST":
        sent = _place(request)
        text = request.POST.get("text", "")
        try:
            answer_training(participant, *sent, request.POST.get("action", text) or text)
            return redirect(f"{request.path}?after={sent[0]}-{sent[1]}")
        except InputError as error:
            problem = said(error)
    context = training_context(study, study.the_entry, number)
    return render(
        request,
        "studies/take/training.html",
        context | {"attempt": attempt, "problem": problem, "text": text[:4000]},
        status=422 if problem else 200,
    )


def _place(request: HttpRequest) -> tuple[int, int]:
    """Which attempt and item a form is about."""
    parts = [request.POST.get(name, "") for name in ("attempt", "number")]
    if not all(part.isascii() and part.isdigit() and len(part) < 4 for part in parts):
        raise InputError("this form is not complete", hint="Reload the page.")
    return int(parts[0]), int(parts[1])


def training_context(study: Study, entry: Entry, number: int) -> dict[str, object]:
    """What the page of one item shows; never its good answers."""
    item: Item = entry.items[number - 1]
    return {
        "study": study,
        "kind": item.kind,
        "lettered": item.kind == EVAL,
        "texts": item.texts,
        "reference": item.reference,
        "number": number,
        "total": len(entry.items),
        "language": study.corpus.target_language,
        "direction": study.corpus.target_direction,
    }


def _feedback(request: HttpRequest, participant: Participant, about: Feedback) -> HttpResponse:
    study = participant.study
    context = training_context(study, study.the_entry, about.number)
    context |= {"about": about, "last": about.number == len(study.the_entry.items)}
    return render(request, "studies/take/training_feedback.html", context)
