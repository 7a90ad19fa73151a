from __future__ import annotations

from typing import Any

from django.db import transaction

from decoding.actions.corpora import keep_corpus, read_facts
from decoding.actions.deletion import delete_unless_used
from decoding.actions.names import free_name
from decoding.actions.uploads import fetch_upload, forget_upload
from decoding.jobs import JobRun, job
from decoding.models import Corpus, System


@job("import-corpus", title="Import a corpus")
def import_corpus(run: JobRun) -> dict[str, Any]:
    """Write the segments of a large upload, which were looked through when it came."""
    if not run.done:
        folder = fetch_upload(run.job)
        segments = read_facts(folder).segment_count
        run.expect(segments)
        run.say("writing the segments: the corpus is there when all of them are")
        about = run.parameters["about"]
        name = free_name(run.job.owner, about["name"], Corpus)
        # The job's row is written last, for it is locked from then on until the commit.
        with transaction.atomic():
            corpus = keep_corpus(
                folder, owner=run.job.owner, between=run.check, **about | {"name": name}
            )
            with run.piece(segments):
                run.result = {"corpus": corpus.pk}
    forget_upload(run.job)
    return run.result


@job("delete-corpus", title="Delete a corpus")
def delete_corpus(run: JobRun) -> dict[str, Any]:
    """Delete a large corpus, unless a study has come to need it."""
    return _delete(run, Corpus.objects.filter(pk=run.parameters["corpus"]).first())


@job("delete-system", title="Delete a system")
def delete_system(run: JobRun) -> dict[str, Any]:
    """Delete a system with many lists, unless a study has come to need it."""
    return _delete(run, System.objects.filter(pk=run.parameters["system"]).first())


def _delete(run: JobRun, owned: Corpus | System | None) -> dict[str, Any]:
    if run.done or owned is None:
        return run.result

    def count() -> None:
        with run.piece():
            run.result = {"deleted": str(owned)}

    run.expect(1)
    run.say("deleting all that belongs to it")
    delete_unless_used(owned, finally_=count)
    return run.result
