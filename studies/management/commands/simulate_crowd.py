from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError

from studies.arrivals import SIMULATED, simulation_proof
from studies.models import Study


class Command(BaseCommand):
    help = "Let simulated people take part in a running study, over HTTP, marked as simulated."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="its name, or the code in its link")
        parser.add_argument("--address", default="http://127.0.0.1:8000")
        parser.add_argument("--people", type=int, default=40)
        parser.add_argument("--at-once", type=int, default=8)
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *args, **options) -> None:
        from studies.crowd import play

        name = options["study"]
        found = Study.objects.filter(code=name) or Study.objects.filter(name=name)
        if len(found) != 1:
            raise CommandError(
                f"{len(found)} studies are called {name}. Give the code that is in the link."
            )
        link = f"/take/{found[0].code}/?{SIMULATED}={simulation_proof(found[0])}"
        answers = play(
            options["address"],
            lambda number: link,
            people=options["people"],
            seed=options["seed"],
            at_once=options["at_once"],
        )
        self.stdout.write(f"{answers} answers")
