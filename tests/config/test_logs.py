from __future__ import annotations

import logging
import sys

from config.logs import LineFormatter


def line(message, **extra):
    record = logging.makeLogRecord(
        {"name": "variorum", "levelname": "INFO", "msg": message, **extra}
    )
    return LineFormatter().format(record)


def test_one_event_is_one_line_of_keys_and_values():
    text = line("job done", job=7)
    assert text.endswith('level=info logger=variorum request=- message="job done" job=7')


def test_nobody_can_forge_a_line_or_a_key():
    text = line("hello\nlevel=error message=forged", path='a" admin=true')
    assert "\n" not in text
    assert r'message="hello\nlevel=error message=forged"' in text
    assert r'path="a\" admin=true"' in text


def test_a_traceback_stays_on_the_line():
    try:
        raise ValueError("wrong")
    except ValueError:
        text = line("failed", exc_info=sys.exc_info())
    assert "\n" not in text
    assert "ValueError: wrong" in text


def test_a_request_has_an_id_that_stands_in_its_log_line_and_its_answer(client, caplog):
    with caplog.at_level("INFO", "variorum.access"):
        answer = client.get("/healthz", headers={"X-Request-ID": "proxy-made-this-1"})
    assert answer["X-Request-ID"] == "proxy-made-this-1"
    record = next(record for record in caplog.records if record.name == "variorum.access")
    assert (record.method, record.path, record.status) == ("GET", "/healthz", 200)


def test_an_id_that_could_break_a_log_is_replaced(client):
    answer = client.get("/healthz", headers={"X-Request-ID": "x y=z"})
    assert len(answer["X-Request-ID"]) == 32
