"""Who a browser's token belongs to: asked at every request of a participant."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, models

from decoding.models import Corpus
from studies.models import Participant, Study

# The plan of a large study is megabytes, and no participant's page needs it.
_LEFT_OUT = {"plan"}


class _Columns:
    """What of a model a query reads, and how an instance is made of what it found.

    Django makes the text of a query anew each time; with the text made once, one request in four
    is saved.
    """

    def __init__(self, model: type[models.Model], alias: str) -> None:
        self.model = model
        fields = [f for f in model._meta.concrete_fields if f.name not in _LEFT_OUT]
        self.names = [field.attname for field in fields]
        quote = connection.ops.quote_name
        self.text = ", ".join(f"{alias}.{quote(field.column)}" for field in fields)
        self.converters: list[tuple[int, list[Any], Any]] = []
        for place, field in enumerate(fields):
            column = field.get_col(model._meta.db_table)
            convert = connection.ops.get_db_converters(column) + field.get_db_converters(connection)
            if convert:
                self.converters.append((place, convert, column))

    def instance(self, found: Sequence[Any]) -> Any:
        values = list(found)
        for place, converters, column in self.converters:
            for convert in converters:
                values[place] = convert(values[place], column, connection)
        return self.model.from_db(DEFAULT_DB_ALIAS, self.names, values)


@cache
def _prepared(vendor: str) -> tuple[str, list[_Columns]]:
    columns = [_Columns(Participant, "p"), _Columns(Study, "s"), _Columns(Corpus, "c")]
    text = f"""
        SELECT {", ".join(each.text for each in columns)}
        FROM {Participant._meta.db_table} p
        JOIN {Study._meta.db_table} s ON s.id = p.study_id
        JOIN {Corpus._meta.db_table} c ON c.id = s.corpus_id
        WHERE p.token_hash = %s AND s.code = %s
    """  # noqa: S608 (tables and columns are the models')
    return text, columns


def by_token(token_hash: str, code: str) -> Participant | None:
    """The participant of a study whose browser holds a token, with the study and its corpus."""
    text, columns = _prepared(connection.vendor)
    with connection.cursor() as cursor:
        cursor.execute(text, [token_hash, code])
        found = cursor.fetchone()
    if found is None:
        return None
    made = []
    for each in columns:
        made.append(each.instance(found[: len(each.names)]))
        found = found[len(each.names) :]
    participant, study, corpus = made
    participant.study, study.corpus = study, corpus
    return participant
