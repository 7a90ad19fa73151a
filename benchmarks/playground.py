"""The playground's answer to a moved slider, for a sentence of 20 words: aimed at half a second.

The page is asked for through all of Django, without a network, and beside it the bare core for one
best translation of the same sentences. Both are told in processor time, which is the clock's where
nothing else runs. Whoever has just typed a sentence waits for its first search too; whoever moves a
slider does not.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import Row, reference_data, seconds
from benchmarks.installation import scratch_installation, tell_rows
from benchmarks.making_lists import kernels, prepare

if TYPE_CHECKING:
    from decoding.models import System

WORDS, SENTENCES = 20, 12
MOST_MS = 500.0


def rows(data: Path | None) -> Iterator[Row]:
    """The Multi30k system of the reference data, in a process of its own."""
    if data is None:
        return
    here = [sys.executable, "-m", "benchmarks.playground"]
    measured = subprocess.run(here, check=True, stdout=subprocess.PIPE, text=True)
    for line in measured.stdout.splitlines():
        yield Row(**json.loads(line))


def _measure_here() -> Iterator[Row]:
    data = reference_data()
    assert data is not None  # or nobody would have asked
    os.environ.setdefault("NUMBA_CACHE_DIR", str(kernels()))
    with scratch_installation(VARIORUM_DEBUG="false", VARIORUM_LOG_LEVEL="ERROR"):
        from django.core.management import call_command

        call_command("collectstatic", verbosity=0, interactive=False)
        _, system, lines = prepare(data / "moses-multi30k-deen")
        long = [line for line in lines if len(line.split()) == WORDS]
        yield from _measure(system, long[: SENTENCES + 1])


def _measure(system: System, sentences: Sequence[str]) -> Iterator[Row]:
    from django.test import Client
    from django.urls import reverse

    from decoding.core.search.decoder import SearchOptions
    from decoding.makers import _first_search, decoder_of

    client = Client(HTTP_HOST="localhost")
    client.force_login(system.owner)
    address = reverse("decoding:playground")
    decoder = decoder_of(system.checksum, system.storage_key)

    def one_best(text: str) -> None:
        decoder.search(decoder.collect(text), SearchOptions(), keep=False)

    def ask(text: str, penalty: float) -> None:
        said = {"system": system.pk, "text": text, "penalty": penalty}
        answer = client.get(address, said, headers={"HX-Request": "true"})
        if b"different translation" not in answer.content:
            raise RuntimeError(f"no lists of {text}")

    def typed(text: str) -> None:
        _first_search.cache_clear()
        ask(text, 0.1)

    first, *others = sentences
    one_best(first)
    typed(first)  # loads kernels and templates
    taken: dict[str, list[float]] = {"typed": [], "slider moved": [], "one best": []}
    for text in others:
        taken["typed"].append(1000 * seconds(partial(typed, text), cpu=True))
        taken["slider moved"].append(1000 * seconds(partial(ask, text, 0.2), cpu=True))
        taken["one best"].append(1000 * seconds(partial(one_best, text), cpu=True))
    decode = statistics.median(taken["one best"])
    for what in ("typed", "slider moved"):
        slowest, middle = max(taken[what]), statistics.median(taken[what])
        detail = {
            "sentences": len(others),
            "words": WORDS,
            "slowest ms": round(slowest, 1),
            "middle ms": round(middle, 1),
            "one best translation, ms": round(decode, 1),
            "load average": round(os.getloadavg()[0], 1),
        }
        yield Row(
            f"a sentence of {WORDS} words, {what}", slowest / MOST_MS,
            f"the slowest answer's processor ms / {MOST_MS:.0f}", "at most 1", slowest <= MOST_MS,
            detail,
        )  # fmt: skip
        yield Row(
            f"a sentence of {WORDS} words, {what}, against one translation", middle / decode,
            "an answer with two lists of 5 / one decode", detail=detail,
        )  # fmt: skip


if __name__ == "__main__":
    tell_rows(_measure_here())
