"""All figures on one page: ``python -m benchmarks --report`` writes it from the kept results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_HEAD = """# What Variorum measures on one machine

Written by `python -m benchmarks`, which measures (`make bench`), or by `python -m benchmarks
--report`, which only collects what was measured last: the files in [results/](results/), which
also hold the figures behind each ratio. A ratio compares two things measured in one run on the same
machine; times alone say nothing. An aim that is missed is said to be missed.
"""


def report(results: Path) -> str:
    """The page, from a folder of results."""
    kept = {path.stem: json.loads(path.read_text()) for path in sorted(results.glob("*.json"))}
    machines: dict[str, list[str]] = {}
    for name, result in kept.items():
        machines.setdefault(_machine(result["machine"]), []).append(name)
    rows = [row for result in kept.values() for row in result["rows"]]
    aims = [row for row in rows if row["met"] is not None]
    parts = [
        _HEAD,
        f"{len(rows)} figures; of {len(aims)} aims, {sum(row['met'] for row in aims)} are met.\n",
        "| machine | benchmarks |\n|---|---|",
        *(f"| {machine} | {', '.join(names)} |" for machine, names in machines.items()),
        *(_section(name, result["rows"]) for name, result in kept.items()),
    ]
    return "\n".join(parts).rstrip() + "\n"


def _machine(about: dict[str, Any]) -> str:
    return (
        f"{about['system']} on {about['processor']}, {about['cores']} cores, "
        f"Python {about['python']}"
    )


def _section(name: str, rows: list[dict[str, Any]]) -> str:
    lines = [f"\n## {name}\n", "| what | ratio | of what | aim | met |", "|---|---:|---|---|---|"]
    for row in rows:
        met = {True: "yes", False: "**no**", None: ""}[row["met"]]
        cells = [row["name"], f"{row['ratio']:,.3g}", row["against"], row["aim"], met]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)
