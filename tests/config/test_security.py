"""Right by default: what leaves over the wire, who gets in, how large a request may be."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from django.conf import settings

from tests.queueing import ROOT

pytestmark = pytest.mark.django_db


def test_headers_of_a_page(client):
    headers = client.get("/account/login/").headers
    policy = headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    assert "script-src 'self'" in policy
    assert "style-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in headers["Permissions-Policy"]


def test_pages_of_researchers_ask_for_a_login(client):
    for path in ("/", "/jobs/", "/jobs/1/", "/share/job/1/", "/account/password/"):
        answer = client.get(path)
        assert answer.status_code == 302, path
        assert answer.url == f"/account/login/?next={path}"


def test_the_admin_is_for_administrators(client, user, administrator):
    client.force_login(user)
    assert client.get("/admin/").status_code == 302
    client.force_login(administrator)
    assert client.get("/admin/").status_code == 200


def test_every_admin_page_opens(client, administrator):
    from django.contrib import admin

    client.force_login(administrator)
    for model in admin.site._registry:
        path = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert client.get(path, {"q": "x"}).status_code == 200, path


def test_csrf_is_asked_of_htmx_too(user):
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(user)
    answer = strict.post("/jobs/self-test/", {"pieces": 1}, headers={"HX-Request": "true"})
    assert answer.status_code == 403
    assert "reload the page" in answer.content.decode()


def test_guessing_passwords_is_stopped(client, user):
    for _ in range(settings.AXES_FAILURE_LIMIT):
        answer = client.post("/account/login/", {"username": "rosa", "password": "wrong"})
    assert answer.status_code == 429
    right = client.post("/account/login/", {"username": "rosa", "password": "a long passphrase"})
    assert right.status_code == 429


def test_a_form_as_large_as_a_file_is_refused(client, user):
    client.force_login(user)
    answer = client.post("/jobs/self-test/", {"pieces": "1" * 3_000_000})
    assert answer.status_code == 400


def test_login_does_not_redirect_to_other_sites(client, user):
    answer = client.post(
        "/account/login/?next=https://elsewhere.example/",
        {"username": "rosa", "password": "a long passphrase"},
    )
    assert answer.url == "/"


@pytest.mark.slow
def test_a_production_set_up_is_clean(tmp_path):
    environment = os.environ | {
        "REDIS_URL": "redis://broker:6379/0",
        "DATABASE_URL": "postgres://variorum:secret@database/variorum",
        "SECRET_KEY": "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "ALLOWED_HOSTS": "study.example.org",
        "VARIORUM_DATA": str(tmp_path),
        "VARIORUM_METRICS": "true",
    }
    for name in ("VARIORUM_STYLEGUIDE", "DJANGO_ALLOW_ASYNC_UNSAFE"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "INFO"],
        cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
