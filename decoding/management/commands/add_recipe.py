"""``add_recipe``: how lists are made, under a name."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser


class Command(BaseCommand):
    help = (
        "Add a recipe for diverse lists, as tune_diversity found n and lambda. An installation "
        "begins with two, Five best and Five diverse (n = 4, lambda = 0.1)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what it shall be called")
        parser.add_argument("--owner", required=True, metavar="USERNAME", help="who adds it")
        parser.add_argument("--size", type=int, default=5, help="translations a list (%(default)s)")
        parser.add_argument(
            "--n", type=int, required=True, help="words that translations should not share, 1 to 9"
        )
        parser.add_argument(
            "--lambda", type=float, required=True, dest="penalty", metavar="L",
            help="what sharing them costs",
        )  # fmt: skip
        parser.add_argument("--reason", default="", help="why these, for those who look later")

    def handle(
        self, *, name: str, owner: str, size: int, n: int, penalty: float, reason: str, **_: Any
    ) -> None:
        from decoding.actions.recipes import add_recipe
        from decoding.management.naming import in_a_sentence, person
        from decoding.models import RecipeVersion

        settings = {
            "kind": RecipeVersion.Kind.DIVERSE, "length": size, "order": n, "penalty": penalty,
        }  # fmt: skip
        with in_a_sentence():
            made = add_recipe(name, settings, author=person(owner), reason=reason)
        self.stdout.write(f"{name}: {made.summary}.")
