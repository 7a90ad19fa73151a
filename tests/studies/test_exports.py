"""Exports of large studies: rows go through memory, they do not stay there."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
from django.urls import reverse

from studies import exports
from studies.models import Judgment
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


@pytest.mark.parametrize("piece", [1, 7, 2_000])
@pytest.mark.parametrize("everything", [True, False])
def test_judgments_are_those_of_the_database_one_by_one(user, monkeypatch, piece, everything):
    monkeypatch.setattr(exports, "_PIECE", piece)
    study = make_answered(user, sentences=3)
    multiply_judgments(study, 200)
    study.participants.filter(judgments__slot__number=2).update(is_simulated=True)
    table = exports.TABLES["judgments"]
    found = [dict(zip(table.columns, row, strict=True)) for row in table.rows(study, everything)]
    kept = [
        one
        for one in Judgment.objects.filter(slot__study=study).order_by("pk")
        if everything or (one.standing == "counted" and not one.participant.is_simulated)
    ]
    assert found == [_told(one) for one in kept]
    assert {row["standing"] for row in found} == (
        {"counted", "late"} if everything else {"counted"}
    )
    assert {row["simulated"] for row in found} == ({True, False} if everything else {False})


def _told(one: Judgment) -> dict:
    sides = [("first", one.task.first.condition.name, one.first.text)]
    sides.append(("second", one.task.second.condition.name, one.second.text))
    if one.swapped:
        sides.reverse()
    (_, condition_a, text_a), (_, condition_b, text_b) = sides
    return {
        "item": one.task.segment.number,
        "condition a": condition_a,
        "condition b": condition_b,
        "choice": {sides[0][0]: "a", sides[1][0]: "b", "same": "same"}[one.choice],
        "worker": one.participant.pseudonym,
        "pair": one.task.number,
        "seconds": one.seconds,
        "reference": one.task.texts[0],
        "text a": text_a,
        "text b": text_b,
        "judge": one.slot.number,
        "standing": one.standing,
        "simulated": one.participant.is_simulated,
        "saw differences": one.saw_differences,
        "assigned": one.assigned_at,
        "answered": one.answered_at,
        "active seconds": one.active_seconds,
        "pauses": one.pauses,
        "focus losses": one.focus_losses,
    }
