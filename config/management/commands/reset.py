from __future__ import annotations

import shutil
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from config import supervisor


class Command(BaseCommand):
    help = "Delete the data folder: database, uploads, systems, secret. Cannot be undone."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, **options: Any) -> None:
        if not settings.ENVIRONMENT.embedded:
            raise supervisor.CannotStart(
                "REDIS_URL is set: this is a production set-up, and its data are not deleted from "
                "here. docs/operations.md says how."
            )
        folder = settings.DATA_DIR
        if not options["yes"]:
            answer = input(f"Delete everything in {folder}? Type yes: ")
            if answer.strip().lower() != "yes":
                self.stdout.write("Nothing was deleted.")
                return
        # Nobody may be writing there meanwhile.
        with supervisor.locked_data_folder(folder):
            shutil.rmtree(folder)
        self.stdout.write(f"Deleted {folder}. The next `make run` starts afresh.")
