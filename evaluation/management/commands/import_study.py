"""``manage.py import_study``: a study from its bundle, with the same report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = "Read a study's replication bundle, make its report again, and compare every figure."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", type=Path, metavar="F")
        parser.add_argument("--owner", required=True, help="username of whom it shall belong to")

    def handle(self, *, bundle: Path, owner: str, **options: Any) -> None:
        from decoding.management.naming import person
        from evaluation.actions import differing, keep_scores, make_analysis, scores_of, unscored
        from evaluation.bundles import read_bundle
        from evaluation.core.report.slices import Slice

        study, before = read_bundle(bundle, owner=person(owner))
        self.stdout.write(f"Study {study.pk}: {study.name}")
        keep_scores(scores_of(study, unscored(study)))
        after = make_analysis(study, Slice()).report
        changed = differing(before, after)
        if changed:
            raise CommandError(
                f"The study is here, but its report differs in: {', '.join(changed)}. "
                "Were bundle and report made by the same version?"
            )
        self.stdout.write("Every figure of its report is the same.")
