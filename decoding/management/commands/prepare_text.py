"""``prepare_text``: text as a trained system wants it, and its translations as people write."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.core.errors import VariorumError


class Command(BaseCommand):
    help = (
        "Treat text as a system's training did: tokenise it, recase it. With --restore, undo that. "
        "Reads what comes in, or --input; prints."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--system", type=Path, required=True, metavar="DIR")
        parser.add_argument("--side", choices=["source", "target"], default="source")
        parser.add_argument("--restore", action="store_true", help="undo instead of doing")
        parser.add_argument("--input", type=Path, metavar="F", help="text, plain or gzipped")

    def handle(self, *args: Any, **given: Any) -> None:
        from decoding.core.corpus.preparation import load_preparation
        from decoding.core.formats.text import read_lines

        try:
            preparation = load_preparation(given["system"] / f"preparation.{given['side']}.json")
            treat = preparation.restore if given["restore"] else preparation.prepare
            if given["input"]:
                lines = read_lines(given["input"], strict=False)
            else:
                text = io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8", newline="\n")
                lines = (line.rstrip("\r\n") for line in text)
            for line in lines:
                self.stdout.write(treat(line))
        except UnicodeDecodeError as error:
            raise CommandError("The text is not UTF-8. Save it as UTF-8.") from error
        except VariorumError as error:
            raise CommandError(str(error)) from error
