"""``demo``: the demonstration, made by the jobs and actions that people use."""

from __future__ import annotations

import shutil
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.core.errors import VariorumError

_SECONDS_BETWEEN = 5.0  # at most so often does a step tell how far it is, where nobody watches


class Command(BaseCommand):
    help = (
        "Make the demonstration: invented text, a system trained on it, lists, a study that a "
        "simulated crowd has finished, with its report, and two studies in which you can take "
        "part. Interrupted, it goes on where it was. The first `make run` does it by itself."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--here",
            action="store_true",
            help="do the jobs in this process, when no worker runs",
        )
        parser.add_argument("--delete", action="store_true", help="delete all of it")
        parser.add_argument("--yes", action="store_true", help="do not ask before deleting")

    def handle(self, *args: Any, **given: Any) -> None:
        from config import demonstration

        try:
            if given["delete"]:
                self._delete(demonstration, asked=not given["yes"])
                return
            lines = _Lines(self.stdout)
            demonstration.make(lines.say, here=given["here"])
            self.stdout.write("The demonstration is complete: look at the first page.")
        except KeyboardInterrupt as error:
            raise CommandError("Interrupted. The same command goes on where it was.") from error
        except VariorumError as error:
            raise CommandError(str(error)) from error

    def _delete(self, demonstration: Any, *, asked: bool) -> None:
        if asked and input("Delete the demonstration? Type yes: ").strip().lower() != "yes":
            self.stdout.write("Nothing was deleted.")
            return
        demonstration.delete()
        self.stdout.write("The demonstration is deleted.")


class _Lines:
    """A line a step: rewritten in a terminal, else written at its end and now and then."""

    def __init__(self, out: Any) -> None:
        self.out = out
        self.live = out.isatty()
        self.width = min(80, shutil.get_terminal_size().columns) - 1
        self.step, self.told = 0, 0.0

    def say(self, number: int, of: int, words: str, seconds: float) -> None:
        line = f"  {number} of {of}  {seconds:4.0f} s  {words}"[: self.width]
        if self.live:
            self.out.write(
                ("\r" if number == self.step else "") + line.ljust(self.width), ending=""
            )
            if words.endswith(": done"):
                self.out.write("")
                number = 0
        elif number != self.step or words.endswith(": done") or seconds > self.told:
            self.out.write(line)
            self.told = seconds + _SECONDS_BETWEEN
        self.out.flush()
        self.step = number
