from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config import logs

Handler = Callable[[HttpRequest], HttpResponse]

_access = logging.getLogger("variorum.access")
_USABLE_ID = re.compile(r"[A-Za-z0-9-]{8,64}")


def request_id(get_response: Handler) -> Handler:
    """Give each request an id (or keep the proxy's), log one line about it, and send it back."""

    def middleware(request: HttpRequest) -> HttpResponse:
        offered = request.headers.get("X-Request-ID", "")
        token = logs.request_id.set(offered if _USABLE_ID.fullmatch(offered) else uuid.uuid4().hex)
        start = time.perf_counter()
        try:
            response = get_response(request)
            response["X-Request-ID"] = logs.request_id.get()
            _access.info(
                "request",
                extra={
                    "method": request.method,
                    # The path alone: query strings carry participants' identities.
                    "path": request.path,
                    "status": response.status_code,
                    "ms": round((time.perf_counter() - start) * 1000, 1),
                },
            )
            return response
        finally:
            logs.request_id.reset(token)

    return middleware


def permissions_policy(get_response: Handler) -> Handler:
    """No page of ours needs the camera, the microphone or the place where somebody is."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.setdefault(
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"
        )
        return response

    return middleware
