"""What a system's page says of a system that was imported or trained here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.template.defaultfilters import filesizeformat

from decoding import models
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


def about_system(system: models.System) -> dict[str, Any]:
    """What it is, beside its languages, owner and licence."""
    size = {"Size": filesizeformat(system.size)} if system.size else {}
    return {"Kind": system.get_kind_display(), **size}


def origins(provenance: Mapping[str, Any]) -> dict[str, Any]:
    """From what a system was made, in words; empty of one that came as it is."""

    def said(origin: Mapping[str, Any]) -> str:
        return f"{origin['name']} ({origin['checksum'][:12]})"

    found: dict[str, Any] = {}
    if corpus := provenance.get("corpus"):
        found["Trained on"] = f"{said(corpus)}, reference {corpus['reference']}"
    if dev := provenance.get("dev"):
        found["Dev corpus of the training"] = said(dev)
    if more := provenance.get("monolingual"):
        found["More text for the language model"] = ", ".join(map(said, more))
    if parent := provenance.get("parent"):
        found["Models of"] = said(parent)
    if tuned := provenance.get("tuned on"):
        found["Weights tuned on"] = said(tuned)
    if version := provenance.get("code_version"):
        found["Made by Variorum"] = version
    return found


def training_facts(report: Mapping[str, Any]) -> dict[str, str]:
    """What most people want to know of a training's report; empty without one."""
    if not report:
        return {}
    pairs, words, align = report["prepare"], report["number"], report["align"]
    language, options = report["language"], report["options"]
    rules = {
        side: options[side]["language"] or "none: it came tokenised"
        for side in ("source", "target")
    }
    facts = {
        "Sentence pairs": f"{pairs['kept']:,} of {pairs['read']:,}",
        "Words": f"{words['source']['words']:,} and {words['target']['words']:,}",
        "Tokenised by the rules of": f"{rules['source']} / {rules['target']}",
        "Case": options["source"]["case"],
        "Aligner": f"{align['model']}, {align.get('heuristic', 'as given')}",
    }
    if "forward" in align:
        entropies = [f"{align[way]['entropy']:.2f}" for way in ("forward", "backward")]
        perplexities = [f"{align[way]['perplexities'][-1]:.1f}" for way in ("forward", "backward")]
        facts["Entropy of links, bits"] = " and ".join(entropies)
        facts["Perplexity of the aligner"] = " and ".join(perplexities)
    facts["Phrase pairs extracted"] = f"{report['phrases']['extracted']:,}"
    facts["N-grams"] = " + ".join(f"{count:,}" for count in language["ngrams"])
    dev = report["dev"]
    if "unknown_rate" in dev:
        facts["Unknown words of the dev corpus"] = f"{dev['unknown_rate']:.2%}"
    if "perplexity" in dev:
        facts["Perplexity of the dev corpus"] = f"{dev['perplexity']:.1f}"
    facts["Seconds"] = ", ".join(
        f"{name} {seconds:.1f}" for name, seconds in report["seconds"].items()
    )
    return facts
