"""Who a link says that somebody is: an open link, an invitation, Prolific, another platform."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django.conf import settings
from django.core import signing
from django.http import QueryDict

from evaluation.core.errors import InputError
from studies import prolific
from studies.actions.notices import origin_of
from studies.actions.participants import Identity
from studies.models import Participant, Study

_USABLE = re.compile(r"[A-Za-z0-9_.@:-]{1,128}")
_SALT = "studies.simulated"
SIMULATED = "simulated"
_PASS, _PASS_SALT, _PASS_SECONDS = "pass", "studies.prolific", 3600


def identity_of(study: Study, query: QueryDict, *, here: str = "") -> Identity:
    """What the address says; InputError when it does not let anybody in.

    ``here`` is the address of the study's door, for which signed links must have been made.
    """
    arrival = Participant.Arrival
    if "invitation" in query:
        return Identity(arrival.INVITATION, _usable(query["invitation"]))
    if "PROLIFIC_PID" in query or prolific.PARAMETER in query or _PASS in query:
        if not study.prolific_study:
            raise InputError(
                "this study does not recruit through Prolific", hint="Return your submission."
            )
        if study.prolific_signed:
            return _signed_identity(study, query, here)
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


def _signed_identity(study: Study, query: QueryDict, here: str) -> Identity:
    """Somebody with a link that Prolific signed, or whom we let in by one a while ago."""
    if _PASS in query:
        try:
            code, pid, session = signing.loads(
                str(query[_PASS]), salt=_PASS_SALT, max_age=_PASS_SECONDS
            )
        except signing.BadSignature:
            code = ""
        if code != study.code:
            raise InputError("this link has run out", hint="Open the study from Prolific again.")
        return Identity(Participant.Arrival.PROLIFIC, pid, session)
    told = prolific.verified(query.get(prolific.PARAMETER, ""), here=here)
    beside = {name: query[name] for name in prolific.NAMES if name in query}
    if told["STUDY_ID"] != study.prolific_study or beside.items() - told.items():
        raise InputError(
            "this link belongs to another study", hint="Open the study from Prolific again."
        )
    return Identity(
        Participant.Arrival.PROLIFIC, _usable(told["PROLIFIC_PID"]), _usable(told["SESSION_ID"])
    )


def carried(study: Study, identity: Identity, query: QueryDict) -> str:
    """The address's parameters for the form that agrees.

    Prolific's tokens run out within minutes, and consent may be read for longer: who came by one
    gets a pass of ours.
    """
    if identity.arrival != Participant.Arrival.PROLIFIC or not study.prolific_signed:
        return query.urlencode()
    told = [study.code, identity.name, identity.session]
    return urlencode({_PASS: signing.dumps(told, salt=_PASS_SALT)})


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


def may_lead_to(address: str) -> bool:
    """Whether people may be sent there: anywhere, or where the operator has named the platforms."""
    return not settings.PLATFORMS or origin_of(address) in settings.PLATFORMS


def way_back(study: Study, code: str) -> str:
    """Where a person is sent at the end: only ever to the address that the study names."""
    if not study.completion_address or not may_lead_to(study.completion_address):
        return ""
    parts = urlsplit(study.completion_address)
    query = parse_qsl(parts.query)
    if code and study.code_parameter:
        query.append((study.code_parameter, code))
    return urlunsplit(parts._replace(query=urlencode(query)))
