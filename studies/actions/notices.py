"""Telling a platform how somebody's part ended, by a POST that a job repeats until it is taken.

Only platforms that the operator has named (VARIORUM_PLATFORMS) are told anything: a study's owner
must not make this server send requests to wherever they like.
"""

from __future__ import annotations

import hmac
import http.client
import json
import urllib.error
import urllib.request
from datetime import timedelta
from hashlib import sha256
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from decoding.actions.jobs import submit_job
from decoding.models import Job
from studies.models import Notice, Participant, Study

JOB = "report-outcomes"
MOST_ATTEMPTS = 8
FIRST_WAIT_SECONDS = 5.0
_LONGEST_WAIT_SECONDS = 300.0
_TIMEOUT_SECONDS = 10
# Answers after which another attempt may succeed.
_PASSING = {408, 425, 429}
State = Notice.State


def origin_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def may_be_told(address: str) -> bool:
    """Whether the operator lets studies report to this address."""
    return origin_of(address) in settings.PLATFORMS


def announce(participant: Participant, outcome: str, *, tasks: int = 0) -> None:
    """Let the platform know, if the study asks for it, in the transaction that ends the part."""
    study = participant.study
    if not study.report_address or participant.arrival != Participant.Arrival.PROVIDER:
        return
    body = {
        "study": study.code,
        "participant": participant.identity,
        "outcome": outcome,
        "code": study.code_of(outcome, answered=bool(tasks)),
        "tasks": tasks,
        "simulated": participant.is_simulated,
    }
    _, new = Notice.objects.get_or_create(
        participant=participant,
        outcome=outcome,
        defaults={"study": study, "body": json.dumps(body, ensure_ascii=False)},
    )
    if new:
        transaction.on_commit(lambda: send_notices(study))


def send_notices(study: Study) -> None:
    """Have a job send what waits; one that is queued already will."""
    queued = Job.objects.filter(kind=JOB, state=Job.State.QUEUED, parameters__study=study.pk)
    if not queued.exists():
        submit_job(JOB, owner=study.owner, parameters={"study": study.pk})


def try_again(study: Study) -> int:
    """Send once more what was refused."""
    count = study.notices.filter(state=State.REFUSED).update(
        state=State.WAITING, attempts=0, next_at=None
    )
    if count:
        send_notices(study)
    return count


def waiting(study_id: int) -> QuerySet[Notice]:
    return Notice.objects.filter(study=study_id, state=State.WAITING)


def take_due(study_id: int, first_wait: float) -> Notice | None:
    """One that can be tried now. Nobody else tries it until its next time has come."""
    due = waiting(study_id).filter(Q(next_at=None) | Q(next_at__lte=Now()))
    for notice in due.select_related("study").order_by("next_at", "pk")[:20]:
        pause = min(first_wait * 2**notice.attempts, _LONGEST_WAIT_SECONDS)
        taken = waiting(study_id).filter(pk=notice.pk, attempts=notice.attempts)
        if taken.update(attempts=F("attempts") + 1, next_at=Now() + timedelta(seconds=pause)):
            notice.attempts += 1
            return notice
    return None


def record(notice: Notice, problem: str, *, for_good: bool) -> None:
    """What became of an attempt."""
    row = Notice.objects.filter(pk=notice.pk)
    if not problem:
        row.update(state=State.SENT, sent_at=Now(), error="")
    elif for_good or notice.attempts >= MOST_ATTEMPTS:
        row.update(state=State.REFUSED, error=problem[:200])
    else:
        row.update(error=problem[:200])


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object, **kwargs: object) -> None:
        return None


def deliver(notice: Notice) -> tuple[str, bool]:
    """Send it: what went wrong (nothing: it was taken), and whether that is for good."""
    study = notice.study
    if not may_be_told(study.report_address):
        return "the operator does not let studies report to this address", True
    body = notice.body.encode()
    headers = {"Content-Type": "application/json", "Idempotency-Key": str(notice.key)}
    if study.report_secret:
        made = hmac.new(study.report_secret.encode(), body, sha256).hexdigest()
        headers["X-Variorum-Signature"] = f"sha256={made}"
    request = urllib.request.Request(study.report_address, body, headers, method="POST")  # noqa: S310 (an origin that the operator named)
    opener = urllib.request.build_opener(_NoRedirects)
    try:
        with opener.open(request, timeout=_TIMEOUT_SECONDS):
            return "", False
    except urllib.error.HTTPError as error:
        status = error.code
        error.close()
        return f"the platform answered {status}", status < 500 and status not in _PASSING
    except (OSError, http.client.HTTPException) as error:
        return f"the platform cannot be reached ({type(error).__name__})", False
