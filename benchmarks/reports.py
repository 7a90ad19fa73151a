"""Reports and exports at the size of ten languages of the paper's study, on both databases.

``python -m benchmarks reports`` starts a process for each database, so that neither knows what the
other remembers; pages and files come over HTTP from a Granian as in production.
"""

from __future__ import annotations

import os
import time
import urllib.request
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Row, seconds
from benchmarks.installation import on_both_databases, scratch_installation, tell_rows
from benchmarks.serving import WebServer, web_servers

LANGUAGES = 10
SENTENCES = 200  # with the paper's design: 5,400 judgments
JUDGMENTS = 1_000_000
_BLOCK = 1 << 16


def rows(data: Path | None) -> Iterator[Row]:
    """Each database's rows, SQLite's first."""
    return on_both_databases("benchmarks.reports")


def _measure_here() -> Iterator[Row]:
    """On the database that the environment names."""
    with scratch_installation() as database:
        yield from _measure(database)


def _measure(database: str) -> Iterator[Row]:
    from django.contrib.auth import get_user_model

    from tests.evaluation.answered import make_answered, multiply_judgments

    owner = get_user_model().objects.create_superuser("benchmark")
    studies = [
        make_answered(owner, sentences=SENTENCES, seed=seed) for seed in range(1, LANGUAGES + 1)
    ]
    yield _making(database, studies)
    cookie = _cookie(owner)
    with web_servers(1) as (server,):
        yield from _opening(database, server, cookie, studies)
        multiply_judgments(studies[0], JUDGMENTS)
        for form in ("csv", "jsonl"):
            yield _streaming(database, server, cookie, studies, form)


def _making(database: str, studies: list[Any]) -> Row:
    """What is there is not made again: ten reports asked for twice."""
    from tests.evaluation.answered import make_report

    make_report(studies[0], seed=2)  # kernels compiled, modules loaded

    def all_of_them() -> None:
        for study in studies:
            make_report(study)

    first = seconds(all_of_them, repeat=1)
    again = seconds(all_of_them, repeat=1)
    return Row(
        name=f"{LANGUAGES} reports asked for again, {database}",
        ratio=first / again,
        against="time to make them / to ask again",
        detail={
            "seconds to make one": round(first / LANGUAGES, 2),
            "ms to ask for one again": round(1000 * again / LANGUAGES, 1),
        },
    )


def _opening(database: str, server: WebServer, cookie: str, studies: list[Any]) -> Iterator[Row]:
    from django.urls import reverse

    pages = {
        "a report": reverse("evaluation:study-report", args=[studies[0].pk]),
        "the list of reports": reverse("evaluation:reports"),
        "all studies together": reverse("evaluation:together")
        + "?"
        + "&".join(f"study={study.pk}" for study in studies),
    }
    for name, path in pages.items():
        address = server.address + path
        _fetch(address, cookie)
        took = seconds(partial(_fetch, address, cookie), repeat=5)
        yield Row(
            name=f"open {name}, {LANGUAGES} x 5,400 judgments, {database}",
            ratio=took,
            against="seconds / 1",
            aim="less than 1",
            met=took < 1,
        )


def _streaming(database: str, server: WebServer, cookie: str, studies: list[Any], form: str) -> Row:
    """How much the serving process grows while a million judgments go through it."""
    from django.urls import reverse

    large, small = (
        server.address + reverse("studies:export", args=[study.pk, "judgments", form]) + "?all=1"
        for study in studies[:2]
    )
    _fetch(small, cookie)
    worker = _worker(server)
    before = peak = _resident(worker)
    lines = size = 0
    start = time.perf_counter()
    with _opened(large, cookie) as answer:
        while block := answer.read(_BLOCK):
            lines += block.count(b"\n")
            size += len(block)
            peak = max(peak, _resident(worker))
    took = time.perf_counter() - start
    assert lines >= JUDGMENTS, f"only {lines} lines came"
    return Row(
        name=f"stream a million judgments as {form}, {database}",
        ratio=(peak - before) / size,
        against="growth of the server / size of the file",
        aim="grows by less than 20 MB",
        met=peak - before < 20e6,
        detail={
            "judgments": lines,
            "MB": round(size / 1e6),
            "seconds": round(took, 1),
            "server MB before": round(before / 1e6, 1),
            "server MB at most": round(peak / 1e6, 1),
        },
    )


def _worker(server: WebServer) -> int:
    """The process that serves: the only child of the main one."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    return int(children[-1])


def _resident(pid: int) -> int:
    """Bytes that a process holds in memory."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def _cookie(owner: Any) -> str:
    """A session of somebody who is signed in."""
    from django.conf import settings
    from django.test import Client

    client = Client()
    client.force_login(owner)
    name = settings.SESSION_COOKIE_NAME
    return f"{name}={client.cookies[name].value}"


def _fetch(address: str, cookie: str) -> bytes:
    with _opened(address, cookie) as answer:
        return bytes(answer.read())


def _opened(address: str, cookie: str) -> Any:
    return urllib.request.urlopen(urllib.request.Request(address, headers={"Cookie": cookie}))


if __name__ == "__main__":
    tell_rows(_measure_here())
