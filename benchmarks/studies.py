"""Handing out and taking in: twenty clients over HTTP, one by calls, and a whole study.

The aims: 300 pairs of lease and submission a second on PostgreSQL, 150 on SQLite, 95 of 100 within
100 ms. Other tools on such a machine, over HTTP: Appraise 16, Potato 29, Factgenie 39, Pearmut 51
pairs a second. Clients and servers share the machine's cores. On SQLite there is one web process,
as `manage.py up` starts it; on PostgreSQL there are two. Both are measured, each with a database
and servers of its own.
"""

from __future__ import annotations

import os
import random
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.harness import Row
from benchmarks.installation import on_both_databases, scratch_installation, tell_rows
from benchmarks.serving import web_servers

CLIENTS = 20
SECONDS = 10.0
SENTENCES = 200
PEERS = {"Appraise": 16, "Potato": 29, "Factgenie": 39, "Pearmut": 51}


def rows(data: Path | None) -> Iterator[Row]:
    """The paper's study, on SQLite and on PostgreSQL, each in a process of its own."""
    return on_both_databases("benchmarks.studies")


def _measure_here() -> Iterator[Row]:
    """On the database that the environment names."""
    with scratch_installation() as database:
        yield from _by_calls(database, _study()[0])
        with web_servers(2 if database == "PostgreSQL" else 1) as servers:
            addresses = [server.address for server in servers]
            yield from _over_http(database, addresses, _study()[1])
            yield from _whole_study(database, addresses)


def _study() -> tuple[Any, str]:
    """The paper's design over invented lists."""
    from django.contrib.auth import get_user_model

    from studies.arrivals import SIMULATED, simulation_proof
    from tests.studies.making import make_running_study

    owner, _ = get_user_model().objects.get_or_create(username="benchmark")
    study = make_running_study(owner, sentences=SENTENCES)
    return study, f"/take/{study.code}/?{SIMULATED}={simulation_proof(study)}"


class Client:
    """A participant as cheap as can be, for client and servers share the cores: no parsing of HTML,
    no redirects. It comes through the real pages and sends what a browser's script sends.
    """

    def __init__(self, address: str, link: str, rng: random.Random) -> None:
        from studies.crowd import Browser, Person

        browser = Browser(address)
        self.page = Person(browser, link, rng).arrive().text.encode()
        browser.close()
        parts = urlsplit(address)
        self.socket = socket.create_connection((parts.hostname, parts.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        self.head = (
            f"POST {link.partition('?')[0]}task/ HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Cookie: {cookies}\r\nX-Take: script\r\n"
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: "
        ).encode()
        self.token = browser.cookies["csrftoken"].encode()

    @property
    def has_task(self) -> bool:
        """Whether there is something to answer."""
        return b'name="key" value="' in self.page

    def answer(self) -> None:
        """Send the form of the page, and take the next page."""
        key = self.page.partition(b'name="key" value="')[2][:36]
        said = b"action=a"
        if b'data-kind="editing"' in self.page:
            said = b"action=submit&keys=40&text=A+sentence+of+some+words+" + key
        body = b"csrfmiddlewaretoken=%b&key=%b&active=2500&pauses=0&blurs=0&%b" % (
            self.token, key, said,
        )  # fmt: skip
        self.socket.sendall(b"%b%d\r\n\r\n%b" % (self.head, len(body), body))
        got = self.socket.recv(65536)
        while b"\r\n\r\n" not in got:
            got += self.socket.recv(65536)
        head, _, page = got.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), got
        length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
        while len(page) < length:
            page += self.socket.recv(65536)
        self.page = page

    def close(self) -> None:
        """Hang up."""
        self.socket.close()


def _over_http(database: str, addresses: list[str], link: str) -> Iterator[Row]:
    """Twenty clients, each one person after the other; only submit and lease are timed."""
    times: list[float] = []
    problems: list[BaseException] = []
    stop = threading.Event()
    begin = threading.Barrier(CLIENTS + 1)

    def work(number: int) -> None:
        address, rng = addresses[number % len(addresses)], random.Random(number)
        client = Client(address, link, rng)
        begin.wait()
        try:
            while not stop.is_set():
                if not client.has_task:
                    client.close()
                    client = Client(address, link, rng)
                    if not client.has_task:
                        return
                start = time.perf_counter()
                client.answer()
                times.append(time.perf_counter() - start)
        except BaseException as error:  # noqa: BLE001 (raised below)
            problems.append(error)
        finally:
            client.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    load = os.getloadavg()[0]
    begin.wait()
    start = time.perf_counter()
    stop.wait(SECONDS)
    stop.set()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - start
    if problems:
        raise problems[0]
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
            "load of the machine before": round(load, 1),
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


def _by_calls(database: str, study: Any) -> Iterator[Row]:
    """The same without HTTP and pages: what actions and database take, one client."""
    from studies.actions.handing_out import lease_next, submit_edit, submit_judgment
    from tests.studies.making import make_participant

    count, wall, cpu = 0, 0.0, 0.0
    while wall < SECONDS / 3:
        one = make_participant(study)
        task = lease_next(one.pk)
        if task is None:
            break
        start, start_cpu = time.perf_counter(), time.process_time()
        for _ in range(50):
            if task.kind == "editing":
                submit_edit(one.pk, task.key, "A sentence of some words.")
            else:
                submit_judgment(one.pk, task.key, "a")
            count += 1
            task = lease_next(one.pk)
            if task is None:
                break
        wall += time.perf_counter() - start
        cpu += time.process_time() - start_cpu
    yield Row(
        name=f"submit and lease by calls, {database}",
        ratio=count / wall / max(PEERS.values()),
        against="our pairs a second / the fastest peer's (51)",
        detail={
            "pairs a second": round(count / wall, 1),
            "ms of CPU in Python a pair": round(cpu / count * 1000, 2),
            "clients": 1,
        },
    )


def _whole_study(database: str, addresses: list[str]) -> Iterator[Row]:
    """The paper's study, from the first edit to the last judgment, by the simulated crowd: it reads
    and parses every page.
    """
    from studies.crowd import play
    from studies.models import Edit, Judgment, Slot

    study, link = _study()
    start = time.perf_counter()
    people = answers = 0
    while Slot.objects.filter(study=study).exclude(state="filled").exists():
        answers += play(
            addresses[0], lambda number: link, people=CLIENTS, seed=people, at_once=CLIENTS // 2
        )
        people += CLIENTS
    elapsed = time.perf_counter() - start
    counted = {"slot__study": study, "standing": "counted"}
    edits = Edit.objects.filter(**counted).count()
    judgments = Judgment.objects.filter(**counted).count()
    yield Row(
        name=f"the whole study by the simulated crowd, {database}",
        ratio=answers / elapsed / max(PEERS.values()),
        against="answers a second / the fastest peer's (51)",
        aim="1200 edits, 5400 judgments",
        met=(edits, judgments) == (1200, 5400),
        detail={
            "seconds": round(elapsed, 1),
            "answers a second": round(answers / elapsed, 1),
            "people": people,
            "edits": edits,
            "judgments": judgments,
            "load of the machine after": round(os.getloadavg()[0], 1),
        },
    )


if __name__ == "__main__":
    tell_rows(_measure_here())
