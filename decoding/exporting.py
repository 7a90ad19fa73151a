"""Lists as files: n-best lists that can be uploaded, scored and tuned on, here and elsewhere."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from django.utils.text import slugify

from decoding.core.formats.nbest import NBestEntry, format_json, format_moses
from decoding.models import Corpus, RecipeVersion, System, TranslationList
from decoding.queries.lists import lists_in_order

# The kinds of files, by the end of their names, and what they are sent as.
MEDIA_TYPES = {
    "nbest": "text/plain; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "nbest.gz": "application/gzip",
    "jsonl.gz": "application/gzip",
}
KINDS = {
    "nbest": "n-best list",
    "nbest.gz": "n-best list, packed",
    "jsonl": "JSON Lines",
    "jsonl.gz": "JSON Lines, packed",
}
_LONGEST_NAME = 40


def exported(corpus: Corpus, system: System, version: RecipeVersion, kind: str) -> Iterator[str]:
    """All lists of a corpus by a system and a recipe, list by list: the lines of a file.

    Sentences count from 0, as segments do from 1. Moses' lines hold texts, scores and features;
    JSON Lines segmentations and BLEU+1 too and, in the first line of each list, how it was made.
    """
    for made, entries, references in lists_in_order(corpus, system, version):
        number = made.segment.number - 1
        if kind.startswith("nbest"):
            yield "".join(f"{_moses_line(number, row)}\n" for row in entries)
        else:
            origin = _origin(made, references, corpus, system, version)
            yield "".join(f"{_json_line(number, row, origin)}\n" for row in entries)


def packed(texts: Iterable[str]) -> Iterator[bytes]:
    """The same, gzipped while it comes. Without a time stamp: the same lists give the same file."""
    gzip = zlib.compressobj(wbits=31)
    for text in texts:
        yield gzip.compress(text.encode())
    yield gzip.flush()


def file_name(corpus: Corpus, system: System, version: RecipeVersion, kind: str) -> str:
    """A name for the file, in letters that every system of files takes."""
    parts = (
        slugify(corpus.name)[:_LONGEST_NAME] or f"corpus-{corpus.pk}",
        slugify(system.name)[:_LONGEST_NAME] or f"system-{system.pk}",
        slugify(version.recipe.name)[:_LONGEST_NAME] or f"recipe-{version.recipe_id}",
    )
    return f"{'.'.join(parts)}-v{version.number}.{kind}"


def _entry(number: int, row: Any) -> NBestEntry:
    features = {name: tuple(values) for name, values in row.features.items()}
    return NBestEntry(number, row.text, features, row.score)


def _moses_line(number: int, row: Any) -> str:
    # Bars part the fields, so the translation has them as Moses escapes them.
    text = row.text.replace("|||", "&#124;&#124;&#124;")
    return format_moses(replace(_entry(number, row), text=text))


def _json_line(number: int, row: Any, origin: dict[str, Any]) -> str:
    more: dict[str, Any] = {"rank": row.rank, "bleu1": row.bleu1, "segmentation": row.segmentation}
    if row.rank == 1:
        more["list"] = origin
    return format_json(_entry(number, row), **more)


def _origin(
    made: TranslationList,
    references: list[str],
    corpus: Corpus,
    system: System,
    version: RecipeVersion,
) -> dict[str, Any]:
    """What a list is of, and what it takes to make it again."""
    return {
        "corpus": {"name": corpus.name, "checksum": corpus.checksum},
        "segment": made.segment.number,
        "source": made.segment.source,
        "references": references,
        "system": {"name": system.name, "checksum": made.provenance.get("checksum")},
        "recipe": {
            "name": version.recipe.name,
            "version": version.number,
            "settings": made.provenance.get("recipe"),
        },
        "code_version": made.provenance.get("code_version"),
        "seed": made.provenance.get("seed"),
        "job": made.job_id,
        "made_at": made.made_at.isoformat(),
    }
