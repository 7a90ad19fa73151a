"""``manage.py score``: a metric over n-best lists."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from decoding.core.formats.nbest import read_lists
from decoding.core.formats.text import read_parallel

if TYPE_CHECKING:
    from evaluation.core.metrics.figures import Figure
    from evaluation.core.statistics.quartiles import Groups

METRICS = ("bleu", "bleu1", "coverage", "oracle", "chrf")
TOKENIZERS = ("none", "13a", "intl", "char", "zh")


class Command(BaseCommand):
    help = (
        "Score n-best lists: BLEU or chrF of the first translations (bleu, chrf), BLEU+1 of the "
        "first and of all (bleu1), how much of the references a list covers (coverage), BLEU of "
        "the best translation of each list (oracle)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--metric", required=True, choices=METRICS)
        parser.add_argument(
            "--nbest", required=True, type=Path, metavar="F", help="Moses' format or JSON Lines"
        )
        parser.add_argument(
            "--reference",
            required=True,
            type=Path,
            nargs="+",
            action="extend",
            metavar="F",
            help="one file for each reference, a sentence a line",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--by-quartile",
            type=Path,
            metavar="BASELINE_NBEST",
            help="also by quartile of the BLEU+1 of this list's first translations",
        )
        parser.add_argument("--size", type=int, metavar="K", help="take only the first K of a list")
        parser.add_argument("--pooling", choices=("sum", "max"), default="sum", help="of coverage")
        parser.add_argument("--tokenize", choices=TOKENIZERS, default="none", help="by sacrebleu")
        parser.add_argument("--lowercase", action="store_true", help="so that case does not count")

    def handle(
        self,
        *,
        metric: str,
        nbest: Path,
        reference: Sequence[Path],
        by_quartile: Path | None,
        size: int | None,
        **options: Any,
    ) -> None:
        # Here, for Django must start without numba.
        from evaluation.core.metrics.figures import METRICS, FigureOptions, first_bleu1
        from evaluation.core.statistics.quartiles import quartiles

        if size is not None and size < 1:
            raise CommandError(f"--size is {size}: a list needs 1 translation or more.")
        choices = FigureOptions(options["tokenize"], options["lowercase"], options["pooling"])
        lists = texts(nbest, size)
        references = list(read_parallel(reference))
        figure = METRICS[metric](lists, references, choices)
        groups = None
        parts: list[Figure | None] = []
        if by_quartile:
            groups = quartiles(first_bleu1(texts(by_quartile, 1), references, choices))
            for g in range(groups.count):
                members = groups.members(g)
                own = [lists[s] for s in members], [references[s] for s in members]
                parts.append(METRICS[metric](*own, choices) if len(members) else None)
        show = as_json if options["json"] else as_text
        self.stdout.write(show(figure, groups, parts))


def texts(path: Path, size: int | None) -> list[list[str]]:
    """The translations of each sentence, or the first ``size`` of them."""
    lists = read_lists(path, features=False)
    return [[entry.text for entry in entries[:size]] for entries in lists]


def as_json(figure: Figure, groups: Groups | None, parts: Sequence[Figure | None]) -> str:
    """One object: the figure's fields, and under "quartiles" those of each."""
    record = asdict(figure)
    if groups:
        record["cuts"] = groups.cuts
        record["quartiles"] = [
            {
                "lowest": groups.lowest[g],  # BLEU+1 of the baseline
                "highest": groups.highest[g],
                "sentences": groups.sizes[g],
                "score": part and part.score,
                "spread": part and part.spread and asdict(part.spread),
            }
            for g, part in enumerate(parts)
        ]
    return json.dumps(record, indent=1)


def as_text(figure: Figure, groups: Groups | None, parts: Sequence[Figure | None]) -> str:
    """The figure in sacrebleu's way, then a line for each quartile."""
    lines = [f"{figure.metric}|{figure.signature} = {_numbers(figure)}"]
    if groups:
        for g, part in enumerate(parts):
            name = f"quartile {g + 1}"
            if part is None:
                lines.append(f"{name}: no sentences")
                continue
            lines.append(
                f"{name} (baseline BLEU+1 {groups.lowest[g]:.2f} to {groups.highest[g]:.2f}, "
                f"{groups.sizes[g]} sentences) = {_numbers(part)}"
            )
    return "\n".join(lines)


def _numbers(figure: Figure) -> str:
    text = f"{figure.score:.2f}"
    if figure.spread:
        spread = figure.spread
        text += (
            f" (of whole lists: median {spread.median:.2f}, "
            f"minimum {spread.minimum:.2f}, maximum {spread.maximum:.2f})"
        )
    return text
