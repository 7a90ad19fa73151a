from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.core.errors import InputError


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "expected 4 fields, found 3"),
        ({"path": Path("/srv/upload/table.gz")}, "table.gz: expected 4 fields, found 3"),
        ({"path": "table.gz", "line": 17}, "table.gz:17: expected 4 fields, found 3"),
        ({"line": 17}, "line 17: expected 4 fields, found 3"),
        (
            {"path": "table.gz", "hint": "Fields are separated by |||."},
            "table.gz: expected 4 fields, found 3. Fields are separated by |||.",
        ),
    ],
)
def test_where_what_and_what_to_do(given, sentence):
    assert str(InputError("expected 4 fields, found 3", **given)) == sentence
