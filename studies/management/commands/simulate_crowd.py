from __future__ import annotations

from django.core.management.base import BaseCommand

from studies.arrivals import SIMULATED, simulation_proof
from studies.management.finding import find_study


class Command(BaseCommand):
    help = "Let simulated people take part in a running study, over HTTP, marked as simulated."

    def add_arguments(self, parser) -> None:
        parser.add_argument("study", help="its name, number, or the code in its link")
        parser.add_argument("--address", default="http://127.0.0.1:8000")
        parser.add_argument("--people", type=int, default=40)
        parser.add_argument("--at-once", type=int, default=8)
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *args, **options) -> None:
        from studies.crowd import play

        study = find_study(options["study"])
        link = f"/take/{study.code}/?{SIMULATED}={simulation_proof(study)}"
        answers = play(
            options["address"],
            lambda number: link,
            people=options["people"],
            seed=options["seed"],
            at_once=options["at_once"],
        )
        self.stdout.write(f"{answers} answers")
