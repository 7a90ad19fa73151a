"""Exports of large studies: rows go through memory, they do not stay there."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from django.urls import reverse

from tests.evaluation.answered import make_answered, multiply_judgments

pytestmark = pytest.mark.django_db
_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Bytes of memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE


def streamed(client, study, form) -> tuple[int, int]:
    """The lines of an export, and the most memory that was held while it came."""
    address = reverse("studies:export", args=[study.pk, "judgments", form])
    lines, most = 0, 0
    gc.collect()
    for number, part in enumerate(client.get(address, {"all": "1"}).streaming_content):
        lines += part.count(b"\n")
        if number % 1000 == 0:
            most = max(most, resident())
    return lines, most


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc to read memory from")
@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_memory_does_not_grow_with_the_rows(client, user, form):
    study = make_answered(user, sentences=8)
    client.force_login(user)
    multiply_judgments(study, 50_000)
    streamed(client, study, form)
    few, at_few = streamed(client, study, form)
    multiply_judgments(study, 200_000)
    many, at_many = streamed(client, study, form)
    assert few > 50_000
    assert many > 200_000
    # The 150,000 more rows are 45 to 85 MB as text, and many times that as objects.
    assert at_many - at_few < 8_000_000
