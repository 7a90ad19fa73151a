"""``python -m benchmarks [NAME ...]``: run benchmarks, print their ratios, keep them as JSON."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pkgutil
import platform
import sys
from dataclasses import asdict
from pathlib import Path

import benchmarks
from benchmarks.harness import Row, reference_data
from benchmarks.report import report

RESULTS = Path(__file__).parent / "results"
REPORT = Path(__file__).parent / "REPORT.md"
NOT_BENCHMARKS = {"harness", "installation", "report", "serving", "__main__"}


def names() -> list[str]:
    """The benchmarks there are: one a module."""
    found = {module.name for module in pkgutil.iter_modules(benchmarks.__path__)}
    return sorted(found - NOT_BENCHMARKS)


def machine() -> dict[str, str | int | None]:
    """What the figures were measured on, as far as it matters and names nobody."""
    return {
        "python": platform.python_version(),
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
    }


def show(row: Row) -> str:
    """One line of the table."""
    verdict = {True: "met", False: "MISSED", None: ""}[row.met]
    aim = f"aim: {row.aim}" if row.aim else ""
    return f"  {row.name:<44} {row.ratio:>10.3g}  {row.against:<40} {aim} {verdict}".rstrip()


def main() -> int:
    """Run the named benchmarks, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which (default: all)")
    parser.add_argument("--list", action="store_true", help="only say which there are")
    parser.add_argument(
        "--report", action="store_true", help="only write REPORT.md from what was measured last"
    )
    chosen = parser.parse_args()
    if chosen.list:
        print("\n".join(names()))
        return 0
    if chosen.report:
        REPORT.write_text(report(RESULTS))
        return 0
    unknown = set(chosen.names) - set(names())
    if unknown:
        print(f"No benchmark {', '.join(sorted(unknown))}. There are: {', '.join(names())}.")
        return 2
    RESULTS.mkdir(exist_ok=True)
    for name in chosen.names or names():
        print(name, flush=True)
        rows = []
        for row in importlib.import_module(f"benchmarks.{name}").rows(reference_data()):
            print(show(row), flush=True)
            rows.append(row)
            keep(name, rows)  # a long benchmark that is broken off leaves what it has
    REPORT.write_text(report(RESULTS))
    return 0


def keep(name: str, rows: list[Row]) -> None:
    """Write the rows as the benchmark's result."""
    result = {"machine": machine(), "rows": [asdict(row) for row in rows]}
    text = json.dumps(result, indent=1, ensure_ascii=False)
    (RESULTS / f"{name}.json").write_text(text + "\n")


if __name__ == "__main__":
    sys.exit(main())
