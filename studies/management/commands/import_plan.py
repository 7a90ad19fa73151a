from __future__ import annotations

import json
from pathlib import Path

from django.core.management.base import BaseCommand

from decoding.management.naming import person
from evaluation.core.errors import InputError
from studies.actions.planning import import_plan


class Command(BaseCommand):
    help = "Set up a study from its downloaded plan, over the same corpus and lists."

    def add_arguments(self, parser) -> None:
        parser.add_argument("plan", type=Path, help="the file that the study's page gave out")
        parser.add_argument("--owner", required=True, help="a username")

    def handle(self, *args, **options) -> None:
        path = options["plan"]
        try:
            parts = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise InputError(f"cannot be read ({error})", path=path) from error
        owner = person(options["owner"])
        if not isinstance(parts, dict):
            raise InputError("is not a study's plan", path=path)
        study = import_plan(owner, parts)
        self.stdout.write(f"{study.name}: {study.checksum}")
