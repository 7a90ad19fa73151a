"""``manage.py tune_weights``: weights from n-best lists, without decoding."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.management.tuning_arguments import add_tuning_arguments, chosen_method


class Command(BaseCommand):
    help = (
        "Tune weights on n-best lists with features, as any decoder writes them. Prints the "
        "weights as moses.ini has them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--nbest",
            type=Path,
            required=True,
            nargs="+",
            action="extend",
            metavar="F",
            help="lists of the same sentences, such as those of several rounds; they are merged",
        )
        add_tuning_arguments(parser)
        parser.add_argument(
            "--weights",
            type=Path,
            metavar="F",
            help="where to start, in lines such as LM0= 0.5 (default: all weights equal)",
        )
        parser.add_argument(
            "--nbest-output",
            type=Path,
            metavar="F",
            help="write the merged lists here, in the order of their new scores",
        )

    def handle(
        self,
        *,
        nbest: Sequence[Path],
        reference: Sequence[Path],
        weights: Path | None,
        nbest_output: Path | None,
        **options: Any,
    ) -> None:
        # Here, for Django must start without numba.
        import numpy as np

        from evaluation.kbest import Referee, by_name, read_weights, write_kbest

        optimise = chosen_method(options["method"], options["set"])
        labelled = Referee.read(reference).label_files(nbest)
        size = labelled.lists.features.shape[1]
        start = read_weights(weights, labelled.features) if weights else np.full(size, 1.0 / size)
        result = optimise(labelled.lists, start, np.random.default_rng(options["seed"]))
        if nbest_output is not None:
            write_kbest(nbest_output, labelled, result.weights)
        named = by_name(result.weights, labelled.features)
        if options["json"]:
            facts = {
                "method": options["method"],
                "seed": options["seed"],
                "metric": "BLEU",
                "start_score": result.start_score,
                "score": result.score,
                "sentences": len(labelled.lists),
                "hypotheses": len(labelled.lists.features),
                "weights": named,
            }
            self.stdout.write(json.dumps(facts, indent=1, ensure_ascii=False))
            return
        for name, values in named.items():
            self.stdout.write(f"{name}= {' '.join(f'{value:.6g}' for value in values)}")
        self.stderr.write(
            f"BLEU of the selected translations: {result.start_score:.2f} at the start, "
            f"{result.score:.2f} now ({len(labelled.lists)} sentences, "
            f"{len(labelled.lists.features)} translations)."
        )
