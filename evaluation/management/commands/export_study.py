"""``manage.py export_study``: a study in one zip, from which the same report comes elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from studies.management.finding import find_study


class Command(BaseCommand):
    help = "Write a study's replication bundle: design, plan, lists, answers, report, checksums."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="its name, number, or the code in its link")
        parser.add_argument("output", type=Path, metavar="F", help="the zip to be written")

    def handle(self, *, study: str, output: Path, **options: Any) -> None:
        from evaluation.actions import keep_scores, make_analysis, scores_of, unscored
        from evaluation.bundles import write_bundle
        from evaluation.core.report.slices import Slice

        found = find_study(study)
        keep_scores(scores_of(found, unscored(found)))
        unfinished = output.with_name(f".{output.name}.part")
        try:
            write_bundle(found, make_analysis(found, Slice()).report, unfinished)
            unfinished.replace(output)
        finally:
            unfinished.unlink(missing_ok=True)
        self.stdout.write(f"{output}: {found.name}, {output.stat().st_size:,} bytes")
