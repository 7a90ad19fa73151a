from __future__ import annotations

import importlib

import pytest

from benchmarks.__main__ import names


@pytest.mark.parametrize("name", names())
def test_every_benchmark_has_rows_to_measure(name):
    assert callable(importlib.import_module(f"benchmarks.{name}").rows)
