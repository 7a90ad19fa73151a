"""Handing out and taking in: twenty clients at once, over HTTP and without, on the usual database.

The aims are those of the study's issue: 300 pairs of lease and submission a second on PostgreSQL,
150 on SQLite, 95 of 100 within 100 ms. Other tools on such a machine: Appraise 16, Potato 29,
Factgenie 39, Pearmut 51 pairs a second. ``python -m tests.on_postgres python -m benchmarks
studies`` measures on PostgreSQL.
"""

from __future__ import annotations

import os
import random
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.harness import Row
from benchmarks.serving import web_servers

CLIENTS = 20
SECONDS = 10.0
SENTENCES = 200
PEERS = {"Appraise": 16, "Potato": 29, "Factgenie": 39, "Pearmut": 51}


def rows(data: Path | None) -> Iterator[Row]:
    """Pairs a second of the paper's study, EDITING and EVAL."""
    with tempfile.TemporaryDirectory(prefix="vb-", dir="/tmp") as folder:
        os.environ["VARIORUM_DATA"] = folder
        url = os.environ.get("VARIORUM_TEST_DATABASE_URL")
        if url:
            os.environ["DATABASE_URL"] = url
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        study, link = _study()
        with web_servers(2) as servers:
            addresses = [server.address for server in servers]
            yield from _measure("PostgreSQL" if url else "SQLite", addresses, link, study)


def _study() -> tuple[object, str]:
    """The paper's design over invented lists."""
    from django.contrib.auth import get_user_model

    from studies.arrivals import SIMULATED, simulation_proof
    from tests.studies.making import make_running_study

    owner = get_user_model().objects.create_user("benchmark")
    study = make_running_study(owner, sentences=SENTENCES)
    return study, f"/take/{study.code}/?{SIMULATED}={simulation_proof(study)}"


def _measure(database: str, addresses: list[str], link: str, study: object) -> Iterator[Row]:
    from studies.crowd import Browser, Person

    times: list[float] = []
    stop = threading.Event()
    begin = threading.Barrier(CLIENTS + 1)

    def work(number: int) -> None:
        """One person after the other, until time is over; only tasks are timed."""
        browser = Browser(addresses[number % len(addresses)])
        person = Person(browser, link, random.Random(number))
        page = person.arrive()
        begin.wait()
        while not stop.is_set():
            if not page.kind:
                browser.close()
                browser = Browser(addresses[number % len(addresses)])
                person = Person(browser, link, person.rng)
                page = person.arrive()
                if not page.kind:
                    return
            start = time.perf_counter()
            page = person.answer(page)
            times.append(time.perf_counter() - start)
        browser.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    begin.wait()
    start = time.perf_counter()
    stop.wait(SECONDS)
    stop.set()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - start
    times.sort()
    pairs = len(times) / elapsed
    aim = 300 if database == "PostgreSQL" else 150
    middle, high = times[len(times) // 2], times[int(len(times) * 0.95)]
    yield Row(
        name=f"submit and lease over HTTP, {database}",
        ratio=pairs / max(PEERS.values()),
        against="our pairs a second / the fastest peer's (51)",
        aim=f"{aim} pairs a second",
        met=pairs >= aim,
        detail={
            "pairs a second": round(pairs, 1),
            "p50 ms": round(middle * 1000, 1),
            "p95 ms": round(high * 1000, 1),
            "clients": CLIENTS,
            "web processes": len(addresses),
            "load average before": round(os.getloadavg()[0], 1),
        },
    )
    yield Row(
        name=f"95 of 100 submissions, {database}",
        ratio=high / 0.1,
        against="seconds / 0.1",
        aim="at most 1",
        met=high <= 0.1,
        detail={"clients and servers on the same cores": True},
    )
