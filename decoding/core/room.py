"""Room for arrays that may be larger than memory.

Whoever works on arrays that grow with a corpus takes them from a `Room`. In a folder, large ones
are files without a name that are mapped into memory: the operating system writes to disk what is
not in use, instead of running out, and the space is free again when the array is.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_LARGE = 32 << 20  # bytes


@dataclass(frozen=True, slots=True)
class Room:
    """Where arrays are put: in memory, or if there is a folder the large ones in files there."""

    folder: Path | None = None
    large: int = _LARGE  # bytes from which an array is a file

    def empty(self, shape: int | tuple[int, ...], kind: Any) -> npt.NDArray[Any]:
        """An array of any content. What is not touched takes no space, so it may be too long."""
        size = prod(shape) if isinstance(shape, tuple) else shape
        size *= np.dtype(kind).itemsize
        if self.folder is None or size < self.large:
            return np.empty(shape, kind)
        with tempfile.TemporaryFile(dir=self.folder) as file:
            return np.asarray(np.memmap(file, kind, "w+", shape=shape))

    def full(self, shape: int | tuple[int, ...], value: Any, kind: Any) -> npt.NDArray[Any]:
        """An array of one value."""
        array = self.empty(shape, kind)
        array[...] = value
        return array


MEMORY = Room()
