"""Insert many rows by hand, where as objects of Django's they would cost as much as what made them.

And where it is Python that writes them, other threads wait for its lock.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson
from django.db import connection
from django.db.models import Model

Row = Sequence[Any]  # values by column, as the database takes them; JSON as lists and dictionaries

_VALUES_AT_ONCE = 999  # all databases take as many in a statement


def insert(model: type[Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert rows."""
    if connection.vendor != "postgresql":
        _insert_values(model, columns, rows)
        return
    copied = f"COPY {_into(model, columns)} FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(copied) as copy:
        for row in rows:
            copy.write_row(_with_json_as_text(row))


def insert_new(
    model: type[Model], columns: Sequence[str], rows: Sequence[Row], returning: str
) -> list[tuple[Any, ...]]:
    """Insert the rows that are not there by any unique constraint; these columns of them."""
    ending = f"ON CONFLICT DO NOTHING RETURNING {returning}"
    if connection.vendor != "postgresql":
        return _insert_values(model, columns, rows, ending)
    # One value, for a statement of many is taken apart and planned longer than it runs.
    types = [f"{name} {model._meta.get_field(name).db_type(connection)}" for name in columns]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {_into(model, columns)} SELECT * "  # noqa: S608 (only ours)
            f"FROM jsonb_to_recordset(%s) AS new ({', '.join(types)}) {ending}",
            [orjson.dumps([dict(zip(columns, row, strict=True)) for row in rows]).decode()],
        )
        return cursor.fetchall()


def check_keys() -> None:
    """Let PostgreSQL check foreign keys now. It would at the commit, which shall be short."""
    if connection.vendor == "postgresql":
        connection.check_constraints()


def _insert_values(
    model: type[Model], columns: Sequence[str], rows: Sequence[Row], ending: str = ""
) -> list[tuple[Any, ...]]:
    """Insert rows by a few statements that end so; what these return."""
    returned: list[tuple[Any, ...]] = []
    row = f"({', '.join(['%s'] * len(columns))})"
    into = _into(model, columns)
    at_once = _VALUES_AT_ONCE // len(columns)
    with connection.cursor() as cursor:
        for start in range(0, len(rows), at_once):
            some = rows[start : start + at_once]
            values = ", ".join([row] * len(some))
            cursor.execute(
                f"INSERT INTO {into} VALUES {values} {ending}",  # noqa: S608 (only ours)
                [value for one in some for value in _with_json_as_text(one)],
            )
            if ending:
                returned += cursor.fetchall()
    return returned


def _into(model: type[Model], columns: Sequence[str]) -> str:
    return f"{model._meta.db_table} ({', '.join(columns)})"


def _with_json_as_text(row: Row) -> list[Any]:
    return [orjson.dumps(v).decode() if isinstance(v, (dict, list)) else v for v in row]
