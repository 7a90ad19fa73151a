"""What a system's page says of a system that was imported or trained here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from decoding.training import REPORT, read_report

if TYPE_CHECKING:
    from decoding.core.system import System


# What a system's folder says of how it was made: on the card, and not of its content.
REPORTS = (REPORT, "tuning.json")


def card_of_folder(folder: Path) -> dict[str, Any]:
    """The card of the system in a folder, with the report of its training if it was trained."""
    from decoding.core.system import System as CoreSystem

    card = card_of(CoreSystem.open(folder, check=True))
    report = read_report(folder)
    return card | ({"training": report} if report else {})


def card_of(system: System) -> dict[str, Any]:
    """Features with their weights, and sizes, as JSON."""
    limit = system.settings.distortion_limit
    facts = {
        "Phrase pairs": f"{len(system.table.target):,}",
        "Source words": f"{len(system.source):,}",
        "Target words": f"{len(system.target):,}",
        "Distortion limit": "none" if limit is None else str(limit),
        "Translations of a phrase": str(system.settings.table_limit or "all"),
    }
    for number, language in enumerate(system.languages):
        facts[f"Language model {number}"] = (
            f"order {language.order}, {len(language.vocabulary):,} words"
        )
    return {
        "facts": facts,
        "features": {
            name: [round(float(weight), 6) for weight in weights]
            for name, weights in system.named(system.weights).items()
        },
    }
