"""Pages as they leave the server: status codes, headers, and nothing that comes from elsewhere."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from django.test import Client
from django.urls import include, path

ROOT = Path(__file__).resolve().parents[2]


def _raise(error):
    def view(request):
        raise error

    return view


# The project's own addresses, and one for each way in which a page can fail.
urlpatterns = [
    path("", include("config.urls")),
    path("breaks/400", _raise(SuspiciousOperation("odd"))),
    path("breaks/403", _raise(PermissionDenied("Ask its owner."))),
    path("breaks/404", _raise(Http404("nothing"))),
    path("breaks/500", _raise(RuntimeError("a secret detail"))),
]
handler400 = "config.views.bad_request"
handler403 = "config.views.forbidden"
handler404 = "config.views.not_found"
handler500 = "config.views.server_error"


@pytest.mark.urls("tests.config.test_pages")
@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "This request makes no sense here"),
        (403, "Ask its owner."),
        (404, "There is no such page"),
        (500, "Something went wrong here"),
    ],
)
def test_an_error_has_its_status_its_words_and_the_request_id(status, words):
    """Without the database (pytest-django forbids it here): that may be what is broken."""
    client = Client(raise_request_exception=False)
    client.cookies["sessionid"] = "of somebody who was signed in"
    response = client.get(f"/breaks/{status}")
    page = response.content.decode()
    assert response.status_code == status
    assert words in page
    assert response["X-Request-ID"] in page
    assert "a secret detail" not in page


@pytest.mark.parametrize("address", ["/account/login/", "/no-such-page"])
def test_the_content_security_policy_allows_nothing_inline_and_nothing_outside(db, client, address):
    policy = dict(
        part.strip().split(" ", 1)
        for part in client.get(address)["Content-Security-Policy"].split(";")
    )
    assert policy["script-src"] == policy["style-src"] == policy["default-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["object-src"] == policy["base-uri"] == "'none'"
    assert set(" ".join(policy.values()).split()) == {"'self'", "'none'", "data:"}


def test_a_page_says_the_language_that_it_is_in(db, client):
    page = client.get("/account/login/", headers={"accept-language": "ar"}).content.decode()
    assert '<html lang="en" dir="ltr">' in page
    assert "Username" in page


def test_what_every_page_loads_is_light(db, client):
    """A participant's page shall weigh under 60 KB: its frame may take 40 KB of them, packed."""
    page = client.get("/account/login/").content
    files = [
        finders.find(address.removeprefix("/static/"))
        for address in re.findall(r"""(?:src|href)="(/static/[^"]+)""", page.decode())
    ]
    assert len(files) >= 6
    assert sum(len(gzip.compress(Path(file).read_bytes())) for file in files) < 40_000
    assert len(gzip.compress(page)) < 2_000


_OUTSIDE = re.compile(r"""(?:https?:)?//(?!www\.w3\.org/)[\w.-]+\.\w+|@import""")
_INLINE = re.compile(r"""<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)|javascript:""")


def _files(*kinds: str) -> list[Path]:
    found = [
        path
        for top in ("templates", "config/static")
        for path in (ROOT / top).rglob("*")
        if path.suffix in kinds
    ]
    assert found
    return found


@pytest.mark.parametrize("path", _files(".html", ".css", ".js", ".svg"), ids=lambda path: path.name)
def test_no_file_names_an_address_outside(path):
    assert _OUTSIDE.findall(path.read_text()) == []


@pytest.mark.parametrize("path", _files(".html"), ids=lambda path: path.name)
def test_no_template_has_inline_script_or_style(path):
    # What stands inside a template's tag ("with one=...") reaches no browser.
    markup = re.sub(r"{%.*?%}", "", path.read_text())
    assert _INLINE.findall(markup) == []
