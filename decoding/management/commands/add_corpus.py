"""``add_corpus``: bring text with its references into the application."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from decoding.core.formats.segments import FORMATS, read_segments
from decoding.models.corpora import usual_direction


class Command(BaseCommand):
    help = (
        "Add text, with references if there are any, to the corpora of a researcher. All of it is "
        "read before anything is kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="what it shall be called")
        parser.add_argument("--owner", required=True, metavar="USERNAME")
        parser.add_argument(
            "--source", type=Path, required=True, metavar="F",
            help="a sentence a line, plain or gzipped; in other formats with the references",
        )  # fmt: skip
        parser.add_argument(
            "--reference", type=Path, nargs="+", action="extend", default=[], metavar="F",
            help="one file for each reference",
        )  # fmt: skip
        parser.add_argument("--format", choices=FORMATS, default="text", help="(%(default)s)")
        parser.add_argument("--source-language", required=True, metavar="CODE")
        parser.add_argument("--target-language", required=True, metavar="CODE")
        parser.add_argument("--licence", default="", help="on what terms it may be used")
        parser.add_argument("--provenance", default="", help="where the text is from")

    def handle(self, *, owner: str, source: Path, reference: list[Path], **options: Any) -> None:
        from decoding.actions.corpora import import_corpus
        from decoding.management.naming import check_fields, person
        from decoding.models import Corpus

        languages = ("source_language", "target_language")
        about = {name: options[name] for name in ("name", *languages, "licence", "provenance")}
        for language in languages:
            side = language.removesuffix("_language")
            about[f"{side}_direction"] = usual_direction(about[language])
        check_fields(Corpus, **about)
        corpus = import_corpus(
            read_segments(options["format"], source, reference), owner=person(owner), **about
        )
        self.stdout.write(
            f"{corpus}: {corpus.segment_count:,} segments, {corpus.most_references} "
            f"reference{'s'[: corpus.most_references != 1]}."
        )
