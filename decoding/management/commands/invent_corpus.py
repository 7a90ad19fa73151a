"""``invent_corpus``: parallel text to try everything with, from Orvish, which nobody speaks."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = (
        "Write invented parallel text: news in Orvish, a language that does not exist, and in "
        "English. Makes train.qaa and train.en, and for tuning and testing tune.qaa, tune.en.0, "
        "tune.en.1 and so on, and the same for test. No two sentences are alike."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--output", type=Path, required=True, metavar="DIR")
        for part, sentences in (("train", 10_000), ("tune", 300), ("test", 300)):
            parser.add_argument(
                f"--{part}", type=int, default=sentences, metavar="N", help="sentences"
            )
        parser.add_argument(
            "--references", type=int, default=2, metavar="R", help="for tuning and testing, 1 to 4"
        )
        parser.add_argument("--seed", type=int, default=1)

    def handle(self, *args: Any, **given: Any) -> None:
        from decoding.core.invented.text import LANGUAGE, invent_corpus

        if not 1 <= given["references"] <= 4:
            raise CommandError("--references: give a number from 1 to 4.")
        folder: Path = given["output"]
        folder.mkdir(parents=True, exist_ok=True)
        sentences = invent_corpus(given["seed"], references=given["references"])
        for part in ("train", "tune", "test"):
            drawn = list(islice(sentences, given[part]))
            _write(folder / f"{part}.{LANGUAGE}", [sentence.source for sentence in drawn])
            if part == "train":
                _write(folder / "train.en", [sentence.references[0] for sentence in drawn])
                continue
            for number in range(given["references"]):
                _write(
                    folder / f"{part}.en.{number}",
                    [sentence.references[number] for sentence in drawn],
                )
        if given["verbosity"] > 0:
            self.stdout.write(
                f"{given['train']} sentences to train on, {given['tune']} to tune on and "
                f"{given['test']} to test on are in {folder}."
            )


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
