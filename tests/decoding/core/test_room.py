from pathlib import Path

import numpy as np
import pytest

from decoding.core.room import MEMORY, Room


@pytest.mark.parametrize("shape", [5, (3, 2)])
def test_small_arrays_are_in_memory_and_large_ones_in_files(tmp_path, shape):
    for room, mapped in ((MEMORY, False), (Room(tmp_path, large=1), True), (Room(tmp_path), False)):
        array = room.full(shape, 7, np.int32)
        assert array.tolist() == np.full(shape, 7).tolist()
        assert array.dtype == np.int32
        assert isinstance(array.base, np.memmap) == mapped


def test_files_are_gone_with_their_arrays(tmp_path):
    def used():
        return [line for line in Path("/proc/self/maps").read_text().splitlines()
                if str(tmp_path) in line]  # fmt: skip

    array = Room(tmp_path, large=1).full(100_000, 1.5, np.float64)
    assert used()
    assert list(tmp_path.iterdir()) == []
    assert array.sum() == 150_000
    del array
    assert not used()
