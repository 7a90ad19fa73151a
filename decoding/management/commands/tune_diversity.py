from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandParser
from tqdm import tqdm

from evaluation.core.errors import InputError

if TYPE_CHECKING:
    from decoding.core.diversity.grid import ComparedCells, GridOptions, SentenceLists, Surface


class Command(BaseCommand):
    help = "Find the n and lambda whose diverse lists are best on a tuning set."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--system", type=Path, required=True, metavar="DIR")
        parser.add_argument("--source", type=Path, required=True, metavar="F")
        parser.add_argument("--reference", type=Path, required=True, nargs="+", metavar="F")
        parser.add_argument(
            "--objective",
            choices=["coverage", "oracle"],
            default="coverage",
            help="coverage for lists that people see, oracle BLEU for reranking (%(default)s)",
        )
        parser.add_argument(
            "--n", type=int, nargs="+", default=None, help="orders to try (2 3 4 5 6 7 8 9)"
        )
        parser.add_argument(
            "--lambda",
            dest="strengths",
            type=float,
            nargs="+",
            default=None,
            help="weights to try (0.005 0.01 0.05 0.1, and 0.2 for coverage)",
        )
        parser.add_argument("--size", type=int, default=5, help="translations a list (%(default)s)")
        parser.add_argument(
            "--distinct", action="store_true", help="no translation twice in a list"
        )
        parser.add_argument("--sentences", type=int, help="only the first so many")
        parser.add_argument("--pop-limit", type=int, default=200, help="(%(default)s)")
        parser.add_argument("--threads", type=int, default=1)
        parser.add_argument(
            "--keep", type=Path, metavar="F",
            help="keep each sentence's lists here, and go on from there when started again",
        )  # fmt: skip
        parser.add_argument(
            "--seed", type=int, default=1, help="by which intervals are found (%(default)s)"
        )
        parser.add_argument("--json", action="store_true", help="the surface as JSON")

    def handle(self, **options: Any) -> None:
        from decoding.core.diversity.grid import GridOptions, compare_cells, surface_of
        from decoding.core.formats.text import read_lines
        from evaluation.core.statistics.intervals import Bootstrap

        sources = list(read_lines(options["source"]))[: options["sentences"]]
        references = [list(read_lines(path)) for path in options["reference"]]
        for path, lines in zip(options["reference"], references, strict=True):
            if len(lines) < len(sources):
                raise InputError(
                    f"has {len(lines)} lines, and the source has {len(sources)}",
                    path=path,
                    hint="Line i of a reference belongs to line i of the source.",
                )
        # The paper leaves 0.2 out where lists are for a machine.
        strengths = (0.005, 0.01, 0.05, 0.1) + (0.2,) * (options["objective"] == "coverage")
        grid = GridOptions(
            tuple(options["n"] or range(2, 10)),
            tuple(options["strengths"] or strengths),
            options["size"],
            options["objective"],
            options["distinct"],
        )
        lists = self._lists(sources, grid, options)
        surface = surface_of(
            [lists[number] for number in range(len(sources))],
            list(zip(*(lines[: len(sources)] for lines in references), strict=True)),
            grid,
        )
        show = as_json if options["json"] else as_table
        self.stdout.write(show(surface, compare_cells(surface, Bootstrap(options["seed"]))))

    def _lists(
        self, sources: list[str], grid: GridOptions, options: dict[str, Any]
    ) -> dict[int, SentenceLists]:
        from decoding.core.diversity.grid import all_grid_lists
        from decoding.core.search.decoder import Decoder, SearchOptions
        from decoding.core.system import System

        lists = dict(kept_lists(options["keep"], grid)) if options["keep"] else {}
        missing = {number: source for number, source in enumerate(sources) if number not in lists}
        decoder = Decoder(System.open(options["system"]))
        search = SearchOptions(pop_limit=options["pop_limit"])
        bar = tqdm(
            total=len(sources),
            initial=len(sources) - len(missing),
            unit="sentence",
            file=self.stderr,
            disable=not sys.stderr.isatty(),
        )
        with bar:
            for number, made in all_grid_lists(
                decoder, missing, grid, search, threads=options["threads"]
            ):
                lists[number] = made
                if options["keep"]:
                    keep_lists(options["keep"], number, made, grid)
                bar.update()
        return lists


def keep_lists(path: Path, number: int, made: SentenceLists, grid: GridOptions) -> None:
    """Add a sentence's lists to the file, in one write: a crash leaves whole lines."""
    record = [number, _kind(grid), made.best, made.diverse]
    with path.open("a") as file:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def kept_lists(path: Path, grid: GridOptions) -> Iterator[tuple[int, SentenceLists]]:
    """What an earlier run kept, if it was for the same grid."""
    from decoding.core.diversity.grid import SentenceLists

    if not path.exists():
        return
    for line, text in enumerate(path.read_text().splitlines(), 1):
        try:
            number, kind, best, diverse = json.loads(text)
        except ValueError:
            continue  # the line at which an earlier run was cut off
        if kind != _kind(grid):
            raise InputError(
                "holds lists of another grid",
                path=path,
                line=line,
                hint="Name another file with --keep, or ask for the same n, lambda and size.",
            )
        yield number, SentenceLists(tuple(best), tuple(tuple(one) for one in diverse))


def _kind(grid: GridOptions) -> list[Any]:
    """What lists must have in common to be used together."""
    return [[list(cell) for cell in grid.cells], grid.size, grid.distinct]


def as_table(surface: Surface, compared: ComparedCells) -> str:
    """The surface for a terminal: a row for each n, then the differences, then what it says."""
    from decoding.core.diversity.winners import answer, missing

    options, winners = surface.options, compared.winners
    values, differences = [], []
    for cell in compared.cells:
        is_best = cell == winners.best
        values.append(f"{cell.value:.2f}{'*' if is_best else '~' if cell in winners.tied else ' '}")
        differences.append("best" if is_best else winners.difference_of(cell))
    lines = [
        *_rows(options, values, 9),
        "",
        "less the best, with the 95% interval of each comparison alone:",
    ]
    lines += [*_rows(options, differences, 27), ""]
    lines.append(answer(winners, options.objective, surface.unique_best, compared.gain))
    if more := missing(surface.sentences):
        lines.append(f"Not enough data to tell the cells apart: {more} more sentences needed.")
    lines += [
        "* best, ~ cannot be told apart from it",
        f"unique {options.size}-best: {surface.unique_best:.2f}",
        f"{surface.sentences} sentences, seed {compared.bootstrap.seed}, {surface.signature}",
    ]
    return "\n".join(lines)


def _rows(options: GridOptions, texts: Sequence[str], width: int) -> Iterator[str]:
    """The cells' texts in rows and columns."""
    columns = len(options.strengths)
    yield "    n  lambda" + "".join(f"{strength:>{width}g}" for strength in options.strengths)
    for row, order in enumerate(options.orders):
        own = texts[row * columns : (row + 1) * columns]
        yield f"{order:>5}        " + "".join(f"{text:>{width}}" for text in own).rstrip()


def as_json(surface: Surface, compared: ComparedCells) -> str:
    winners = compared.winners
    return json.dumps(
        {
            "objective": surface.options.objective,
            "n": list(surface.options.orders),
            "lambda": list(surface.options.strengths),
            "size": surface.options.size,
            "values": surface.values.tolist(),
            "best": {"n": winners.best.order, "lambda": winners.best.penalty},
            "cells": [winners.row_of(cell) for cell in compared.cells],
            "unique_best": surface.unique_best,
            "gain": asdict(compared.gain),
            "bootstrap": asdict(compared.bootstrap),
            "sentences": surface.sentences,
            "signature": surface.signature,
        }
    )
