"""``manage.py estimate_confidence``: guess BLEU+1 without a reference, and advise by it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandParser

if TYPE_CHECKING:
    from evaluation.core.confidence import Advice, Confidence


class Command(BaseCommand):
    help = (
        "Learn from n-best lists with references to guess BLEU+1 of the first translations without "
        "them: how well that works, and for which sentences to show diverse lists."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--nbest", type=Path, required=True, metavar="F")
        parser.add_argument(
            "--reference", type=Path, required=True, nargs="+", action="extend", metavar="F"
        )
        parser.add_argument("--size", type=int, default=100, help="take K a list (%(default)s)")
        parser.add_argument(
            "--below", type=float, default=35.0, help="advise diverse lists below (%(default)s)"
        )
        parser.add_argument("--seed", type=int, default=1, help="of the folds (%(default)s)")
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *, nbest: Path, reference: Sequence[Path], **options: Any) -> None:
        import numpy as np

        from decoding.core.formats.nbest import read_lists
        from decoding.core.formats.text import read_parallel
        from evaluation.core.confidence import ListClues, clue_table, fit, flat_features
        from evaluation.core.metrics.figures import FigureOptions, first_bleu1

        lists = [entries[: options["size"]] for entries in read_lists(nbest)]
        clues = [
            ListClues(
                texts=[entry.text for entry in entries],
                scores=[entry.score or 0.0 for entry in entries],
                features=flat_features(entries[0].features),
            )
            for entries in lists
        ]
        texts = [[entries[0].text] for entries in lists]
        truth = np.array(first_bleu1(texts, list(read_parallel(reference)), FigureOptions()))
        found = fit(*clue_table(clues), truth, seed=options["seed"])
        advice = found.advise(truth, options["below"])
        show = as_json if options["json"] else as_text
        self.stdout.write(show(found, advice))


def as_json(found: Confidence, advice: Advice) -> str:
    """One object, a guess and a piece of advice for each sentence."""
    from evaluation.core.report.plain import to_plain

    return json.dumps(
        {
            "clues": dict(zip(found.names, found.coefficients, strict=True)),
            "penalty": found.penalty,
            "error": found.worth.error,
            "error of the mean": found.worth.error_of_mean,
            "pearson": to_plain(found.worth.pearson),
            "spearman": to_plain(found.worth.spearman),
            "quartiles": found.worth.quartiles,
            "same quartile": found.worth.same_quartile,
            "advice": {
                "below": advice.below,
                "right": advice.right,
                "always best": advice.always_best,
            },
            "guessed": found.guessed.tolist(),
            "diverse": advice.diverse.tolist(),
            "seed": found.seed,
        },
        indent=1,
    )


def as_text(found: Confidence, advice: Advice) -> str:
    """What it is worth, then what it is made from."""
    from evaluation.report_tables import number

    shown = int(advice.diverse.sum())
    lines = [
        (
            f"Mean error of guesses {found.worth.error:.1f} points of BLEU+1; of the mean "
            f"{found.worth.error_of_mean:.1f}"
        ),
        (
            f"Pearson's r {number(found.worth.pearson, digits=2)}, "
            f"Spearman's rho {number(found.worth.spearman, digits=2)}"
        ),
        f"Quartile guessed for {found.worth.same_quartile:.0%} of sentences (chance: 25%)",
        "",
        "truth \\ guess" + "".join(f"{quartile:>6}" for quartile in range(1, 5)),
        *(
            f"quartile {row + 1:<4}" + "".join(f"{count:>6}" for count in counts)
            for row, counts in enumerate(found.worth.quartiles)
        ),
        "",
        (
            f"Show diverse lists for {shown} of {len(advice.diverse)} sentences, "
            f"whose guess is below {advice.below:g}: right for {advice.right:.0%} of sentences; "
            f"never to show them would be right for {advice.always_best:.0%}."
        ),
        "",
        "Clues, in points of BLEU+1 a standard deviation:",
        *(
            f"{weight:+7.2f}  {name}"
            for name, weight in sorted(
                zip(found.names, found.coefficients, strict=True), key=lambda pair: -abs(pair[1])
            )
        ),
    ]
    return "\n".join(lines)
