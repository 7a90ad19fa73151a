"""A tuning loop's progress as a file, so that what crashed is resumed and not repeated."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np

from evaluation.core.errors import InputError
from evaluation.core.tuning.lists import KBestLists
from evaluation.core.tuning.loop import Progress, Round

_HINT = "Remove it to tune from the start."


def save_progress(path: Path, progress: Progress, settings: str) -> None:
    """Write the progress; a reader finds the old file or the new one, never half of one.

    ``settings`` says what was tuned and how: it must be the same to go on.
    """
    lists = progress.lists
    arrays = {
        "settings": np.array(settings),
        "stopped": np.array(progress.stopped),
        "weights": progress.weights,
        "round_weights": np.array([done.weights for done in progress.rounds]),
        "round_scores": np.array([(done.score, done.forecast) for done in progress.rounds]),
        "round_sizes": np.array(
            [(done.hypotheses, done.new) for done in progress.rounds], np.int64
        ),
    }
    if lists is not None:
        arrays |= {
            "offsets": lists.offsets,
            "features": lists.features,
            "statistics": lists.statistics,
        }
    part = path.with_name(path.name + ".part")
    with part.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    part.replace(path)


def load_progress(path: Path, settings: str) -> Progress:
    """Read what `save_progress` wrote, if it was with the same settings."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = dict(file)
            kept = str(arrays["settings"])
            rounds = tuple(
                Round(weights, float(scores[0]), int(sizes[0]), int(sizes[1]), float(scores[1]))
                for weights, scores, sizes in zip(
                    arrays["round_weights"],
                    arrays["round_scores"],
                    arrays["round_sizes"],
                    strict=True,
                )
            )
            lists = (
                KBestLists(arrays["offsets"], arrays["features"], arrays["statistics"])
                if "offsets" in arrays
                else None
            )
            progress = Progress(rounds, arrays["weights"], lists, str(arrays["stopped"]))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(f"is no tuning progress ({error})", path=path, hint=_HINT) from error
    if kept != settings:
        raise InputError(f"is of another tuning ({kept}, not {settings})", path=path, hint=_HINT)
    return progress
