"""What a benchmark is made of, how it is timed, and how its result is shown and kept.

A benchmark is a module of this package with a function ``rows(data)`` that yields `Row`s;
``data`` is the folder of reference data or None. Its name is its module's name.
"""

from __future__ import annotations

import gc
import gzip
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Row:
    """One measured figure. ``ratio`` compares with ``against``; times alone say nothing."""

    name: str
    ratio: float
    against: str  # what the ratio is of: "sacrebleu's time / ours", "two threads / one"
    aim: str = ""  # in words: "at least 100"
    met: bool | None = None  # None where there is no aim
    detail: Mapping[str, Scalar] = field(default_factory=dict)  # the figures behind the ratio


def seconds(call: Callable[[], Any], *, repeat: int = 3, cpu: bool = False) -> float:
    """The best of ``repeat`` times of ``call()``, in wall or CPU seconds. Warm it up before."""
    clock = time.process_time if cpu else time.perf_counter
    best = float("inf")
    gc.collect()
    for _ in range(repeat):
        start = clock()
        call()
        best = min(best, clock() - start)
    return best


def reference_data() -> Path | None:
    """The folder of reference data, or None when it is not here."""
    root = Path(__file__).resolve().parent.parent
    path = Path(os.environ.get("VARIORUM_REFERENCE_DATA", root / "../shared/data"))
    return path if path.is_dir() else None


def yardstick(data: Path, repeat: int = 5) -> float:
    """The unit that compares times across machines, in CPU seconds.

    The time of 100 passes of the ``kenlm`` package over the English training text of Multi30k.
    """
    import kenlm

    model = kenlm.Model(str(data / "moses-multi30k-deen/lm.en.5gram.arpa.gz"))
    text = gzip.decompress((data / "multi30k-deen/train.en.gz").read_bytes()).decode()
    lines = text.splitlines()
    return 100 * seconds(lambda: [model.score(line) for line in lines], repeat=repeat, cpu=True)


@contextmanager
def work_folder(name: str) -> Iterator[Path]:
    """A folder for what a benchmark makes: temporary, or in BENCHMARK_WORK and kept."""
    kept = os.environ.get("BENCHMARK_WORK")
    if kept:
        folder = Path(kept).resolve() / name
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory() as temporary:
        yield Path(temporary)
