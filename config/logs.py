"""Logs: one line an event, ``key=value``, with the id of the request that it belongs to."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

request_id: ContextVar[str] = ContextVar("request_id", default="-")

_STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "request"}


def _value(value: object) -> str:
    """As it is when it is one word, else as a JSON string: a line break cannot forge a line."""
    text = str(value)
    plain = text and not set(text) & set(' "=\n\r\t\\') and text.isprintable()
    return text if plain else json.dumps(text, ensure_ascii=False)


class LineFormatter(logging.Formatter):
    """``time=... level=... logger=... request=... message="..." extra=...`` on one line."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "request": request_id.get(),
            "message": record.getMessage(),
        }
        fields |= {
            key: value
            for key, value in vars(record).items()
            if key not in _STANDARD and not key.startswith("_")
        }
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return " ".join(f"{key}={_value(value)}" for key, value in fields.items())
