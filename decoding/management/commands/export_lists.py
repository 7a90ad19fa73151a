"""``export_lists``: lists out of the application, as the lists browser gives them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.core.errors import InputError


class Command(BaseCommand):
    help = (
        "Write all lists of a corpus by a system and a recipe to a file: n-best lists that can be "
        "scored, tuned on and uploaded again; as JSON Lines with how each list was made."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="its name")
        parser.add_argument(
            "output",
            type=Path,
            metavar="F",
            help="Moses' format, or JSON Lines if F ends in .jsonl; gzipped if it ends in .gz",
        )
        parser.add_argument("--owner", required=True, metavar="USERNAME")
        parser.add_argument("--system", required=True, metavar="NAME")
        parser.add_argument("--recipe", required=True, metavar="NAME")
        parser.add_argument(
            "--recipe-version", type=int, metavar="N", help="an earlier one than the newest"
        )

    def handle(
        self,
        *,
        corpus: str,
        output: Path,
        owner: str,
        system: str,
        recipe: str,
        recipe_version: int | None,
        **options: Any,
    ) -> None:
        from decoding.core.formats.text import write_utf8
        from decoding.exporting import exported
        from decoding.management.naming import named, person, recipe_named
        from decoding.models import Corpus, System, TranslationList

        user = person(owner)
        text = named(Corpus.objects, corpus, owner=user)
        maker = named(System.objects, system, owner=user)
        version = recipe_named(recipe, recipe_version)
        lists = TranslationList.objects.filter(corpus=text, system=maker, recipe_version=version)
        made = lists.count()
        if not made:
            raise InputError(
                f"there are no lists of {text} by {maker} and {version}",
                hint="manage.py make_lists makes them.",
            )
        kind = "jsonl" if ".jsonl" in output.suffixes[-2:] else "nbest"
        try:
            write_utf8(output, exported(text, maker, version, kind))
        except OSError as error:
            raise InputError(f"cannot be written: {error.strerror}", path=output) from error
        self.stdout.write(
            f"{made:,} of {text.segment_count:,} segments have lists by {version}, now in {output}."
        )
