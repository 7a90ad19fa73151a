"""Who makes lists: for a system and a recipe, a function from a segment to its translations.

A maker does not know the database: it is handed the segment's number and source, and may be used
by several threads. Systems are opened once in a process and share their mapped pages.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from decoding.languages import language_problem
from decoding.models import Corpus, Pool, RecipeVersion, System
from decoding.pools import read_pool
from decoding.preparing import texts_of
from decoding.storage import fetch_folder
from evaluation.core.errors import VariorumError

if TYPE_CHECKING:  # numba comes with these, and pages must not wait for it
    from decoding.core.search.decoder import Decoder, SearchOptions
    from decoding.core.search.graph import Derivation, SearchGraph

_OBJECTS_BETWEEN_COLLECTIONS = 50_000
_POP_LIMITS = {RecipeVersion.Search.STANDARD: 1000, RecipeVersion.Search.THOROUGH: 5000}


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

        def make(number: int, source: str) -> list[Translation]:
            decoder_for_jobs(system.checksum, system.storage_key)
            return list_by_decoding(system, version, source)

        return Maker(make, system.checksum)
    pool = system.pools.get(corpus=corpus)
    folder = fetch_folder(pool.checksum, pool.storage_key)
    return Maker(
        partial(_from_pool, folder, version, words_of=texts_of(system).to_measure), pool.checksum
    )


def why_not(system: System, corpus: Corpus, version: RecipeVersion) -> str:
    """Why the system cannot make lists of the corpus by this recipe; mostly nothing."""
    if problem := language_problem(system, corpus):
        return problem
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


@lru_cache(maxsize=4)
def decoder_of(checksum: str, key: str) -> Decoder:
    """The decoder of a stored system. Its arrays are mapped, so several take little memory."""
    from decoding.core.search.decoder import Decoder
    from decoding.core.system import System as CoreSystem

    return Decoder(CoreSystem.open(fetch_folder(checksum, key)))


@lru_cache(maxsize=4)
def decoder_for_jobs(checksum: str, key: str) -> Decoder:
    """The same, where many lists will be made with it: in a worker, not in a web server."""
    decoder = decoder_of(checksum, key)
    # All that is loaded by now stays. Looking through it again and again for garbage stops a
    # worker's threads for a tenth of a second each time. And lists are many small objects without
    # cycles: looking through those every 700 of them takes a fortieth of the time of decoding.
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    return decoder


@lru_cache(maxsize=8)
def _first_search(decoder: Decoder, text: str, search: SearchOptions) -> SearchGraph:
    """What every list of a sentence begins with, so several recipes cost one such search."""
    return decoder.search(decoder.collect(text), search)


def list_by_decoding(system: System, version: RecipeVersion, source: str) -> list[Translation]:
    """Unique best (ALGORITHMS A4) or diverse lists (A3, A5), as ``manage.py decode`` makes them."""
    from decoding.core.diversity.lattice import diverse_from_graph
    from decoding.core.diversity.lists import DiversityOptions, diverse_list
    from decoding.core.search.decoder import SearchOptions

    decoder = decoder_of(system.checksum, system.storage_key)
    search = SearchOptions(pop_limit=_POP_LIMITS[RecipeVersion.Search(version.search)])
    graph = _first_search(decoder, texts_of(system).to_decode(source), search)
    if version.kind == RecipeVersion.Kind.UNIQUE_BEST:
        best = graph.best_derivations(version.length, unique=True, most=version.kbest)
        return [_translation(decoder, derivation) for derivation in best]
    options = DiversityOptions(
        version.length, version.order, version.strength, distinct=version.distinct
    )
    if version.from_graph:
        found = diverse_from_graph(graph, options)
        return [_translation(decoder, derivation) for derivation in found]
    keep = version.per_list > 1
    rounds = diverse_list(decoder, graph.sentence, options, search, first=graph, keep=keep)
    if not keep:
        return [_translation(decoder, one.best) for one in rounds]
    return [
        _translation(decoder, derivation)
        for one in rounds
        for derivation in one.best_derivations(version.per_list, unique=False)
    ]


def _translation(decoder: Decoder, derivation: Derivation) -> Translation:
    features = derivation.features.tolist()
    return Translation(
        derivation.text,
        derivation.score,
        {name: features[at] for name, at in decoder.system.printed_columns.items()},
        [[phrase.start, phrase.end, phrase.words] for phrase in derivation.phrases],
    )


def _from_pool(
    folder: Path,
    version: RecipeVersion,
    number: int,
    source: str,
    *,
    words_of: Callable[[str], str],
) -> list[Translation]:
    """Lists chosen from what was uploaded: the best different ones (A4), or diverse ones (A3).

    What differs is told by words, as in the figures, for the text may be as people write it.
    """
    from decoding.core.diversity.lists import DiversityOptions
    from decoding.core.diversity.pool import select_best, select_diverse

    entries = read_pool(folder, number)
    texts = [words_of(entry.text) for entry in entries]
    # Where there are no scores the uploaded order says which is better.
    scores = [entry.score or 0.0 for entry in entries]
    if version.kind == RecipeVersion.Kind.POOL_BEST:
        chosen = select_best(texts, scores, version.length)
    else:
        options = DiversityOptions(version.length, version.order, version.strength)
        chosen = select_diverse(texts, scores, options)
    return [
        Translation(
            entries[place].text,
            entries[place].score,
            {name: list(values) for name, values in entries[place].features.items()},
        )
        for place in chosen
    ]
