from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import ObjectDoesNotExist

from decoding.actions.lists import MadeList, save_lists
from decoding.disk import full_disk
from decoding.jobs import JobRun, JobStopped, job
from decoding.makers import Maker, maker_for
from decoding.models import Corpus, RecipeVersion, Segment, System
from decoding.parts import cut, forget_parts, share_out
from decoding.queries.jobs import counted_lists
from decoding.queries.lists import lists_there, segments_without
from decoding.stretches import Numbers
from evaluation.core.errors import VariorumError

_log = logging.getLogger(__name__)

# What is made within this time is committed at once: many commits cost more than what they save.
_COMMIT_SECONDS = 2.0


@job("make-lists", title="Make translation lists")
def make_lists(run: JobRun) -> dict[str, Any]:
    """Lists of a corpus's segments by some recipes, in parts over all workers."""
    corpus, _, makers = _makers(run)  # what cannot begin fails here, once
    share_lists(
        run, corpus, {run.parameters["system"]: [v.pk for v in makers]}, run.parameters["segments"]
    )
    return counted_lists(run.job)


def share_lists(
    run: JobRun,
    corpus: Corpus,
    versions: Mapping[int, Sequence[int]],
    segments: Iterable[Numbers] | None = None,
) -> None:
    """Have the missing lists made, by each system's recipe versions, in parts over all workers.

    Of all segments, or of those with these numbers.
    """
    parts = []
    for system, wanted in versions.items():
        keys: list[int] = []
        if not run.result.get("parts"):  # else the parts are there
            keys = segments_without(corpus, system, wanted, segments)
        parts += [
            {
                "corpus": corpus.pk,
                "system": system,
                "recipe_versions": list(wanted),
                "segments": some,
            }
            for some in cut(keys)
        ]
    share_out(run, "make-lists-part", parts, [len(part["segments"]) for part in parts])
    with run.piece(0):
        forget_parts(run)


@job("make-lists-part", title="Make translation lists, a part")
def make_lists_part(run: JobRun) -> None:
    """Lists of some segments, each list made once, whoever else makes them too."""
    keys = run.parameters["segments"][run.done :]
    _, system, makers = _makers(run)
    there = lists_there(keys, system.pk, [version.pk for version in makers])
    by_key = Segment.objects.in_bulk(keys)
    made: list[MadeList] = []
    segments_made, since = 0, time.monotonic()
    for position, key in enumerate(keys, start=1):
        segment = by_key.get(key)
        for version, maker in makers.items():
            if segment is not None and (key, version.pk) not in there:
                run.check()
                made.append(_make(segment, version, maker))
        segments_made += 1
        if time.monotonic() - since > _COMMIT_SECONDS or position == len(keys):
            with run.piece(segments_made, message=f"segment {segment.number}" if segment else ""):
                save_lists(made, run.job.parent, system)
            made, segments_made, since = [], 0, time.monotonic()


def _makers(run: JobRun) -> tuple[Corpus, System, dict[RecipeVersion, Maker]]:
    """The job's corpus and system, and who makes the lists of each of its recipes."""
    try:
        corpus = Corpus.objects.get(pk=run.parameters["corpus"])
        system = System.objects.get(pk=run.parameters["system"])
    except ObjectDoesNotExist as error:
        raise VariorumError("The corpus or the system has been deleted meanwhile.") from error
    versions = RecipeVersion.objects.filter(pk__in=run.parameters["recipe_versions"])
    makers = {
        version: maker_for(system, corpus, version)
        for version in versions.select_related("recipe").order_by("pk")
    }
    return corpus, system, makers


def _make(segment: Segment, version: RecipeVersion, maker: Maker) -> MadeList:
    """A list, or why there is none: the other segments shall not suffer for it."""
    try:
        translations = maker.make(segment.number, segment.source)
        if translations:
            return MadeList(segment, version, maker.checksum, translations)
        reason, kept = "The system found no translation.", ""
    except JobStopped:
        raise
    except VariorumError as error:
        reason, kept = str(error), ""
    except Exception as error:  # one bad segment fails alone, whatever it is
        if full_disk(error):
            raise  # that is no segment's fault, and all others would fail with it
        _log.exception("a list failed", extra={"segment": segment.pk, "recipe": version.pk})
        reason = f"Something happened that Variorum did not foresee ({type(error).__name__})."
        kept = traceback.format_exc()
    return MadeList(segment, version, maker.checksum, failure=reason, traceback=kept)
