"""Prolific's signed links: a token in the address (JWT, RS256) that only Prolific can have made.

Prolific publishes its public keys as a JSON Web Key Set, to be kept for a day at most. A token is
taken when one of these keys signed it, it comes from Prolific, has not run out, was made for this
study's address, and names the same person, study and session as the address itself.
"""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import jwt
from django.conf import settings
from django.core.cache import cache

from evaluation.core.errors import InputError

PARAMETER = "prolific_token"
NAMES = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
_ISSUER = "https://www.prolific.com"
_CACHE = "prolific-keys"
_CACHED_SECONDS = 24 * 3600
# A token with an unknown key makes us look again, but strangers must not make us look all the time.
_LOOKED = "prolific-keys-looked"
_LOOK_AGAIN_SECONDS = 60
_TIMEOUT_SECONDS = 5
_LEEWAY_SECONDS = 30
_MOST_BYTES = 100_000


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: object, **kwargs: object) -> None:
        return None


def verified(token: str, *, here: str) -> dict[str, str]:
    """What the token says of PROLIFIC_PID, STUDY_ID and SESSION_ID; InputError if it is not true.

    ``here`` is the address of the study's door, as participants reach it.
    """
    try:
        kid = jwt.get_unverified_header(token).get("kid")
        claims = jwt.decode(
            token,
            _key(kid),
            algorithms=["RS256"],
            issuer=_ISSUER,
            leeway=_LEEWAY_SECONDS,
            # Prolific's audience is an address, not one fixed name: it is compared below.
            options={"require": ["exp", "iss", "aud"], "verify_aud": False},
        )
    except jwt.ExpiredSignatureError:
        raise InputError(
            "this link has run out", hint="Open the study from Prolific again."
        ) from None
    except jwt.PyJWTError:
        raise _not_signed() from None
    named = claims.get("prolific")
    if not _is_meant_for(claims["aud"], here) or not isinstance(named, Mapping):
        raise _not_signed()
    found = {name: named.get(name) for name in NAMES}
    if not all(isinstance(value, str) and value for value in found.values()):
        raise _not_signed()
    return {name: str(value) for name, value in found.items()}


def _not_signed() -> InputError:
    return InputError(
        "this link was not signed by Prolific for this study",
        hint="Open the study from Prolific again.",
    )


def _is_meant_for(audience: object, here: str) -> bool:
    """Whether one of the audiences is this study's address, or the site alone."""
    wanted = urlsplit(here)
    for one in audience if isinstance(audience, list) else [audience]:
        if not isinstance(one, str):
            continue
        meant = urlsplit(one if "://" in one else f"{wanted.scheme}://{one}")
        same_place = (meant.scheme, meant.netloc) == (wanted.scheme, wanted.netloc)
        if same_place and meant.path in ("", "/", wanted.path):
            return True
    return False


def _key(kid: object) -> Any:
    """The public key of that name: of those that we know, or else of those that there are now."""
    if not isinstance(kid, str):
        raise jwt.InvalidTokenError("no key is named")
    keys = cache.get(_CACHE)
    if (keys is None or kid not in keys) and cache.add(_LOOKED, 1, _LOOK_AGAIN_SECONDS):
        try:
            keys = _fetch()
        except (OSError, ValueError):
            if keys is None:
                cache.delete(_LOOKED)
                raise InputError(
                    "Prolific's keys cannot be reached at the moment",
                    hint="Try again in a minute.",
                ) from None
        else:
            cache.set(_CACHE, keys, _CACHED_SECONDS)
    if keys is None or kid not in keys:
        raise jwt.InvalidTokenError("the key is not known")
    return jwt.PyJWK.from_dict(keys[kid], algorithm="RS256").key


def _fetch() -> dict[str, dict[str, Any]]:
    """The keys that Prolific publishes, by their names."""
    opener = urllib.request.build_opener(_NoRedirects)
    with opener.open(settings.PROLIFIC_KEYS, timeout=_TIMEOUT_SECONDS) as answer:
        found = json.loads(answer.read(_MOST_BYTES))
    keys = found.get("keys") if isinstance(found, dict) else None
    if not isinstance(keys, list):
        raise ValueError("no key set")
    return {
        one["kid"]: one
        for one in keys
        if isinstance(one, dict) and one.get("kty") == "RSA" and isinstance(one.get("kid"), str)
    }
