from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from decoding.actions.deletion import discard_unless_used
from decoding.actions.systems import add_kept_system
from decoding.cards import card_of
from decoding.jobs import JobRun, job
from decoding.models import System
from decoding.storage import fetch_folder, keep_folder
from decoding.uploads import scratch
from evaluation.core.errors import InputError


@job("import-moses", title="Import a system from Moses")
def import_moses(run: JobRun) -> dict[str, Any]:
    """Read a Moses system, and keep it as one of ours. The upload goes, whatever comes of it."""
    from decoding.core.translation.moses import read_moses_system

    upload = run.parameters["upload"]
    ini = Path(run.parameters["ini"])
    run.expect(1)
    if run.done:  # a worker died right after the last piece
        return run.result
    try:
        if upload is not None:
            ini = fetch_folder(*upload) / ini
        elif not run.job.owner.is_superuser:
            raise InputError("only administrators may name files of the server")
        read = read_moses_system(ini, progress=lambda name: run.say(f"reading {name}"))
        run.say("writing it")
        with tempfile.TemporaryDirectory(prefix="system-", dir=scratch()) as folder:
            read.save(Path(folder))
            kept = keep_folder(Path(folder))
            with run.piece(message="kept"):
                system = add_kept_system(
                    kept,
                    owner=run.job.owner,
                    kind=System.Kind.IMPORTED,
                    card=card_of(read),
                    **run.parameters["about"],
                )
                run.result = {"system": system.pk}
    except InputError:
        _forget(upload)  # nothing of a rejected file is kept
        raise
    _forget(upload)
    return run.result


def _forget(upload: list[str] | None) -> None:
    if upload is not None:
        discard_unless_used(*upload)
