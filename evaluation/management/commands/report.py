"""``manage.py report``: who was preferred, how sure one can be, and where that changes sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.core.errors import InputError

if TYPE_CHECKING:
    from evaluation.core.report.figures import Report
    from evaluation.core.report.slices import Slice


class Command(BaseCommand):
    help = (
        "Report a study, or judgments that were collected elsewhere, from a CSV file "
        "(docs/reports.md)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        of = parser.add_mutually_exclusive_group(required=True)
        of.add_argument(
            "--study", metavar="STUDY", help="its name, number, or the code in its link"
        )
        of.add_argument(
            "--judgments", type=Path, metavar="F",
            help="CSV with item, condition A, condition B, choice, worker and covariate, or a file "
            "of the WMT news tasks",
        )  # fmt: skip
        parser.add_argument(
            "--baseline", type=Path, metavar="F",
            help="translations, one a line, whose BLEU+1 becomes the covariate of item = line",
        )  # fmt: skip
        parser.add_argument(
            "--reference", type=Path, nargs="+", action="extend", metavar="F",
            help="references for --baseline, one file for each",
        )  # fmt: skip
        parser.add_argument("--first", default="", help="condition to compare ...")
        parser.add_argument("--second", default="", help="... with this one")
        parser.add_argument("--covariate", default="", help="by which sentences are grouped")
        parser.add_argument("--groups", type=int, default=4, help="(%(default)s)")
        parser.add_argument(
            "--cuts", type=float, nargs="+", default=[], help="cut points, instead of equal groups"
        )
        parser.add_argument(
            "--workers", action="store_true", help="intervals that draw workers too"
        )
        parser.add_argument("--seed", type=int, default=1, help="of the intervals (%(default)s)")
        parser.add_argument("--samples", type=int, default=10_000, help="(%(default)s)")
        parser.add_argument("--level", type=float, default=0.95, help="(%(default)s)")
        parser.add_argument("--json", action="store_true", help="print JSON")
        own = parser.add_argument_group("of a study")
        own.add_argument("--owner", metavar="USERNAME", help="who publishes it, or peeks")
        own.add_argument(
            "--publish", action="store_true", help="keep it as it is, at an address of its own"
        )
        own.add_argument(
            "--peek", action="store_true", help="before the study's end: the report will tell"
        )

    def handle(self, **options: Any) -> None:
        # Here, for Django must start without numba and scipy.
        from evaluation.core.report.plain import to_plain
        from evaluation.core.report.slices import Slice
        from evaluation.report_text import as_text

        names = ("first", "second", "covariate", "groups", "workers", "seed", "samples", "level")
        wanted = Slice(**{name: options[name] for name in names}, cuts=tuple(options["cuts"]))
        report = of_study(wanted, options) if options["study"] else of_file(wanted, options)
        if options["json"]:
            self.stdout.write(json.dumps(to_plain(report), indent=1, ensure_ascii=False))
        else:
            self.stdout.write(as_text(report))


def of_file(wanted: Slice, options: dict[str, Any]) -> Report:
    """Of judgments that were collected elsewhere."""
    from evaluation.core.report.build import build_report
    from evaluation.judgment_files import read_judgments, with_bleu1

    if bool(options["baseline"]) != bool(options["reference"]):
        raise CommandError("--baseline and --reference go together: give both, or neither.")
    if options["publish"] or options["peek"]:
        raise CommandError("--publish and --peek are for the report of a --study.")
    tables = read_judgments(options["judgments"])
    if options["baseline"]:
        tables = with_bleu1(tables, options["baseline"], options["reference"])
    return build_report(tables, wanted)


def of_study(wanted: Slice, options: dict[str, Any]) -> Report:
    """Of a study here: the one that its page shows."""
    from decoding.management.naming import person
    from evaluation.actions import keep_scores, make_analysis, peek, publish, scores_of, unscored
    from evaluation.core.report.figures import Report
    from evaluation.core.report.plain import from_plain
    from studies.management.finding import find_study

    study = find_study(options["study"])
    if (options["publish"] or options["peek"]) and not options["owner"]:
        raise CommandError("Who? Give --owner USERNAME with --publish and --peek.")
    if study.is_draft:
        raise InputError(f"{study} is a draft, so nobody has answered", hint="Start it first.")
    if options["peek"] and study.state != study.State.ENDED:
        peek(study, person(options["owner"]))
    elif study.state != study.State.ENDED:
        raise InputError(
            f"the figures of {study} are hidden until it ends",
            hint="End it (manage.py run_study --end), or look now with --peek, which the report "
            "will tell.",
        )
    keep_scores(scores_of(study, unscored(study)))
    analysis = make_analysis(study, wanted)
    if options["publish"]:
        publish(analysis, by=person(options["owner"]))
    return from_plain(Report, analysis.report)
