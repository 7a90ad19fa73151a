"""``make_study``: a study as the wizard makes it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from evaluation.core.errors import InputError


class Command(BaseCommand):
    help = (
        "Set up a study of lists that are there. It has the paper's design where nothing else is "
        "said, and is a draft unless --start freezes and starts it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what it shall be called; participants see it")
        parser.add_argument("--owner", required=True, metavar="USERNAME")
        parser.add_argument("--corpus", required=True, metavar="NAME")
        parser.add_argument(
            "--condition", nargs="+", action="extend", required=True, metavar="NAME=SYSTEM:RECIPE",
            help="which lists are shown under which name; the baseline first",
        )  # fmt: skip
        design = parser.add_argument_group("design")
        design.add_argument("--sentences", type=int, metavar="N", help="(200, or all)")
        design.add_argument(
            "--seed", type=int, default=1, help="of all that is drawn (%(default)s)"
        )
        design.add_argument(
            "--stratified", action="store_true",
            help="as many sentences from each quartile of BLEU+1",
        )  # fmt: skip
        design.add_argument("--shown", type=int, metavar="N", help="translations in EDITING (3)")
        design.add_argument("--draws", type=int, help="for each sentence and condition (3)")
        design.add_argument("--pairs", type=int, metavar="N", help="of a sentence, in EVAL (all)")
        design.add_argument("--judges", type=int, metavar="N", help="for each pair (3)")
        parser.add_argument("--start", action="store_true", help="freeze it, and let people in")

    def handle(
        self, *, name: str, owner: str, corpus: str, condition: list[str], **options: Any
    ) -> None:
        from django.db import transaction

        from decoding.management.naming import check_fields, named, person
        from decoding.models import Corpus
        from studies.actions.planning import create_study, usual_design
        from studies.actions.running import begin_study
        from studies.models import Study
        from studies.wordings import training_for

        user = person(owner)
        text = named(Corpus.objects, corpus, owner=user)
        if Study.objects.filter(owner=user, name=name).exists():
            raise InputError(f"{owner} has a study named {name} already", hint="Choose another.")
        conditions = [condition_from(one, owner=user) for one in condition]
        given = {
            "sample_size": options["sentences"],
            "shown": options["shown"],
            "draws": options["draws"],
            "pairs_per_comparison": options["pairs"],
            "judges": options["judges"],
        }
        design = usual_design(
            text,
            conditions,
            seed=options["seed"],
            stratified=options["stratified"],
            **{name: value for name, value in given.items() if value is not None},
        )
        check_fields(Study, name=name)
        with transaction.atomic():
            study = create_study(
                owner=user, name=name, corpus=text, conditions=conditions, design=design,
                entry=training_for(text.target_language),
            )  # fmt: skip
            if options["start"]:
                study = begin_study(study)
        self.stdout.write(
            f"{study}: {design.sample_size:,} sentences, {design.editing_tasks:,} edits, "
            f"{design.judgments:,} judgments. It is {study.state}."
        )
        if options["start"]:
            self.stdout.write(f"Its plan: {study.checksum}\nPeople come by: /take/{study.code}/")


def condition_from(said: str, *, owner: Any) -> Any:
    """(name, system, recipe version) from NAME=SYSTEM:RECIPE."""
    from decoding.management.naming import named, recipe_named
    from decoding.models import System

    name, equals, lists = said.partition("=")
    # The last colon, for a system may have one in its name.
    system, colon, recipe = lists.rpartition(":")
    if not (equals and colon and name.strip()):
        raise InputError(
            f"{said} is not a condition",
            hint='Write it as "best=My system:Five best".',
        )
    return (
        name.strip(),
        named(System.objects, system.strip(), owner=owner),
        recipe_named(recipe.strip()),
    )
