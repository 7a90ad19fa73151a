"""Who a link says that somebody is: an open link, an invitation, Prolific, another platform."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.core import signing
from django.http import QueryDict

from evaluation.core.errors import InputError
from studies.actions.participants import Identity
from studies.models import Participant, Study

_USABLE = re.compile(r"[A-Za-z0-9_.@:-]{1,128}")
_SALT = "studies.simulated"
SIMULATED = "simulated"


def identity_of(study: Study, query: QueryDict) -> Identity:
    """What the address says; InputError when it does not let anybody in."""
    arrival = Participant.Arrival
    if "invitation" in query:
        return Identity(arrival.INVITATION, _usable(query["invitation"]))
    if "PROLIFIC_PID" in query:
        if not study.prolific_study:
            raise InputError(
                "this study does not recruit through Prolific", hint="Return your submission."
            )
        if query.get("STUDY_ID") != study.prolific_study:
            raise InputError(
                "this link belongs to another study", hint="Open the study from Prolific again."
            )
        session = _usable(query.get("SESSION_ID", ""))
        return Identity(arrival.PROLIFIC, _usable(query["PROLIFIC_PID"]), session)
    if study.identity_parameter and study.identity_parameter in query:
        return Identity(arrival.PROVIDER, _usable(query[study.identity_parameter]))
    if not study.is_open:
        raise InputError(
            "this study is open to those who were invited",
            hint="Use the link that you were sent.",
        )
    return Identity(arrival.OPEN)


def _usable(text: object) -> str:
    if not isinstance(text, str) or not _USABLE.fullmatch(text):
        raise InputError("this link is not complete", hint="Open it again from where you got it.")
    return text


def simulation_proof(study: Study) -> str:
    """What a simulated participant shows at its arrival: nobody else can pass for one."""
    return signing.dumps(study.code, salt=_SALT)


def is_simulation(study: Study, query: QueryDict) -> bool:
    """Whether the link comes from our own simulated crowd."""
    try:
        return bool(signing.loads(query.get(SIMULATED, ""), salt=_SALT) == study.code)
    except signing.BadSignature:
        return False


def way_back(study: Study, code: str) -> str:
    """Where a person is sent at the end: only ever to the address that the study names."""
    if not study.completion_address:
        return ""
    parts = urlsplit(study.completion_address)
    query = parse_qsl(parts.query)
    if code and study.code_parameter:
        query.append((study.code_parameter, code))
    return urlunsplit(parts._replace(query=urlencode(query)))
