"""Signed links of Prolific: real keys, served over HTTP, and every way in which one can be wrong."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from urllib.parse import urlencode

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.cache import cache
from django.test import Client

from studies.models import Participant, Study
from tests.studies.making import make_running_study
from tests.studies.serving import serve
from tests.studies.views.test_taking import address

pytestmark = pytest.mark.django_db

TOLD = {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "SESSION_ID": "x1"}


@pytest.fixture(scope="module")
def key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def other_key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def published(**keys) -> bytes:
    rows = []
    for kid, one in keys.items():
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(one.public_key()))
        rows.append(public | {"kid": kid, "use": "sig", "alg": "RS256"})
    return json.dumps({"keys": rows}).encode()


@pytest.fixture
def platform(settings, key):
    with serve() as platform:
        platform.body = published(k1=key)
        settings.PROLIFIC_KEYS = f"{platform.origin}/.well-known/study/jwks.json"
        yield platform


@pytest.fixture
def study(user, platform):
    study = make_running_study(user)
    Study.objects.update(prolific_study="s1", prolific_signed=True, is_open=False)
    study.refresh_from_db()
    return study


@pytest.fixture
def sign(study, key):
    """A token as Prolific makes it; what is given changes it."""

    def make(told=TOLD, *, signed_by=key, kid="k1", algorithm="RS256", without=(), **claims):
        whole = {
            "iss": "https://www.prolific.com",
            "aud": f"http://testserver{address(study)}",
            "exp": int(time.time()) + 300,
            "sub": "x1",
            "prolific": {**told, "workspace_id": "w1"},
        } | claims
        whole = {name: value for name, value in whole.items() if name not in without}
        return jwt.encode(whole, signed_by, algorithm=algorithm, headers={"kid": kid})

    return make


def link(token: str, **beside: str) -> str:
    return "?" + urlencode({**TOLD, **beside, "prolific_token": token})


def comes_in(study, query: str) -> bool:
    """Whether the link lets somebody in, and alike at the door and at the form."""
    client = Client()
    shown = client.get(address(study) + query)
    agreed = client.post(address(study, "consent") + query)
    # Who is here already is asked whether to go on in this browser: 200.
    assert {shown.status_code, agreed.status_code} in ({200, 302}, {200}, {403})
    return shown.status_code == 200


def test_a_signed_link_lets_the_person_in(study, sign):
    assert comes_in(study, link(sign()))
    one = Participant.objects.get()
    assert (one.arrival, one.identity, one.session) == ("prolific", "p1", "x1")


def test_the_token_alone_is_enough(study, sign):
    assert comes_in(study, "?" + urlencode({"prolific_token": sign()}))
    assert Participant.objects.get().identity == "p1"


@pytest.mark.parametrize("aud", ["testserver", "http://testserver", ["http://testserver/"]])
def test_an_audience_may_be_the_site(study, sign, aud):
    assert comes_in(study, link(sign(aud=aud)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"aud": "https://elsewhere.example/take/x/"},
        {"aud": "http://testserver.elsewhere.example"},
        {"aud": "http://testserver/take/another/"},
        {"aud": 7},
        {"iss": "https://www.prolific.com.example"},
        {"exp": 1_577_836_800},  # New Year 2020
        {"without": ("exp",)},
        {"without": ("aud",)},
        {"without": ("prolific",)},
        {"told": {"PROLIFIC_PID": "p1"}},
        {"told": TOLD | {"PROLIFIC_PID": {"$ne": ""}}},
        {"told": TOLD | {"STUDY_ID": "s2"}},
        {"told": TOLD | {"PROLIFIC_PID": "p2"}},  # the address says p1
        {"told": TOLD | {"SESSION_ID": "x2"}},
        {"kid": "k9"},
    ],
    ids=str,
)
def test_what_is_not_true_lets_nobody_in(study, sign, wrong):
    assert not comes_in(study, link(sign(**wrong)))
    assert not Participant.objects.exists()


def test_a_forged_signature_lets_nobody_in(study, sign, other_key):
    assert not comes_in(study, link(sign(signed_by=other_key)))
    head, body, signature = sign().split(".")
    changed = jwt.decode(f"{head}.{body}.{signature}", options={"verify_signature": False})
    changed["prolific"]["PROLIFIC_PID"] = "p2"
    body = base64.urlsafe_b64encode(json.dumps(changed).encode()).rstrip(b"=").decode()
    assert not comes_in(study, link(f"{head}.{body}.{signature}", PROLIFIC_PID="p2"))


def test_no_other_algorithm_is_taken(study, sign, key):
    assert not comes_in(study, link(sign(signed_by="", algorithm="none")))
    # The public key as the secret of an HMAC: the classic confusion of algorithms.
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    body = sign().split(".")[1]
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"k1"}').rstrip(b"=").decode()
    made = hmac.new(public, f"{head}.{body}".encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(made).rstrip(b"=").decode()
    assert not comes_in(study, link(f"{head}.{body}.{signature}"))


@pytest.mark.parametrize("token", ["", "x", "a.b.c", "." * 5, "é.é.é", "a" * 9000])
def test_what_is_no_token_lets_nobody_in(study, token):
    assert not comes_in(study, link(token))


def test_unsigned_parameters_no_longer_do(study):
    assert not comes_in(study, "?" + urlencode(TOLD))


def test_consent_may_be_read_for_longer_than_a_token_lives(study, sign, settings):
    client = Client()
    page = client.get(address(study) + link(sign())).content.decode()
    action = page.split('action="')[1].split('"')[0]
    assert "prolific_token" not in action
    assert client.post(action).status_code == 302
    assert Participant.objects.get().identity == "p1"
    # That pass is for this study alone.
    other = make_running_study(study.owner)
    Study.objects.filter(pk=other.pk).update(prolific_study="s1", prolific_signed=True)
    assert Client().post(action.replace(study.code, other.code)).status_code == 403
    assert Client().post(action + "x").status_code == 403


def test_keys_are_kept_and_looked_for_again_when_one_is_new(study, sign, platform, other_key, key):
    assert comes_in(study, link(sign()))
    assert comes_in(study, link(sign()))
    assert len(platform.received) == 1
    platform.body = published(k1=key, k2=other_key)
    # Within the same minute strangers cannot make us ask again and again.
    assert not comes_in(study, link(sign(signed_by=other_key, kid="k2")))
    assert len(platform.received) == 1
    cache.delete("prolific-keys-looked")
    assert comes_in(study, link(sign(signed_by=other_key, kid="k2")))
    assert len(platform.received) == 2


def test_keys_that_cannot_be_had_are_said_so(study, sign, platform):
    for status, body in ((500, b""), (200, b"<html>"), (200, b'{"keys": 3}'), (302, b"")):
        cache.clear()
        platform.statuses, platform.body = [status], body
        page = Client().get(address(study) + link(sign()))
        assert page.status_code == 403
        assert "keys cannot be reached" in page.content.decode()
