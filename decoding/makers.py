"""Who makes lists: for a system and a recipe, a function from a segment to its translations.

A maker does not know the database: it is handed the segment's number and source, and may be used
by several threads. Systems are opened once in a process and share their mapped pages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from decoding.core.formats.nbest import NBestEntry
from decoding.models import Corpus, Pool, RecipeVersion, System
from decoding.pools import read_pool
from decoding.storage import fetch_folder
from evaluation.core.errors import VariorumError


@dataclass(frozen=True, slots=True)
class Translation:
    """An entry of a list, before it is a row."""

    text: str
    score: float | None = None
    features: dict[str, list[float]] = field(default_factory=dict)
    segmentation: list[list[Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Maker:
    """What makes the lists of one recipe."""

    make: Callable[[int, str], list[Translation]]  # of segment number and source
    checksum: str  # of the system or the pool


def maker_for(system: System, corpus: Corpus, version: RecipeVersion) -> Maker:
    """The maker for a corpus's segments; a VariorumError says why there is none."""
    if problem := why_not(system, corpus, version):
        raise VariorumError(problem)
    if version.is_decoded:
        raise VariorumError("This version cannot decode.")
    pool = system.pools.get(corpus=corpus)
    return Maker(
        partial(_from_pool, fetch_folder(pool.checksum, pool.storage_key), version), pool.checksum
    )


def why_not(system: System, corpus: Corpus, version: RecipeVersion) -> str:
    """Why the system cannot make lists of the corpus by this recipe; mostly nothing."""
    if system.is_external and version.is_decoded:
        return (
            f"{system} is external, so {version.recipe} cannot decode with it. Choose a recipe "
            "for pools."
        )
    if not system.is_external and not version.is_decoded:
        return (
            f"{version.recipe} chooses from uploaded translations, and {system} has none. Choose "
            "a recipe that decodes."
        )
    if system.is_external and not Pool.objects.filter(system=system, corpus=corpus).exists():
        return f"There are no translations of {corpus} by {system}. Upload them first."
    return ""


def _from_pool(folder: Path, version: RecipeVersion, number: int, source: str) -> list[Translation]:
    """Pool selection (recipes pool-best and pool-diverse)."""
    entries = _distinct(read_pool(folder, number))
    if version.kind == RecipeVersion.Kind.POOL_BEST:
        chosen = entries[: version.length]
    else:
        raise VariorumError("This version cannot choose diverse lists from a pool.")
    return [
        Translation(
            entry.text,
            entry.score,
            {name: list(values) for name, values in entry.features.items()},
        )
        for entry in chosen
    ]


def _distinct(entries: list[NBestEntry]) -> list[NBestEntry]:
    """The first entry of each text."""
    first: dict[str, NBestEntry] = {}
    for entry in entries:
        first.setdefault(entry.text, entry)
    return list(first.values())
