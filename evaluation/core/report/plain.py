"""Reports as plain data, for JSON and back, without a list of fields to keep up to date."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def to_plain(value: Any) -> Any:
    """Dataclasses, tuples and sets as dicts and lists; JSON then needs no help."""
    if is_dataclass(value):
        return {part.name: to_plain(getattr(value, part.name)) for part in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(one) for key, one in value.items()}
    if isinstance(value, (frozenset, set)):
        return sorted(value)
    if isinstance(value, (tuple, list)):
        return [to_plain(one) for one in value]
    return value


def from_plain(kind: type[T], data: Any) -> T:
    """What `to_plain` made of a ``kind``, as that kind again."""
    return _read(kind, data)  # type: ignore[no-any-return]


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _read(kind: Any, data: Any) -> Any:
    if data is None:
        return None
    origin, arguments = get_origin(kind), get_args(kind)
    if is_dataclass(kind):
        return kind(**{name: _read(_hints(kind)[name], data[name]) for name in data})  # type: ignore[operator,arg-type]
    if origin in (Union, types.UnionType):
        return _read(next(one for one in arguments if one is not type(None)), data)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_read(arguments[0], one) for one in data)
        return tuple(_read(one, part) for one, part in zip(arguments, data, strict=True))
    if origin is frozenset:
        return frozenset(data)
    if origin is Mapping:
        return {key: _read(arguments[1], one) for key, one in data.items()}
    if origin is Literal:
        return data
    return float(data) if kind is float else data
