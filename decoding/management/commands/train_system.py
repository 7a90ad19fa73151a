"""``train_system``: from parallel text to a system directory."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from tqdm import tqdm

from evaluation.core.errors import VariorumError


class Command(BaseCommand):
    help = (
        "Train a system from parallel text, one sentence a line, plain or gzipped. Interrupted, "
        "it goes on where it was when it is given the same again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--source", type=Path, required=True, metavar="F")
        parser.add_argument("--target", type=Path, required=True, metavar="F")
        parser.add_argument("--output", type=Path, required=True, metavar="DIR")
        parser.add_argument("--kind", choices=["phrase", "hierarchical"], default="phrase")
        parser.add_argument(
            "--order", type=int, default=5, metavar="N", help="of the language model, 1 to 7"
        )
        parser.add_argument(
            "--monolingual",
            type=Path,
            action="append",
            default=[],
            metavar="F",
            help="more text of the target language for the language model; may be repeated",
        )
        parser.add_argument(
            "--smoothing", choices=["kneser-ney", "witten-bell"], default="kneser-ney"
        )
        parser.add_argument(
            "--cut-offs",
            type=int,
            nargs="+",
            default=[0],
            metavar="N",
            help="leave out n-grams of 1, 2, ... words that occur at most so often; the last "
            "number holds for longer ones (0)",
        )
        for side in ("source", "target"):
            parser.add_argument(
                f"--dev-{side}",
                type=Path,
                metavar="F",
                help="text to report unknown words or perplexity on",
            )
        self._add_preparation(parser)
        self._add_alignment(parser)
        phrases = parser.add_argument_group("phrases")
        phrases.add_argument("--longest-phrase", type=int, default=7, metavar="N", help="1 to 7")
        phrases.add_argument(
            "--discount", choices=["none", "good-turing", "kneser-ney"], default="none"
        )
        phrases.add_argument(
            "--significance",
            metavar="T",
            help="drop pairs below this significance: a+e, a-e (Johnson et al. 2007) or a number",
        )
        phrases.add_argument(
            "--relative-entropy",
            type=float,
            metavar="T",
            help="drop pairs that shorter ones make at a loss of less than T nats (Zens et al. "
            "2012): 1 or so",
        )
        phrases.add_argument(
            "--moses-files",
            action="store_true",
            help="also write tables, language model and moses.ini as Moses's text files",
        )

    @staticmethod
    def _add_preparation(parser: CommandParser) -> None:
        text = parser.add_argument_group(
            "text", "Without a language, text is taken as tokenised and its case left as it is."
        )
        for side in ("source", "target"):
            text.add_argument(
                f"--{side}-language", metavar="CODE", help=f"tokenise the {side}, as en or de"
            )
            text.add_argument(
                f"--{side}-segmenter",
                metavar="NAME",
                help="characters, jieba, or module:function of an installed package",
            )
        text.add_argument(
            "--case",
            choices=["as-is", "lower", "true"],
            help="default: true with a language, as-is without",
        )
        text.add_argument("--longest-sentence", type=int, default=80, metavar="N")
        text.add_argument("--length-ratio", type=float, default=9.0, metavar="R")

    @staticmethod
    def _add_alignment(parser: CommandParser) -> None:
        alignment = parser.add_argument_group("word alignment")
        alignment.add_argument(
            "--alignment", type=Path, metavar="F", help="use this one, in Pharaoh format"
        )
        alignment.add_argument("--aligner", choices=["hmm", "diagonal", "ibm1"])
        alignment.add_argument("--iterations", type=int, metavar="N")
        alignment.add_argument(
            "--symmetrization",
            default="grow-diag-final-and",
            choices=[
                "intersect",
                "union",
                "grow",
                "grow-diag",
                "grow-diag-final",
                "grow-diag-final-and",
                "forward",
                "backward",
            ],
        )

    def handle(self, *args: Any, **given: Any) -> None:
        from decoding.core.corpus.training import TrainingTexts, train_system

        texts = TrainingTexts(
            source=given["source"],
            target=given["target"],
            alignment=given["alignment"],
            monolingual=tuple(given["monolingual"]),
            dev_source=given["dev_source"],
            dev_target=given["dev_target"],
        )
        try:
            options = _options(given)
            with _Bar(quiet=given["verbosity"] == 0) as bar:
                report = train_system(
                    texts, given["output"], options, clock=time.perf_counter, progress=bar.tell
                )
        except VariorumError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt as error:
            raise CommandError(
                "Interrupted. The same command goes on after the last finished step."
            ) from error
        if given["verbosity"] > 0:
            self.stdout.write(_summary(report, given["output"]))


def _options(given: dict[str, Any]) -> Any:
    """The command line's options as the core wants them."""
    from dataclasses import replace

    from decoding.core.corpus.align import AlignmentOptions
    from decoding.core.corpus.clean import CleaningOptions
    from decoding.core.corpus.entropy import EntropyOptions
    from decoding.core.corpus.extract import ExtractionOptions
    from decoding.core.corpus.preparation import PreparationOptions
    from decoding.core.corpus.prune import PruningOptions
    from decoding.core.corpus.score import ScoringOptions
    from decoding.core.corpus.symmetrize import SymmetryOptions
    from decoding.core.corpus.training import TrainingOptions
    from decoding.core.language.estimate import EstimationOptions

    alignment = AlignmentOptions()
    if given["aligner"]:
        alignment = replace(alignment, model=given["aligner"])
    if given["iterations"]:
        alignment = replace(alignment, iterations=given["iterations"])
    source, target = (
        PreparationOptions(
            language=given[f"{side}_language"],
            case=given["case"] or ("true" if given[f"{side}_language"] else "as-is"),
            segmenter=given[f"{side}_segmenter"],
        )
        for side in ("source", "target")
    )
    return TrainingOptions(
        kind=given["kind"],
        source=source,
        target=target,
        cleaning=CleaningOptions(given["longest_sentence"], given["length_ratio"]),
        alignment=alignment,
        symmetry=SymmetryOptions(given["symmetrization"]),
        extraction=ExtractionOptions(given["longest_phrase"]),
        pruning=PruningOptions(given["significance"]) if given["significance"] else None,
        entropy=None
        if given["relative_entropy"] is None
        else EntropyOptions(given["relative_entropy"]),
        scoring=ScoringOptions(given["discount"]),
        language=EstimationOptions(
            order=given["order"], smoothing=given["smoothing"], prune=tuple(given["cut_offs"])
        ),
        moses_files=given["moses_files"],
    )


class _Bar:
    """Shows the step under way and how far it is, on standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._step = ""
        self._bar: tqdm[Any] | None = None

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def tell(self, step: str, done: float) -> None:
        """Move the step's bar; a new step has a new one."""
        if self._quiet:
            return
        if self._bar is None or self._step != step:
            if self._bar is not None:
                self._bar.close()
            self._step = step
            self._bar = tqdm(
                total=100, desc=step, bar_format="{desc:10}{percentage:4.0f}%|{bar:40}|"
            )
        self._bar.n = round(100 * done)
        self._bar.refresh()


def _summary(report: dict[str, Any], output: Path) -> str:
    """What most people want to know of the report."""
    prepared, phrases = report["prepare"], report["phrases"]
    lines = [
        (
            f"{prepared['kept']} of {prepared['read']} sentence pairs, "
            f"{phrases['pairs']} phrase pairs, "
            f"language model of order {report['language']['order']}"
        ),
        "seconds: " + ", ".join(f"{name} {s:.1f}" for name, s in report["seconds"].items()),
    ]
    if "unknown_rate" in report["dev"]:
        lines.append(f"unknown words of the dev text: {report['dev']['unknown_rate']:.2%}")
    if "perplexity" in report["dev"]:
        lines.append(f"perplexity of the dev text: {report['dev']['perplexity']:.1f}")
    return "\n".join([*lines, f"The system is in {output}; its report is training.json there."])
