"""The whole way on a real system: import, lists over several workers, faults in the middle; and
the same lists, bit by bit, as the command line makes.
"""

from __future__ import annotations

import gzip
import itertools
from io import StringIO

import pytest
from django.core.management import call_command
from django.db.models import Count

from decoding.actions.corpora import import_corpus
from decoding.actions.imports import ask_for_import_of_path
from decoding.actions.jobs import announce
from decoding.actions.lists import ask_for_lists
from decoding.core.formats.nbest import read_lists
from decoding.core.formats.segments import read_text_segments
from decoding.models import FailedSegment, Recipe, System, TranslationList
from decoding.storage import fetch_folder
from tests.queueing import finished, wait_until

pytestmark = pytest.mark.slow

SEGMENTS = 200


@pytest.fixture
def corpus(administrator, reference_data, tmp_path):
    sides = []
    for language in ("de", "en"):
        path = tmp_path / f"test.{language}"
        with gzip.open(reference_data(f"multi30k-deen/test2016.{language}.gz"), "rt") as lines:
            path.write_text("".join(itertools.islice(lines, SEGMENTS)))
        sides.append(path)
    return import_corpus(
        read_text_segments(sides[0], sides[1:]),
        owner=administrator, name="captions", source_language="de", target_language="en",
        source_direction="ltr", target_direction="ltr",
    )  # fmt: skip


@pytest.fixture
def system(queue, administrator, reference_data):
    ini = reference_data("moses-multi30k-deen/moses.ini")
    job = ask_for_import_of_path(
        str(ini), owner=administrator, name="m30k", source_language="de", target_language="en"
    )
    queue.worker()
    wait_until(lambda: finished(job), seconds=250, what="for the import")
    assert job.state == "done", job.error
    return System.objects.get()


def test_lists_through_faults_are_those_of_the_command_line(
    queue, administrator, system, corpus, tmp_path
):
    versions = [recipe.newest for recipe in Recipe.objects.filter(name__startswith="Five")]
    job = ask_for_lists(corpus, system, versions, owner=administrator)
    second = queue.worker()
    announce(job.pk)
    announce(job.pk)
    wait_until(lambda: TranslationList.objects.exists(), seconds=250, what="for some lists")
    second.kill()
    queue.worker()
    queue.restart_broker()
    wait_until(lambda: finished(job), seconds=400, what="for all lists")
    assert (job.state, job.error) == ("done", "")
    assert (job.done, job.total) == (SEGMENTS, SEGMENTS)
    assert not FailedSegment.objects.exists()
    per_segment = corpus.segments.annotate(made=Count("lists")).values_list("made", flat=True)
    assert set(per_segment) == {2}
    for version, options in zip(
        versions,
        (["--kbest", "5", "--unique"], ["--diverse", "5", "--n", "4", "--lambda", "0.1"]),
        strict=True,
    ):
        expected = decoded(system, tmp_path, *options)
        for made in lists_of(version):
            wanted = expected[made.segment.number - 1]
            assert [(e.text, e.score, e.features) for e in made.entries.all()] == [
                (e.text, e.score, {k: list(v) for k, v in e.features.items()}) for e in wanted
            ]
    # Asking again finds everything there.
    again = ask_for_lists(corpus, system, versions, owner=administrator)
    wait_until(lambda: finished(again))
    assert (again.state, again.total) == ("done", 0)


def lists_of(version):
    lists = TranslationList.objects.filter(recipe_version=version).select_related("segment")
    found = list(lists.prefetch_related("entries"))
    assert len(found) == SEGMENTS
    return found


def decoded(system, tmp_path, *options):
    folder = fetch_folder(system.checksum, system.storage_key)
    output = tmp_path / "lists.gz"
    call_command(
        "decode", "--system", str(folder), "--input", str(tmp_path / "test.de"),
        "--nbest-output", str(output), "--threads", "2", *options, stdout=StringIO(),
    )  # fmt: skip
    return list(read_lists(output))
