"""A replication bundle: one zip from which a study can be had again, with the same report.

It holds the rows of the study as JSON Lines, a file for each model, the report of the usual slice,
and a manifest with the versions and the SHA-256 of every file. Whoever took part is known by a
pseudonym alone: no identity, no session. Foreign keys are the ids of the installation that wrote
the bundle; an import gives every row a new one.
"""

from __future__ import annotations

import hashlib
import io
import json
import uuid
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, models, transaction

from decoding.models import (
    Corpus,
    ListEntry,
    Recipe,
    RecipeVersion,
    Reference,
    Segment,
    System,
    TranslationList,
)
from evaluation.core.errors import InputError
from evaluation.gathering import VERSION
from studies.models import (
    Amendment,
    Assignment,
    Check,
    Condition,
    Edit,
    EntryAnswer,
    Judgment,
    Participant,
    Slot,
    Study,
    Task,
    Wording,
)
from studies.models.studies import make_code

FORMAT = 1
_MANIFEST = "manifest.json"
_REPORT = "report.json"
_BATCH = 1000
_MOST_BYTES = 4_000_000_000  # unpacked: a study of millions of answers
_LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same study gives the same zip

# In the order in which one refers to the others.
_MODELS: tuple[type[models.Model], ...] = (
    Corpus, Segment, Reference, System, Recipe, RecipeVersion, TranslationList, ListEntry, Study,
    Condition, Wording, Amendment, Task, Participant, Slot, Assignment, Edit, Judgment, Check,
    EntryAnswer,
)  # fmt: skip
# What a bundle must not tell, or what is an installation's own.
_KEPT_BACK = {
    Participant: {"identity", "token_hash", "session"},
    Study: {"code", "prolific_study", "completion_address"},
    TranslationList: {"job"},
}


def _rows(study: Study) -> dict[type[models.Model], models.QuerySet[Any]]:
    """Which rows of each model belong to the study."""
    lists = study.tasks.filter(translation_list__isnull=False).values("translation_list")
    conditions = study.conditions.all()
    recipes = conditions.values("recipe_version__recipe")
    return {
        Corpus: Corpus.objects.filter(pk=study.corpus_id),
        Segment: Segment.objects.filter(corpus=study.corpus_id),
        Reference: Reference.objects.filter(segment__corpus=study.corpus_id),
        System: System.objects.filter(pk__in=conditions.values("system")),
        Recipe: Recipe.objects.filter(pk__in=recipes),
        RecipeVersion: RecipeVersion.objects.filter(pk__in=conditions.values("recipe_version")),
        TranslationList: TranslationList.objects.filter(pk__in=lists),
        ListEntry: ListEntry.objects.filter(translation_list__in=lists),
        Study: Study.objects.filter(pk=study.pk),
        Condition: conditions,
        Wording: study.wordings.all(),
        Amendment: study.amendments.all(),
        Task: study.tasks.all(),
        Participant: study.participants.all(),
        Slot: study.slots.all(),
        Assignment: Assignment.objects.filter(slot__study=study),
        Edit: Edit.objects.filter(slot__study=study),
        Judgment: Judgment.objects.filter(slot__study=study),
        Check: Check.objects.filter(participant__study=study),
        EntryAnswer: EntryAnswer.objects.filter(participant__study=study),
    }


def write_bundle(study: Study, report: Mapping[str, Any], path: Path) -> None:
    """Write a study whose plan stands, and its report, into one zip."""
    if study.is_draft:
        raise InputError("the study is a draft", hint="Freeze it first: then its plan stands.")
    checksums = {}
    with transaction.atomic(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for model, rows in _rows(study).items():
            name = f"{model._meta.model_name}.jsonl"
            checksums[name] = _pack(packed, name, _lines(model, rows))
        # Sorted: a report that PostgreSQL kept comes back with its keys in another order.
        text = json.dumps(report, ensure_ascii=False, indent=1, sort_keys=True)
        checksums[_REPORT] = _pack(packed, _REPORT, [text.encode()])
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
        _pack(packed, _MANIFEST, [json.dumps(manifest, indent=1).encode()])


def _lines(model: type[models.Model], rows: models.QuerySet[Any]) -> Iterator[bytes]:
    back = _KEPT_BACK.get(model, set())
    names = [
        field.attname
        for field in model._meta.concrete_fields
        if field.name not in back and field.related_model is not User
    ]
    for row in rows.order_by("pk").values(*names).iterator(chunk_size=_BATCH):
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


# --- Reading ------------------------------------------------------------------------------------


def read_bundle(path: Path, *, owner: User) -> tuple[Study, dict[str, Any]]:
    """The study of a bundle, all of it or nothing, and the report that came with it."""
    try:
        with zipfile.ZipFile(path) as packed, transaction.atomic():
            _check(packed, path)
            report = json.loads(packed.read(_REPORT))
            return _Import(packed, path, owner).study(), report
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(
            f"is no bundle that can be read ({error})", path=path, hint="Export the study again."
        ) from error
    except (IntegrityError, ValidationError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"holds rows that do not fit together ({type(error).__name__})",
            path=path,
            hint="Export the study again, with the same version of Variorum.",
        ) from error


def _check(packed: zipfile.ZipFile, path: Path) -> None:
    """Know that nothing is missing, damaged or too large before anything is written."""
    names = set(packed.namelist())
    if _MANIFEST not in names:
        raise InputError(f"has no {_MANIFEST}", path=path, hint="Is this a study's bundle?")
    if sum(one.file_size for one in packed.infolist()) > _MOST_BYTES:
        raise InputError("unpacks to more than 4 GB", path=path, hint="Is this the right file?")
    manifest = json.loads(packed.read(_MANIFEST))
    if manifest["format"] != FORMAT:
        raise InputError(
            f"has the format {manifest['format']}, and this version reads {FORMAT}",
            path=path,
            hint="Use the version of Variorum that wrote it.",
        )
    wanted = {f"{model._meta.model_name}.jsonl" for model in _MODELS} | {_REPORT}
    missing = wanted - names & set(manifest["sha256"])
    if missing:
        raise InputError(
            f"lacks {', '.join(sorted(missing))}", path=path, hint="Export the study again."
        )
    for name in sorted(wanted):
        checksum = hashlib.sha256()
        with packed.open(name) as file:
            while block := file.read(1 << 20):
                checksum.update(block)
        if checksum.hexdigest() != manifest["sha256"][name]:
            raise InputError(
                f"{name} is not what its checksum says", path=path, hint="Copy the bundle again."
            )


class _Import:
    """Rows on their way into this database, and which id each has got here."""

    def __init__(self, packed: zipfile.ZipFile, path: Path, owner: User) -> None:
        self.packed, self.path, self.owner = packed, path, owner
        self.here: dict[type[models.Model], dict[int, int]] = {}

    def study(self) -> Study:
        for model in _MODELS:
            self._read(model)
        return Study.objects.get(pk=next(iter(self.here[Study].values())))

    def _read(self, model: type[models.Model]) -> None:
        ids = self.here.setdefault(model, {})
        batch: list[dict[str, Any]] = []
        kind = ""
        with self.packed.open(f"{model._meta.model_name}.jsonl") as file:
            for line in io.TextIOWrapper(file, encoding="utf-8"):
                row = json.loads(line)
                # EVAL tasks refer to EDITING tasks, which must be there before them.
                if len(batch) == _BATCH or (model is Task and row["kind"] != kind):
                    self._save(model, batch, ids)
                    batch = []
                kind = row.get("kind", "")
                batch.append(row)
        self._save(model, batch, ids)

    def _save(
        self, model: type[models.Model], rows: list[dict[str, Any]], ids: dict[int, int]
    ) -> None:
        made = [model(**self._fields(model, row)) for row in rows]
        # What the database stamps itself when a row is new gets its own time back.
        stamped = [
            field.attname
            for field in model._meta.concrete_fields
            if getattr(field, "auto_now_add", False)
        ]
        times = [{name: getattr(one, name) for name in stamped} for one in made]
        manager = cast("models.Manager[Any]", model._default_manager)
        manager.bulk_create(made)
        for one, own in zip(made, times, strict=True):
            for name, value in own.items():
                setattr(one, name, value)
        if stamped and made:
            manager.bulk_update(made, stamped, batch_size=_BATCH)
        ids.update((row["id"], one.pk) for row, one in zip(rows, made, strict=True))

    def _fields(self, model: type[models.Model], row: dict[str, Any]) -> dict[str, Any]:
        """A row's values as they can stand here."""
        values: dict[str, Any] = {}
        for field in model._meta.concrete_fields:
            if field.primary_key:
                continue
            if field.name == "owner":
                values["owner"] = self.owner
            elif field.attname in row:
                value = row[field.attname]
                if field.is_relation and value is not None:
                    value = self.here[cast("type[models.Model]", field.related_model)][value]
                elif isinstance(field, (models.DateTimeField, models.UUIDField)):
                    value = field.to_python(value)
                values[field.attname] = value
        for name in ("form_key", "key"):  # unique everywhere, so not the same twice
            if name in values:
                values[name] = uuid.uuid4()
        if "name" in values and model in (Corpus, System, Recipe, Study):
            values["name"] = self._free_name(model, values["name"])
        if model is System:
            # Its content stays where it was: what it translated is in the lists.
            values["card"] = values["card"] | {"kind": values["kind"], "was": values["checksum"]}
            values |= {"kind": "external", "checksum": "", "storage_key": "", "size": 0}
        if model is Study:
            values["code"] = make_code()
        return values

    def _free_name(self, model: type[models.Model], name: str) -> str:
        """The name, or with a number behind it if it is taken."""
        taken = cast("models.Manager[Any]", model._default_manager)
        owned = {"owner": self.owner} if model in (Corpus, System, Study) else {}
        tried, number = name, 1
        while taken.filter(name=tried, **owned).exists():
            number += 1
            tried = f"{name[:90]} ({number})"
        return tried
