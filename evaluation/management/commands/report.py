"""``manage.py report``: who was preferred, how sure one can be, and where that changes sides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Report judgments that were collected elsewhere, from a CSV file (docs/reports.md)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--judgments", type=Path, required=True, metavar="F",
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

    def handle(self, **options: Any) -> None:
        # Here, for Django must start without numba and scipy.
        from evaluation.core.report.build import build_report
        from evaluation.core.report.plain import to_plain
        from evaluation.core.report.slices import Slice
        from evaluation.judgment_files import read_judgments, with_bleu1
        from evaluation.report_text import as_text

        if bool(options["baseline"]) != bool(options["reference"]):
            raise CommandError("--baseline and --reference go together: give both, or neither.")
        names = ("first", "second", "covariate", "groups", "workers", "seed", "samples", "level")
        wanted = Slice(**{name: options[name] for name in names}, cuts=tuple(options["cuts"]))
        tables = read_judgments(options["judgments"])
        if options["baseline"]:
            tables = with_bleu1(tables, options["baseline"], options["reference"])
        report = build_report(tables, wanted)
        if options["json"]:
            self.stdout.write(json.dumps(to_plain(report), indent=1, ensure_ascii=False))
        else:
            self.stdout.write(as_text(report))
