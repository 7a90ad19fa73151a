from __future__ import annotations

import os
import subprocess
import sys

import pytest

from config import health
from tests.queueing import ROOT, wait_until

pytestmark = pytest.mark.django_db


def test_alive_needs_nothing(client):
    assert client.get("/healthz").json() == {"alive": True}


def test_not_ready_without_a_broker_says_what_to_look_at(client):
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["database"] == "ok"
    assert "REDIS_URL" in answer.json()["workers"]


def test_not_ready_with_a_full_disk(client, monkeypatch):
    monkeypatch.setattr(health, "LEAST_FREE_BYTES", 10**18)
    assert "free in the data folder" in client.get("/readyz").json()["disk"]


@pytest.mark.slow
def test_ready_once_a_worker_lives(queue, client):
    assert "make worker" in client.get("/readyz").json()["workers"]
    queue.worker()
    wait_until(lambda: client.get("/readyz").status_code == 200)
    assert client.get("/readyz").json()["workers"] == "ok"


def test_metrics_are_served_when_they_are_asked_for_and_only_then(client):
    assert client.get("/metrics").status_code == 404
    ask = (
        "import django; django.setup(); from django.test import Client; "
        "answer = Client().get('/metrics', headers={'host': 'localhost'}); "
        "print(answer.status_code, answer.content.decode())"
    )
    environment = os.environ | {"VARIORUM_METRICS": "true"}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [sys.executable, "-c", ask], cwd=ROOT, env=environment, capture_output=True, text=True,
        timeout=60,
    )  # fmt: skip
    assert done.stdout.startswith("200"), done.stderr
    assert "django_http_requests_total" in done.stdout
