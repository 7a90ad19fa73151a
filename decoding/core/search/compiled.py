"""How the kernels of the search are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit

_WITHOUT_COUNTS: dict[str, Any] = {"cache": True, "nogil": True, "_nrt": False}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function that neither allocates nor returns arrays, without reference counting.

    The search hands dozens of arrays from function to function, a million times a second. With
    numba's reference counts (atomic additions for each array) a search took five times as long.
    """
    compiled: Callable[..., Any] = njit(**_WITHOUT_COUNTS)(function)
    return compiled


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """A `kernel` that becomes part of its callers, so that no arrays are handed over."""
    compiled: Callable[..., Any] = njit(**_WITHOUT_COUNTS, forceinline=True)(function)
    return compiled
