"""``make_lists``: lists of translations in the application, as a system's page makes them."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

_WIDTH = 40


class Command(BaseCommand):
    help = (
        "Have a system make lists of a corpus by some recipes. Those that are there already are "
        "not made again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("corpus", help="its name")
        parser.add_argument("--owner", required=True, metavar="USERNAME")
        parser.add_argument("--system", required=True, metavar="NAME")
        parser.add_argument(
            "--recipe", nargs="+", action="extend", metavar="NAME",
            help="(Five best and Five diverse)",
        )  # fmt: skip
        parser.add_argument(
            "--segments", type=int, metavar="N", help="only the first N (default: all)"
        )
        parser.add_argument(
            "--here", action="store_true", help="do it in this process, when no worker runs"
        )

    def handle(
        self, *, corpus: str, owner: str, system: str, recipe: list[str] | None, **options: Any
    ) -> None:
        from decoding.actions.lists import ask_for_lists
        from decoding.actions.recipes import STANDARD
        from decoding.following import follow
        from decoding.management.naming import named, person, recipe_named
        from decoding.models import Corpus, System, TranslationList

        user = person(owner)
        text = named(Corpus.objects, corpus, owner=user)
        maker = named(System.objects, system, owner=user)
        versions = [recipe_named(name) for name in recipe or STANDARD]
        first = options["segments"]
        job = ask_for_lists(
            text,
            maker,
            versions,
            owner=user,
            segments=None if first is None else range(1, min(first, text.segment_count) + 1),
        )
        # In a terminal one line that is written again and again.
        ending = "\r" if self.stderr.isatty() else "\n"
        follow(
            job,
            lambda words: self.stderr.write(words.ljust(_WIDTH), ending=ending),
            here=options["here"],
        )
        for version in versions:
            made = TranslationList.objects.filter(
                corpus=text, system=maker, recipe_version=version
            ).count()
            self.stdout.write(
                f"{made:,} of {text.segment_count:,} segments have lists by {version.recipe}."
            )
        if failed := job.failed_segments.count():
            self.stdout.write(f"{failed:,} segments failed; why is on the page of job {job.pk}.")
