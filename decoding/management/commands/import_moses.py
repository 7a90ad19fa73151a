"""``import_moses``: from a moses.ini to a system directory."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser


class Command(BaseCommand):
    help = (
        "Read a Moses phrase-based system into a system directory, which opens in milliseconds "
        "and which decode and tune_diversity take."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("moses_ini", type=Path, metavar="MOSES_INI")
        parser.add_argument("--output", type=Path, required=True, metavar="DIR")
        parser.add_argument(
            "--base",
            type=Path,
            metavar="DIR",
            help="the folder that paths in MOSES_INI start from (default: that of MOSES_INI)",
        )
        parser.add_argument("--force", action="store_true", help="replace DIR if it is a system")

    def handle(
        self, *, moses_ini: Path, output: Path, base: Path | None, force: bool, **_: object
    ) -> None:
        from decoding.core.system import MANIFEST
        from decoding.core.translation.moses import read_moses_system

        if output.exists() and any(output.iterdir() if output.is_dir() else [output]):
            if not (output / MANIFEST).is_file():
                raise CommandError(f"{output} is there already, and is no system. Name another.")
            if not force:
                raise CommandError(f"{output} is there already. Name another, or give --force.")
        system = read_moses_system(
            moses_ini, base=base, progress=lambda name: self.stderr.write(f"Reading {name}")
        )
        # Nothing of a system is in its place before all of it is written.
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=output.parent, prefix=f".{output.name}-") as folder:
            system.save(Path(folder) / "system")
            if output.exists():
                shutil.rmtree(output)
            (Path(folder) / "system").rename(output)
        pairs, words = len(system.table.target), len(system.source)
        self.stderr.write(
            f"{output}: {pairs} phrase pairs, {words} source words, "
            f"{len(system.languages)} language model(s), features "
            + " ".join(f"{feature.name}({feature.count})" for feature in system.features)
        )
