"""Writing a bundle: the same study gives the same zip, byte by byte."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models, transaction

from evaluation.bundles.contents import (
    BATCH,
    FORMAT,
    KEPT_BACK,
    MANIFEST,
    REPORT,
    file_of,
    rows_of,
)
from evaluation.core.errors import InputError
from evaluation.gathering import VERSION
from studies.models import Study

_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # no time of writing in the zip


def write_bundle(study: Study, report: Mapping[str, Any], path: Path) -> None:
    """Write a study whose plan stands, and its report, into one zip."""
    if study.is_draft:
        raise InputError("the study is a draft", hint="Freeze it first: then its plan stands.")
    checksums = {}
    with transaction.atomic(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for model, rows in rows_of(study).items():
            name = file_of(model)
            checksums[name] = _pack(packed, name, _lines(model, rows))
        # Sorted: a report that PostgreSQL kept comes back with its keys in another order.
        text = json.dumps(report, ensure_ascii=False, indent=1, sort_keys=True)
        checksums[REPORT] = _pack(packed, REPORT, [text.encode()])
        manifest = {
            "format": FORMAT,
            "study": study.name,
            "plan": study.checksum,
            "versions": {
                "Variorum": settings.VERSION,
                "report": VERSION,
                **{name: version(name) for name in ("numpy", "scipy", "sacrebleu")},
            },
            "sha256": checksums,
        }
        _pack(packed, MANIFEST, [json.dumps(manifest, indent=1).encode()])


def _lines(model: type[models.Model], rows: models.QuerySet[Any]) -> Iterator[bytes]:
    back = KEPT_BACK.get(model, set())
    names = [
        field.attname
        for field in model._meta.concrete_fields
        if field.name not in back and field.related_model is not User
    ]
    for row in rows.order_by("pk").values(*names).iterator(chunk_size=BATCH):
        yield json.dumps(row, cls=_Encoder, ensure_ascii=False).encode() + b"\n"


class _Encoder(DjangoJSONEncoder):
    """Times to the microsecond: Django's own cuts them to milliseconds."""

    def default(self, o: Any) -> Any:
        return o.isoformat() if hasattr(o, "isoformat") else super().default(o)


def _pack(packed: zipfile.ZipFile, name: str, parts: Iterable[bytes]) -> str:
    """Write a file of the bundle; its checksum."""
    checksum = hashlib.sha256()
    about = zipfile.ZipInfo(name, _LONG_AGO)
    about.compress_type = zipfile.ZIP_DEFLATED
    with packed.open(about, "w", force_zip64=True) as file:
        for part in parts:
            checksum.update(part)
            file.write(part)
    return checksum.hexdigest()
