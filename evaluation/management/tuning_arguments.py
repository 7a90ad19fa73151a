"""The arguments that choose a tuning method and its options, the same in every command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import CommandError, CommandParser

if TYPE_CHECKING:
    from evaluation.core.tuning.loop import Optimise

METHODS = ("mert", "pro", "apro", "mira", "batch-mira")


def add_tuning_arguments(parser: CommandParser) -> None:
    parser.add_argument(
        "--reference",
        type=Path,
        required=True,
        nargs="+",
        action="extend",
        metavar="F",
        help="one file for each reference, a sentence a line",
    )
    parser.add_argument("--method", required=True, choices=METHODS)
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the method, such as restarts=50; docs/tuning.md has them all",
    )
    parser.add_argument("--seed", type=int, default=1, help="of all random choices (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def chosen_method(name: str, settings: list[str]) -> Optimise:
    """The method with its options, as the loop takes it."""
    from evaluation.core.tuning.methods import METHODS

    method = METHODS[name]
    return partial(method.tune, options=method.options(**_options(method.options, settings)))


def _options(kind: type[Any], settings: list[str]) -> dict[str, Any]:
    """``["restarts=50"]`` as the fields of an options class."""
    known = {field.name: field.type for field in fields(kind)}
    readers: dict[Any, Callable[[str], Any]] = {"int": int, "float": float}
    found = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in known:
            raise CommandError(
                f"--set {setting}: there is no option {name!r}. There are: {', '.join(known)}."
            )
        choices = _CHOICES.get(str(known[name]))
        if choices is not None and value not in choices:
            raise CommandError(f"--set {setting}: choose one of {', '.join(choices)}.")
        try:
            found[name] = readers.get(known[name], str)(value)
        except ValueError:
            raise CommandError(f"--set {setting}: {value!r} is no number.") from None
    return found


_CHOICES = {
    "Brevity": ("smoothed", "plain"),
    "Directions": ("coordinate", "random", "powell"),
    "Solver": ("lbfgs", "newton"),
}
