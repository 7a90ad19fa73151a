from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from decoding.actions.names import free_name
from decoding.actions.systems import add_kept_system
from decoding.actions.uploads import fetch_upload, forget_upload
from decoding.cards import card_of
from decoding.jobs import JobRun, job
from decoding.models import System
from decoding.storage import keep_folder
from decoding.uploads import scratch
from evaluation.core.errors import InputError

if TYPE_CHECKING:
    from decoding.core.system import System as CoreSystem


@job("import-moses", title="Import a system from Moses")
def import_moses(run: JobRun) -> dict[str, Any]:
    """Read a Moses system, and keep it as one of ours. The upload goes, whatever comes of it."""
    run.expect(1)
    if not run.done:  # else a worker died right after the last piece
        try:
            read = _read(run)
        except InputError:
            forget_upload(run.job)  # nothing of a rejected file is kept
            raise
        _keep(read, run)
    forget_upload(run.job)
    return run.result


def _read(run: JobRun) -> CoreSystem:
    from decoding.core.translation.moses import read_moses_system

    ini = Path(run.parameters["ini"])
    if run.parameters["upload"] is not None:
        ini = fetch_upload(run.job) / ini
    elif not run.job.owner.is_superuser:
        raise InputError("only administrators may name files of the server")
    return read_moses_system(ini, progress=lambda name: run.say(f"reading {name}"))


def _keep(read: CoreSystem, run: JobRun) -> None:
    run.say("writing it")
    about = run.parameters["about"]
    with tempfile.TemporaryDirectory(prefix="system-", dir=scratch()) as folder:
        read.save(Path(folder))
        kept = keep_folder(Path(folder))
    with run.piece(message="kept"):
        system = add_kept_system(
            kept,
            owner=run.job.owner,
            kind=System.Kind.IMPORTED,
            card=card_of(read),
            **about | {"name": free_name(run.job.owner, about["name"])},
        )
        run.result = {"system": system.pk}
