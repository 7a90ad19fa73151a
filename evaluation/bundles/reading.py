"""Reading a bundle: every file and every row is checked, and all of it comes in or nothing.

What somebody else has written is not believed: a bundle may be damaged, made by hand, or meant to
do harm. Whatever is wrong with it is said in a sentence with the file and the line.
"""

from __future__ import annotations

import hashlib
import io
import json
import uuid
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, cast

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import DatabaseError, models, transaction

from decoding.actions.pairs import pair_lists
from decoding.models import Corpus, Recipe, System, TranslationList
from evaluation.bundles.contents import (
    BATCH,
    FORMAT,
    KEPT_BACK,
    MANIFEST,
    MODELS,
    REPORT,
    file_of,
)
from evaluation.core.errors import InputError
from studies.core.plan import plan_from_json
from studies.models import Kind, Study, Task
from studies.models.studies import make_code

_MOST_BYTES = 4_000_000_000  # unpacked: a study of millions of answers
# What JSON columns hold that have no default to tell it.
_SHAPES = {"texts": list, "provenance": dict}
_SAME_VERSION = "Export the study again, with the same version of Variorum."


def read_bundle(path: Path, *, owner: User) -> tuple[Study, dict[str, Any]]:
    """The study of a bundle, all of it or nothing, and the report that came with it."""
    with _opened(path) as packed, transaction.atomic():
        _check(packed, path)
        report = json.loads(packed.read(REPORT))
        study = _Import(packed, path, owner).study()
        _check_plan(study, path)
        return study, report


def check_bundle(path: Path) -> None:
    """Know that nothing is missing, damaged or too large; the rows are not looked at yet."""
    with _opened(path) as packed:
        _check(packed, path)


def read_report(path: Path) -> dict[str, Any]:
    """The report that came with a bundle."""
    with _opened(path) as packed:
        return cast("dict[str, Any]", json.loads(packed.read(REPORT)))


@contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """The zip; whatever goes wrong with it is an InputError."""
    try:
        with zipfile.ZipFile(path) as packed:
            yield packed
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(
            f"is no bundle that can be read ({error})", path=path, hint="Export the study again."
        ) from error
    except (DatabaseError, ValidationError, ValueError, TypeError, LookupError) as error:
        raise InputError(
            f"holds rows that do not fit together ({type(error).__name__})",
            path=path,
            hint=_SAME_VERSION,
        ) from error


def _check(packed: zipfile.ZipFile, path: Path) -> None:
    names = set(packed.namelist())
    if MANIFEST not in names:
        raise InputError(f"has no {MANIFEST}", path=path, hint="Is this a study's bundle?")
    if sum(one.file_size for one in packed.infolist()) > _MOST_BYTES:
        raise InputError("unpacks to more than 4 GB", path=path, hint="Is this the right file?")
    manifest = json.loads(packed.read(MANIFEST))
    if manifest["format"] != FORMAT:
        raise InputError(
            f"has the format {manifest['format']}, and this version reads {FORMAT}",
            path=path,
            hint="Use the version of Variorum that wrote it.",
        )
    wanted = {file_of(model) for model in MODELS} | {REPORT}
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


def _check_plan(study: Study, path: Path) -> None:
    """Know that the tasks are those of the plan, and the plan is what its checksum says."""
    try:
        plan = plan_from_json(study.plan)
        wanted = study.the_design == plan.design and all((study.the_conduct, study.the_entry))
    except (InputError, ValueError, TypeError, LookupError) as error:
        raise InputError(
            f"study.jsonl: the design or the plan cannot be read ({error})",
            path=path,
            hint=_SAME_VERSION,
        ) from error
    tasks = study.tasks.order_by("number")
    editing = tasks.filter(kind=Kind.EDITING).values_list(
        "segment__number", "condition__name", "draw", "ranks"
    )
    pair = [
        f"{side}__{name}" for side in ("first", "second") for name in ("condition__name", "draw")
    ]
    judged = tasks.filter(kind=Kind.EVAL).values_list("segment__number", *pair)
    if (
        not wanted
        or plan.checksum != study.checksum
        or list(editing) != [(t.segment, t.condition, t.draw, list(t.ranks)) for t in plan.editing]
        or list(judged) != [(t.segment, *t.first, *t.second) for t in plan.evaluation]
    ):
        raise InputError(
            "task.jsonl: the tasks are not those of the plan, or the plan is not what its "
            "checksum says",
            path=path,
            hint="Export the study again; a plan cannot be changed by hand.",
        )


class _Import:
    """Rows on their way into this database, and which id each has got here."""

    def __init__(self, packed: zipfile.ZipFile, path: Path, owner: User) -> None:
        self.packed, self.path, self.owner = packed, path, owner
        self.here: dict[type[models.Model], dict[int, int]] = {}
        self.seen: set[int] = set()  # the ids of the file that is being read ...
        self.line = 0  # ... and where in it we are

    def study(self) -> Study:
        for model in MODELS:
            self._read(model)
            if model in (Corpus, Study) and len(self.here[model]) != 1:
                self._refuse(model, f"holds {len(self.here[model])} rows, and one is wanted")
        lists = TranslationList.objects.filter(pk__in=self.here[TranslationList].values())
        pair_lists(dict(lists.values_list("pk", "segment_id")))
        return Study.objects.get(pk=next(iter(self.here[Study].values())))

    def _refuse(self, model: type[models.Model], problem: str) -> NoReturn:
        raise InputError(
            problem, path=f"{self.path.name}: {file_of(model)}", line=self.line, hint=_SAME_VERSION
        )

    def _read(self, model: type[models.Model]) -> None:
        ids = self.here.setdefault(model, {})
        batch: list[tuple[int, models.Model]] = []
        kind = ""
        self.seen = set()
        with self.packed.open(file_of(model)) as file:
            for self.line, line in enumerate(io.TextIOWrapper(file, encoding="utf-8"), start=1):
                row = self._row(model, line)
                # EVAL tasks refer to EDITING tasks, which must be there before them.
                if len(batch) == BATCH or (model is Task and row.get("kind") != kind):
                    self._save(model, batch, ids)
                    batch = []
                kind = row.get("kind", "")
                batch.append((row["id"], model(**self._values(model, row))))
        self._save(model, batch, ids)

    def _row(self, model: type[models.Model], line: str) -> dict[str, Any]:
        """A line as a row with an id of its own."""
        try:
            row = json.loads(line, parse_constant=_no_number)
        except (ValueError, RecursionError):
            self._refuse(model, "is no JSON")
        if not isinstance(row, dict) or type(row.get("id")) is not int:
            self._refuse(model, "is no row with an id")
        if row["id"] in self.seen:
            self._refuse(model, f"has the id {row['id']} of an earlier line")
        self.seen.add(row["id"])
        return row

    def _save(
        self, model: type[models.Model], rows: list[tuple[int, models.Model]], ids: dict[int, int]
    ) -> None:
        made = [one for _, one in rows]
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
            manager.bulk_update(made, stamped, batch_size=BATCH)
        ids.update((there, one.pk) for there, one in rows)

    def _values(self, model: type[models.Model], row: dict[str, Any]) -> dict[str, Any]:
        """A row's values as they can stand here."""
        values: dict[str, Any] = {}
        for field in model._meta.concrete_fields:
            if field.primary_key or field.name in KEPT_BACK.get(model, ()):
                continue
            if field.name == "owner":
                values["owner"] = self.owner
            elif field.related_model is User:
                continue
            elif field.attname in row:
                values[field.attname] = self._value(model, field, row[field.attname])
            elif not (field.has_default() or field.null or field.blank):
                self._refuse(model, f"has no {field.attname}")
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

    def _value(self, model: type[models.Model], field: Any, value: Any) -> Any:
        """A value that its column may hold, or a sentence."""
        if value is None:
            if not field.null:
                self._refuse(model, f"{field.attname} is empty")
            return None
        if field.is_relation:
            found = self.here[field.related_model].get(value) if type(value) is int else None
            if found is None:
                self._refuse(model, f"{field.attname} is {value!r:.40}, which the bundle lacks")
            return found
        if isinstance(field, models.JSONField):
            wanted = _SHAPES.get(field.name, field.default)
            if (wanted in (dict, list) and type(value) is not wanted) or (
                field.name == "texts" and not all(isinstance(text, str) for text in value)
            ):
                self._refuse(model, f"{field.attname} is not what it should be: {value!r:.40}")
        try:
            if isinstance(field, models.JSONField):
                field.run_validators(value)
                return value
            if isinstance(value, (dict, list)):
                raise ValidationError("a list or an object")
            value = field.to_python(value)
            field.run_validators(value)
        except ValidationError as error:
            self._refuse(model, f"{field.attname}: {' '.join(error.messages)}")
        if field.choices and value not in {"", *dict(field.flatchoices)}:
            self._refuse(model, f"{field.attname} is {value!r:.40}, which is none of the choices")
        return value

    def _free_name(self, model: type[models.Model], name: str) -> str:
        """The name, or with a number behind it if it is taken."""
        taken = cast("models.Manager[Any]", model._default_manager)
        owned = {"owner": self.owner} if model in (Corpus, System, Study) else {}
        tried, number = name, 1
        while taken.filter(name=tried, **owned).exists():
            number += 1
            tried = f"{name[:90]} ({number})"
        return tried


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")
