"""``add_system``: bring a system directory into the application."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = (
        "Add a system directory, as train_system and import_moses write it, to the systems of a "
        "researcher. It is copied into the file storage, from where all workers take it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("directory", type=Path, metavar="DIR")
        parser.add_argument("--name", required=True)
        parser.add_argument("--owner", required=True, metavar="USERNAME")
        parser.add_argument("--source-language", required=True, metavar="CODE")
        parser.add_argument("--target-language", required=True, metavar="CODE")
        parser.add_argument("--licence", default="")
        parser.add_argument("--notes", default="")

    def handle(self, *, directory: Path, owner: str, **options: str) -> None:
        from decoding.actions.systems import keep_system
        from decoding.cards import card_of_folder
        from decoding.management.naming import person
        from decoding.models import System

        card = card_of_folder(directory)
        about = ("name", "source_language", "target_language", "licence", "notes")
        system = keep_system(
            directory,
            owner=person(owner),
            kind=System.Kind.TRAINED,
            card=card,
            **{name: options[name] for name in about},
        )
        self.stdout.write(f"{system} is system {system.pk}, {system.size:,} bytes.")
