"""``manage.py tune_system``: weights of a system, decoding between the rounds."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from evaluation.management.tuning_arguments import add_tuning_arguments, chosen_method

if TYPE_CHECKING:
    from decoding.core.tuning import TunableSystem
    from evaluation.core.tuning.lists import FloatArray
    from evaluation.core.tuning.loop import Progress

PROGRESS = "tuning.part.npz"  # in the system's directory, while tuning is under way

_LOOP_ARGUMENTS = ("rounds", "patience", "interpolation", "uniform")
_LIST_ARGUMENTS = ("kbest", "unique", "pop_limit")


class Command(BaseCommand):
    help = (
        "Tune a system's weights on sources with references: decode, merge the lists, find better "
        "weights, again. Writes the weights that were best into the system, and the history into "
        "tuning.json there. Interrupted, it goes on where it was when it is given the same again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--system", type=Path, required=True, metavar="DIR")
        parser.add_argument(
            "--source", type=Path, required=True, metavar="F", help="a sentence a line"
        )
        add_tuning_arguments(parser)
        loop = parser.add_argument_group("rounds")
        loop.add_argument("--rounds", type=int, default=15, help="at most (%(default)s)")
        loop.add_argument(
            "--patience", type=int, default=5, help="rounds without gain (%(default)s)"
        )
        loop.add_argument(
            "--interpolation",
            type=float,
            help="share of the new weights, the rest from the old ones (1; pro: 0.1)",
        )
        loop.add_argument(
            "--uniform", action="store_true", help="start from equal weights, not the system's own"
        )
        loop.add_argument(
            "--keep-weights", action="store_true", help="leave the system's weights as they are"
        )
        lists = parser.add_argument_group("lists")
        lists.add_argument("--kbest", type=int, default=100, metavar="K", help="(%(default)s)")
        lists.add_argument("--unique", action="store_true", help="K different translations")
        lists.add_argument("--pop-limit", type=int, default=200, metavar="B", help="(%(default)s)")
        lists.add_argument("--threads", type=int, default=1, metavar="T")

    def handle(
        self, *, system: Path, source: Path, reference: Sequence[Path], **options: Any
    ) -> None:
        from decoding.core.formats.text import read_lines
        from decoding.core.search.decoder import SearchOptions
        from decoding.core.system import System
        from decoding.core.tuning import TunableSystem
        from evaluation.core.tuning.keeping import load_progress, save_progress
        from evaluation.core.tuning.loop import LoopOptions, tune
        from evaluation.core.tuning.methods import METHODS
        from evaluation.core.tuning.record import RECORD, record, write_record
        from evaluation.kbest import Referee

        optimise = chosen_method(options["method"], options["set"])
        share = options["interpolation"]
        loop = LoopOptions(
            options["rounds"],
            options["patience"],
            interpolation=METHODS[options["method"]].interpolation if share is None else share,
        )
        sources = list(read_lines(source))
        with self._bar(sources, options["verbosity"]) as bar:
            tunable = TunableSystem(
                System.open(system),
                sources,
                Referee.read(reference),
                k=options["kbest"],
                unique=options["unique"],
                search=SearchOptions(pop_limit=options["pop_limit"]),
                threads=options["threads"],
                progress=bar.update,
            )
            settings = _settings(source, reference, options)
            kept = system / PROGRESS
            if kept.exists():
                begin: FloatArray | Progress = load_progress(kept, settings)
            elif options["uniform"]:
                begin = tunable.uniform_weights
            else:
                begin = tunable.weights

            def after_round(progress: Progress) -> None:
                save_progress(kept, progress, settings)
                bar.reset()
                self._tell(progress, options)

            progress = tune(
                tunable.decode, optimise, begin, options["seed"], loop, after_round=after_round
            )
        facts = record(
            progress,
            tunable.features,
            method=options["method"],
            seed=options["seed"],
            metric="BLEU",
        )
        write_record(system / RECORD, facts)
        if not options["keep_weights"]:
            tunable.with_weights(progress.best.weights).save_weights(system)
        kept.unlink()
        if options["json"]:
            self.stdout.write(json.dumps(facts, indent=1, ensure_ascii=False))
        else:
            self._summarise(progress, tunable)

    def _bar(self, sources: Sequence[str], verbosity: int) -> tqdm[Any]:
        quiet = verbosity == 0 or not sys.stderr.isatty()
        return tqdm(total=len(sources), unit="sentence", file=sys.stderr, disable=quiet)

    def _tell(self, progress: Progress, options: dict[str, Any]) -> None:
        """A line for each round."""
        if options["json"] or options["verbosity"] == 0:
            return
        done = progress.rounds[-1]
        self.stdout.write(
            f"round {len(progress.rounds)}: BLEU {done.score:.2f}, {done.new} new of "
            f"{done.hypotheses} translations, next weights forecast {done.forecast:.2f}"
        )

    def _summarise(self, progress: Progress, tunable: TunableSystem) -> None:
        from evaluation.core.tuning.record import by_name

        number = next(i for i, done in enumerate(progress.rounds, 1) if done is progress.best)
        self.stdout.write(
            f"Stopped: {progress.stopped}. Round {number} was the best, with BLEU "
            f"{progress.best.score:.2f} after {progress.rounds[0].score:.2f} at the start:"
        )
        for name, values in by_name(progress.best.weights, tunable.features).items():
            self.stdout.write(f"{name}= {' '.join(f'{value:.6g}' for value in values)}")


def _settings(source: Path, reference: Sequence[Path], options: dict[str, Any]) -> str:
    """All that the result depends on, so that no other tuning is taken up by mistake."""
    # Threads and what is shown change nothing.
    own = {"method", "set", "seed", *_LOOP_ARGUMENTS, *_LIST_ARGUMENTS}
    facts = {name: options[name] for name in sorted(own)}
    files = [str(path.resolve()) for path in (source, *reference)]
    return json.dumps({**facts, "files": files}, sort_keys=True)
