"""A job that makes lists against the bare core, on the same sentences with as many threads.

The job is the real one: a broker, a Celery worker, rows with scores, features, segmentations and
figures in the database, SQLite and PostgreSQL by turns, whose server has no other cores than the
worker. The bare core makes the same unique best and diverse lists, as the job does from one first
search of each sentence, and keeps nothing.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness import Row, reference_data
from benchmarks.installation import on_both_databases, scratch_installation, tell_rows

if TYPE_CHECKING:
    from decoding.core.search.decoder import SentenceOptions
    from decoding.models import Corpus, System

MOST_OVERHEAD = 0.15
PROCESSES, REPEAT = 3, 2
_ROOT = Path(__file__).resolve().parent.parent


def rows(data: Path | None) -> Iterator[Row]:
    """The Multi30k system of the reference data, its dev and test sets, on both databases."""
    return iter(()) if data is None else on_both_databases("benchmarks.making_lists")


def _measure_here() -> Iterator[Row]:
    """On the database that the environment names."""
    data = reference_data()
    assert data is not None  # or nobody would have asked
    # Kernels are compiled before anything is measured; those of the tests will do.
    os.environ.setdefault("NUMBA_CACHE_DIR", str(kernels()))
    with scratch_installation(VARIORUM_LOG_LEVEL="ERROR") as database:
        corpus, system, lines = prepare(data / "moses-multi30k-deen")
        for threads in (1, 2):
            yield from _compare(database, corpus, system, lines, threads)


def kernels() -> Path:
    """Where compiled kernels are."""
    from config.environment import kernel_cache

    return kernel_cache(_ROOT / ".numba_cache")


def prepare(folder: Path) -> tuple[Corpus, System, list[str]]:
    """The application's corpus and system of the reference data, and the corpus's lines."""
    from django.contrib.auth import get_user_model

    from decoding.actions.corpora import import_corpus
    from decoding.actions.systems import keep_system
    from decoding.core.formats.segments import read_text_segments
    from decoding.core.translation.moses import read_moses_system

    owner = get_user_model().objects.create_user("benchmark")
    sides = [
        [folder / f"{part}.{language}" for part in ("val", "test_2016_flickr")]
        for language in ("de", "en")
    ]
    corpus = import_corpus(
        [one for source, target in zip(*sides, strict=True)
         for one in read_text_segments(source, [target])],
        owner=owner, name="captions", source_language="de", target_language="en",
        source_direction="ltr", target_direction="ltr",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        read_moses_system(folder / "moses.ini").save(Path(place))
        system = keep_system(
            Path(place), owner=owner, kind="imported", card={},
            name="m30k", source_language="de", target_language="en",
        )  # fmt: skip
    return corpus, system, list(corpus.segments.values_list("source", flat=True))


def _compare(
    database: str, corpus: Corpus, system: System, lines: Sequence[str], threads: int
) -> Iterator[Row]:
    """The best of a few times of each, by turns, by the clock and by the processor's.

    In several processes of each, for where one has its memory makes the same search slower or
    faster by up to 5 %. And where the machine has other work too, the clock says more about that
    than about the job.
    """
    import django

    bare, job = [], []
    for _ in range(PROCESSES):
        with ProcessPoolExecutor(1, get_context("spawn"), initializer=django.setup) as alone:
            alone.submit(_bare, system.pk, lines[:40], threads).result()
            bare += [alone.submit(_bare, system.pk, lines, threads).result() for _ in range(REPEAT)]
        with _worker(threads) as process:
            _seconds_of_job(corpus, system, range(1, 41))  # opens the system, loads kernels
            for _ in range(REPEAT):
                used = _processor_seconds(process)
                clock = _seconds_of_job(corpus, system, range(1, len(lines) + 1))
                job.append((clock, _processor_seconds(process) - used))
    for kind, name in enumerate(("by the clock", "processor time")):
        ours, core = min(one[kind] for one in job), min(one[kind] for one in bare)
        yield Row(
            name=f"a job, {threads} threads, {database}, {name}",
            ratio=ours / core - 1,
            against="the job's time / the bare core's - 1",
            aim=f"at most {MOST_OVERHEAD}",
            met=ours / core - 1 <= MOST_OVERHEAD,
            detail={
                "segments": len(lines),
                "lists of a segment": 2,
                "job: segments a second": round(len(lines) / ours, 1),
                "core: segments a second": round(len(lines) / core, 1),
                "job seconds": " ".join(f"{one[kind]:.2f}" for one in job),
                "core seconds": " ".join(f"{one[kind]:.2f}" for one in bare),
                "load average": round(os.getloadavg()[0], 1),
            },
        )


def _processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """What a process with its threads has used so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _bare(system: int, lines: Sequence[str], threads: int) -> tuple[float, float]:
    """Seconds by the clock and of the processor, in a process of its own."""
    from decoding.core.diversity.lists import DiversityOptions, diverse_list
    from decoding.core.search.bulk import map_sentences
    from decoding.core.search.decoder import SearchOptions
    from decoding.makers import decoder_of
    from decoding.models import System

    stored = System.objects.get(pk=system)
    decoder = decoder_of(stored.checksum, stored.storage_key)
    search, options = SearchOptions(), DiversityOptions(5, 4, 0.1)

    def both(sentence: SentenceOptions) -> list[tuple[str, float, list[float]]]:
        graph = decoder.search(sentence, search)
        best = graph.best_derivations(5, unique=True, most=1000)
        diverse = [r.best for r in diverse_list(decoder, sentence, options, search, first=graph)]
        return [(d.text, d.score, d.features.tolist()) for d in (*best, *diverse)]

    start, used = time.perf_counter(), time.process_time()
    for _ in map_sentences(decoder, lines, both, threads=threads):
        pass
    return time.perf_counter() - start, time.process_time() - used


def _seconds_of_job(corpus: Corpus, system: System, segments: range) -> float:
    """From when it is asked for until its row says that it is done."""
    from django.db import connection

    from decoding.actions.lists import ask_for_lists
    from decoding.models import Recipe, TranslationList

    TranslationList.objects.all().delete()
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")  # or PostgreSQL would do it at some time, maybe while we measure
    versions = [recipe.newest for recipe in Recipe.objects.filter(name__startswith="Five")]
    job = ask_for_lists(corpus, system, versions, owner=corpus.owner, segments=segments)
    while not job.is_finished:  # its row has the time, so there is no haste
        time.sleep(0.5)
        job.refresh_from_db()
    if job.finished_at is None or job.result.get("lists failed") != 0:
        raise RuntimeError(f"{job}: {job.error} {job.result}")
    return (job.finished_at - job.created_at).total_seconds()


@contextmanager
def _worker(threads: int) -> Iterator[subprocess.Popen[bytes]]:
    """A broker and a Celery worker, as `manage.py up` starts them."""
    from django.conf import settings

    from config import supervisor
    from config.environment import embedded_socket

    environment = os.environ | {"VARIORUM_WORKER_THREADS": str(threads)}
    programs = supervisor.broker(embedded_socket(settings.DATA_DIR)), supervisor.worker()
    processes = [
        subprocess.Popen(program.command, cwd=_ROOT, env=environment, stdout=subprocess.DEVNULL)
        for program in programs
    ]
    try:
        yield processes[-1]
    finally:
        for process in reversed(processes):
            process.send_signal(signal.SIGTERM)
            process.wait(20)


if __name__ == "__main__":
    tell_rows(_measure_here())
