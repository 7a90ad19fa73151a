from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from itertools import islice

from django.db import IntegrityError, transaction

from decoding.core.corpus.words import count_words
from decoding.core.formats.segments import SegmentText, count_references
from decoding.models import Corpus, Reference, Segment
from decoding.models.ownership import User
from evaluation.core.errors import InputError

_ROWS = 2000
MOST_SEGMENTS = 1_000_000


def import_corpus(segments: Iterable[SegmentText], *, owner: User, **about: str) -> Corpus:
    """Keep a corpus: all segments, or an InputError and nothing.

    ``about`` are the name, languages, directions, licence and provenance.
    """
    read = list(islice(segments, MOST_SEGMENTS + 1))
    if not read:
        raise InputError("there is no segment", hint="Give a file with a sentence a line.")
    if len(read) > MOST_SEGMENTS:
        raise InputError(
            f"there are more than {MOST_SEGMENTS:,} segments",
            hint="A corpus here is text to translate. To train on more, use train_system.",
        )
    corpus = Corpus(
        owner=owner,
        checksum=_checksum(read),
        segment_count=len(read),
        most_references=count_references(read),
        **about,
    )
    try:
        with transaction.atomic():
            corpus.save(force_insert=True)
            numbered = enumerate(read, start=1)
            while batch := list(islice(numbered, _ROWS)):
                _save(corpus, batch)
    except IntegrityError as error:
        if Corpus.objects.filter(owner=owner, name=corpus.name).exists():
            raise InputError(
                f"you have a corpus named {corpus.name} already", hint="Choose another name."
            ) from error
        raise
    return corpus


def _save(corpus: Corpus, batch: list[tuple[int, SegmentText]]) -> None:
    rows = Segment.objects.bulk_create(
        Segment(
            corpus=corpus,
            number=number,
            source=text.source,
            length=count_words(text.source, corpus.source_language),
            document=text.document,
        )
        for number, text in batch
    )
    Reference.objects.bulk_create(_references(rows, batch))


def _references(rows: list[Segment], batch: list[tuple[int, SegmentText]]) -> Iterator[Reference]:
    for row, (_, text) in zip(rows, batch, strict=True):
        for number, reference in enumerate(text.references, start=1):
            if reference:
                yield Reference(segment=row, number=number, text=reference)


def _checksum(segments: list[SegmentText]) -> str:
    digest = hashlib.sha256()
    for segment in segments:
        digest.update(json.dumps([segment.source, segment.references]).encode() + b"\n")
    return digest.hexdigest()
