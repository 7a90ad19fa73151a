"""``run_study``: start, pause and end a study, as the buttons of its page do."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandParser

from evaluation.core.errors import InputError


class Command(BaseCommand):
    help = (
        "Start a study, or go on with a paused one: a draft is frozen first. With --pause or --end "
        "the other way."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", help="its name, number, or the code in its link")
        other = parser.add_mutually_exclusive_group()
        other.add_argument("--pause", action="store_true", help="no new tasks for a while")
        other.add_argument("--end", action="store_true", help="for good; then the report is final")

    def handle(self, *, study: str, pause: bool, end: bool, **options: object) -> None:
        from studies.actions.running import begin_study, pause_study, stop_study
        from studies.management.finding import find_study

        found = find_study(study)
        before = found.state
        if pause or end:
            (pause_study if pause else stop_study)(found)
            found.refresh_from_db()
        elif found.state != found.State.ENDED:
            found = begin_study(found)
        wanted = found.State.PAUSED if pause else found.State.ENDED if end else found.State.RUNNING
        if found.state != wanted:
            raise InputError(
                f"{found} is {found.state}, so it cannot be {wanted}",
                hint="Who ended a study can copy it on its page."
                if before == found.State.ENDED
                else "Start it first.",
            )
        self.stdout.write(f"{found} is {found.state}.")
