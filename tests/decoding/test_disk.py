"""A full disk is told as one, whoever notices it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from decoding.disk import full_disk

FULL = Path("/dev/full")  # every write to it finds no room


@pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "write",
    [lambda: FULL.write_text("x"), lambda: np.zeros(10_000).tofile(FULL)],
    ids=["Python", "numpy"],
)
def test_a_full_disk_gets_its_sentence(write):
    with pytest.raises(OSError, match=r"No space|requested and") as caught:
        write()
    said = full_disk(caught.value)
    assert said.startswith("The disk of the folder ")
    assert "make room there" in said


@pytest.mark.parametrize(
    "error", [FileNotFoundError(2, "No such file"), OSError("cannot"), ValueError("x")]
)
def test_other_errors_are_none_of_its_business(error):
    assert full_disk(error) == ""
