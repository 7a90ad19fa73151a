from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

import orjson
from django.db import IntegrityError, transaction

from decoding.actions.inserting import check_keys, insert
from decoding.actions.names import refuse_taken_name
from decoding.actions.uploads import submit_with_upload
from decoding.core.corpus.words import count_words
from decoding.core.formats.segments import SegmentText, count_references
from decoding.models import Corpus, Job, Reference, Segment
from decoding.models.ownership import User
from decoding.storage import keep_folder
from decoding.uploads import scratch
from evaluation.core.errors import InputError

_ROWS = 10_000
# So many are written while a request waits; of more a job is made.
MOST_IN_A_REQUEST = 50_000

_SEGMENTS = ("corpus_id", "number", "source", "length", "document")
_REFERENCES = ("segment_id", "number", "text")
_TEXTS, _FACTS = "segments.jsonl", "facts.json"


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of segments that have all been looked through."""

    checksum: str
    segment_count: int
    most_references: int


def import_corpus(segments: Iterable[SegmentText], *, owner: User, **about: str) -> Corpus:
    """Keep a corpus: all segments, or an InputError and nothing.

    ``about`` are the name, languages, directions, licence and provenance.
    """
    refuse_taken_name(owner, about["name"], Corpus)
    with tempfile.TemporaryDirectory(prefix="corpus-", dir=scratch()) as folder:
        _put_aside(segments, Path(folder))
        return keep_corpus(Path(folder), owner=owner, **about)


def import_or_ask(segments: Iterable[SegmentText], *, owner: User, **about: str) -> Corpus | Job:
    """Keep a corpus, or ask for a job that does if that takes longer than a request may.

    In both cases the segments have all been looked through.
    """
    refuse_taken_name(owner, about["name"], Corpus)
    with tempfile.TemporaryDirectory(prefix="corpus-", dir=scratch()) as folder:
        if _put_aside(segments, Path(folder)).segment_count <= MOST_IN_A_REQUEST:
            return keep_corpus(Path(folder), owner=owner, **about)
        kept = keep_folder(Path(folder))
    return submit_with_upload(
        "import-corpus", kept, owner=owner, title=f"Import {about['name']}", about=about
    )


def keep_corpus(
    folder: Path, *, owner: User, between: Callable[[], None] = lambda: None, **about: str
) -> Corpus:
    """Keep a corpus of segments that were put aside, all in one transaction.

    ``between`` is called now and then; what it raises ends the transaction.
    """
    corpus = Corpus(owner=owner, **asdict(read_facts(folder)), **about)
    try:
        with transaction.atomic():
            corpus.save(force_insert=True)
            numbered = enumerate(_read_again(folder), start=1)
            while batch := list(islice(numbered, _ROWS)):
                between()
                _save(corpus, batch)
            check_keys()
    except IntegrityError as error:
        refuse_taken_name(owner, corpus.name, Corpus, cause=error)
        raise
    return corpus


def read_facts(folder: Path) -> Facts:
    """What is known of segments that were put aside."""
    return Facts(**orjson.loads((folder / _FACTS).read_bytes()))


def _put_aside(segments: Iterable[SegmentText], folder: Path) -> Facts:
    """Look through all segments and write them to a folder, one by one: there may be a million."""
    digest = hashlib.sha256()
    number = most = 0
    with (folder / _TEXTS).open("wb") as file:
        for segment in segments:
            number += 1
            digest.update(json.dumps([segment.source, segment.references]).encode() + b"\n")
            most = max(most, count_references([segment]))
            row = [segment.source, segment.document, *segment.references]
            file.write(orjson.dumps(row) + b"\n")
    if not number:
        raise InputError("there is no segment", hint="Give a file with a sentence a line.")
    facts = Facts(digest.hexdigest(), number, most)
    (folder / _FACTS).write_bytes(orjson.dumps(facts))
    return facts


def _read_again(folder: Path) -> Iterator[SegmentText]:
    """The segments that were put aside."""
    with (folder / _TEXTS).open("rb") as file:
        for line in file:
            source, document, *references = orjson.loads(line)
            yield SegmentText(source, tuple(references), document)


def _save(corpus: Corpus, batch: Sequence[tuple[int, SegmentText]]) -> None:
    language = corpus.source_language
    rows = [
        (corpus.pk, number, text.source, count_words(text.source, language), text.document)
        for number, text in batch
    ]
    insert(Segment, _SEGMENTS, rows)
    numbers = batch[0][0], batch[-1][0]
    keys = corpus.segments.filter(number__range=numbers).order_by("number")
    insert(Reference, _REFERENCES, list(_references(keys.values_list("pk", flat=True), batch)))


def _references(
    keys: Iterable[int], batch: Sequence[tuple[int, SegmentText]]
) -> Iterator[tuple[int, int, str]]:
    for key, (_, text) in zip(keys, batch, strict=True):
        for number, reference in enumerate(text.references, start=1):
            if reference:
                yield key, number, reference
