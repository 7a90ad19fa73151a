"""What a job was asked for with, in the users' words: names and pages, not keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db.models import Model

from decoding.models import (
    Comparison,
    Corpus,
    Job,
    Owned,
    RecipeVersion,
    System,
    TuningRun,
    WeightTuning,
)
from decoding.models.ownership import User
from decoding.stretches import Numbers, stretches_of

# Which parameters are keys, of what.
_KEYS: Mapping[str, type[Model]] = {
    "corpus": Corpus,
    "dev": Corpus,
    "monolingual": Corpus,
    "system": System,
    "recipe_versions": RecipeVersion,
    "run": TuningRun,
    "tuning": WeightTuning,
    "comparison": Comparison,
}
_WORDS = {
    "recipe_versions": "recipes",
    "run": "tuning run",
    "dev": "dev corpus",
    "ini": "moses.ini",
}
_OURS = {"upload"}  # where a file was put aside; nobody asked for that
# What else it takes to name a row.
_NAMED_AFTER = {
    RecipeVersion: ["recipe"],
    TuningRun: ["corpus", "system"],
    WeightTuning: ["corpus", "system"],
    Comparison: ["corpus", "first", "second"],
}
_MOST_STRETCHES = 12


@dataclass(frozen=True, slots=True)
class Value:
    """Something that was said, and its page if it has one."""

    words: str
    address: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """One parameter of a job."""

    name: str
    values: list[Value]


def asked_with(job: Job, user: User) -> list[Asked]:
    """The job's parameters; what the user may not see, or what is deleted, is only counted."""
    return [
        Asked(_WORDS.get(name, name.replace("_", " ")), values)
        for name, said in _flat(job.parameters)
        if (values := _values(name, said, user))
    ]


OUT_OF_SIGHT = (
    "What the job works on is no longer shared with its owner. Ask for that, then try again."
)


def is_out_of_sight(job: Job) -> bool:
    """Whether the owner may not see any more what the job works on; what is gone the job tells."""
    for name, said in _flat(job.parameters):
        if said and name in _KEYS:
            model, keys = _KEYS[name], said if isinstance(said, list) else [said]
            parts = _NAMED_AFTER.get(model, [])
            for row in model._default_manager.select_related(*parts).in_bulk(keys).values():
                if not all(
                    _sees(job.owner, one) for one in (row, *map(partial(getattr, row), parts))
                ):
                    return True
    return False


def _sees(user: User, row: Model) -> bool:
    if not isinstance(row, Owned):
        return True
    return type(row)._default_manager.visible_to(user).filter(pk=row.pk).exists()


def _flat(parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, said in parameters.items():
        if isinstance(said, Mapping):
            yield from _flat(said)
        elif name not in _OURS:
            yield name, said


def _values(name: str, said: Any, user: User) -> list[Value]:
    if name == "segments":
        return [Value(_segments(said))]
    if said is None or said in ("", []):
        return []
    if name in _KEYS:
        return _named(_KEYS[name], said if isinstance(said, list) else [said], user)
    return [Value(", ".join(map(str, said)) if isinstance(said, list) else str(said))]


def _named(model: type[Model], keys: list[int], user: User) -> list[Value]:
    rows = model._default_manager.all()
    if issubclass(model, Owned):
        rows = rows.visible_to(user)
    if model in _NAMED_AFTER:
        rows = rows.select_related(*_NAMED_AFTER[model])
    found = rows.in_bulk(keys)
    values = [Value(str(found[key]), found[key].get_absolute_url()) for key in keys if key in found]
    if missing := len(keys) - len(values):
        values.append(Value(f"{missing} that you may not see or that is deleted"))
    return values


def _segments(said: list[Numbers] | None) -> str:
    """1 to 3, 7, 9 and 197 others."""
    if said is None:
        return "all"
    stretches = stretches_of(said)
    shown = ", ".join(
        f"{first:,}" if first == last else f"{first:,} to {last:,}"
        for first, last in stretches[:_MOST_STRETCHES]
    )
    more = sum(last - first + 1 for first, last in stretches[_MOST_STRETCHES:])
    return f"{shown} and {more:,} others" if more else shown
