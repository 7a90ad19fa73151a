from __future__ import annotations

import json
from pathlib import Path

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand

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
        owner = get_user_model().objects.filter(username=options["owner"]).first()
        if owner is None:
            raise InputError(
                f"nobody here is called {options['owner']}", hint="Name the owner's username."
            )
        if not isinstance(parts, dict):
            raise InputError("is not a study's plan", path=path)
        study = import_plan(owner, parts)
        self.stdout.write(f"{study.name}: {study.checksum}")
