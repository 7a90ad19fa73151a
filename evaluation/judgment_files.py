"""Judgments that were collected elsewhere, from a file to the tables of a report.

Three forms are told apart by their first line: our own CSV (docs/reports.md), the pairwise
judgments of the WMT news tasks, and the rankings of up to five systems before them.
"""

from __future__ import annotations

import csv
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from decoding.core.formats.text import read_lines
from evaluation.core.errors import InputError
from evaluation.core.report.tables import Facts, JudgmentRow, Sentence, Tables

LEFT, SAME, RIGHT = 1, 0, -1

_NEEDED = ("item", "condition a", "condition b", "choice", "worker")
_OPTIONAL = ("pair", "seconds")
_SAME_WORDS = {"same", "tie", "equal", "="}
_BLEU1 = "BLEU+1 of the baseline"


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the file under its columns' names, and where it stands."""

    path: Path
    number: int
    cells: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells[column]

    def wrong(self, problem: str, hint: str) -> InputError:
        return InputError(problem, path=self.path, line=self.number, hint=hint)


def read_judgments(path: Path, *, title: str = "") -> Tables:
    """The judgments of a file, plain or gzipped, with commas, tabs or semicolons."""
    columns, lines = _table(path)
    for needed, read in _FORMS:
        if needed <= set(columns):
            rows, sentences, joined = read(lines, columns)
            break
    else:
        missing = [name for name in _NEEDED if name not in columns]
        raise InputError(
            f"has no column {' or '.join(missing)}" if columns else "has no first line",
            path=path,
            line=1,
            hint=f"Name the columns in the first line: {', '.join(_NEEDED)}, covariate.",
        )
    if not rows:
        raise InputError("holds no judgment", path=path, hint="Give a judgment a line.")
    covariates = dict.fromkeys(name for one in sentences.values() for name in one)
    return Tables(
        facts=Facts(title or path.name.removesuffix(".gz")),
        conditions=tuple(dict.fromkeys(n for row in rows for n in (row.left, row.right))),
        covariates={name: name for name in covariates},
        sentences=tuple(Sentence(name, sentences[name]) for name in _in_order(sentences)),
        judgments=tuple(rows),
        joined=joined,
    )


def with_bleu1(tables: Tables, baseline: Path, references: Sequence[Path]) -> Tables:
    """The tables with BLEU+1 of a baseline's translations as a covariate (ALGORITHMS B2, B5).

    Line i of the files belongs to the sentence whose item is i, from 1.
    """
    from evaluation.core.metrics.figures import FigureOptions, bleu1_figure, first_bleu1

    translations = [[line] for line in read_lines(baseline)]
    texts = [list(read_lines(path)) for path in references]
    for path, lines in zip(references, texts, strict=True):
        if len(lines) != len(translations):
            raise InputError(
                f"has {len(lines)} lines, and {baseline.name} has {len(translations)}",
                path=path,
                hint="Both must hold the same sentences, one a line.",
            )
    for sentence in tables.sentences:
        if not (sentence.name.isdigit() and 1 <= int(sentence.name) <= len(translations)):
            raise InputError(
                f"item {sentence.name} is not a line of {baseline.name}, "
                f"which has {len(translations)}",
                hint="Items must be line numbers, from 1, for BLEU+1 to be found.",
            )
    chosen = [int(sentence.name) - 1 for sentence in tables.sentences]
    lists = [translations[i] for i in chosen]
    options = FigureOptions(tokenize="13a")
    own = [[lines[i] for lines in texts] for i in chosen]
    scores = first_bleu1(lists, own, options)
    return replace(
        tables,
        facts=replace(
            tables.facts,
            signatures=dict(tables.facts.signatures)
            | {_BLEU1: bleu1_figure(lists, own, options).signature},
        ),
        covariates={"bleu1": _BLEU1} | dict(tables.covariates),
        sentences=tuple(
            replace(sentence, covariates={"bleu1": score} | dict(sentence.covariates))
            for sentence, score in zip(tables.sentences, scores, strict=True)
        ),
    )


def _table(path: Path) -> tuple[list[str], Iterator[_Line]]:
    """The columns' names, in small letters with single spaces, and the lines below them."""
    lines = read_lines(path, strict=False)
    first = next(lines, "").removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    delimiter = max(",\t;", key=first.count)
    columns = [re.sub(r"[\s_]+", " ", name).strip().lower() for name in first.split(delimiter)]
    columns = [name.strip('"') for name in columns]
    if len(set(columns)) < len(columns):
        raise InputError("names a column twice", path=path, line=1, hint="Give each its own name.")

    def rows() -> Iterator[_Line]:
        # A field in quotes may hold line ends, so the csv reader says on which line it is.
        reader = csv.reader((line + "\n" for line in lines), delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                number = reader.line_num + 1
                if not any(cell.strip() for cell in cells):
                    continue
                if len(cells) != len(columns):
                    raise InputError(
                        f"expected {len(columns)} fields, found {len(cells)}",
                        path=path,
                        line=number,
                        hint="Put fields that hold the separator into quotes.",
                    )
                named = zip(columns, (cell.strip() for cell in cells), strict=True)
                yield _Line(path, number, dict(named))
        except csv.Error as error:
            raise InputError(
                f"is no CSV: {error}", path=path, line=reader.line_num + 1,
                hint="Close every quote that is opened.",
            ) from error  # fmt: skip

    return columns, rows()


_Found = tuple[list[JudgmentRow], dict[str, dict[str, float]], bool]


def _own(lines: Iterator[_Line], columns: Sequence[str]) -> _Found:
    """A judgment a line. Columns whose names begin with "covariate" are the item's covariates."""
    for name in columns:
        if name not in _NEEDED + _OPTIONAL and not name.startswith("covariate"):
            line = next(lines, None)
            raise InputError(
                f"has a column {name!r} that is not known",
                path=line.path if line else None,
                line=1,
                hint=f"Known are {', '.join(_NEEDED + _OPTIONAL)} and covariate.",
            )
    named = {n: n.removeprefix("covariate").strip(" :") or "covariate" for n in columns}
    covariates = {n: named[n] for n in columns if n.startswith("covariate")}
    rows: list[JudgmentRow] = []
    sentences: dict[str, dict[str, float]] = {}
    for line in lines:
        for name in _NEEDED:
            if not line[name]:
                raise line.wrong(f"has no {name}", "Fill it in, or leave the line out.")
        a, b = line["condition a"], line["condition b"]
        if a == b:
            raise line.wrong(f"compares {a} with itself", "Name two conditions.")
        values = {
            name: value
            for column, name in covariates.items()
            if (value := _number(line, column)) is not None
        }
        if sentences.setdefault(line["item"], values) != values:
            raise line.wrong(
                f"gives item {line['item']} another covariate than an earlier line",
                "An item has one covariate; give items that differ different names.",
            )
        seconds = _number(line, "seconds") if "seconds" in columns else None
        if seconds is not None and seconds < 0:
            raise line.wrong("took less than no time", "Give the seconds as 0 or more.")
        pair = line.cells.get("pair") or " | ".join(sorted((a, b)))
        outcome = _choice(line, a, b)
        rows.append(JudgmentRow(line["item"], pair, line["worker"], a, b, outcome, seconds))
    return rows, sentences, False


def _choice(line: _Line, a: str, b: str) -> int:
    said = line["choice"]
    # A condition's own name goes first, for one may be called "b".
    meanings = {"A": LEFT, "a": LEFT, "B": RIGHT, "b": RIGHT} | {a: LEFT, b: RIGHT}
    if said in meanings:
        return meanings[said]
    if said.lower() in _SAME_WORDS:
        return SAME
    raise line.wrong(f"has the choice {said!r}", f"Write A, B, same, or {a} or {b}.")


def _number(line: _Line, column: str) -> float | None:
    """A number, or None where the cell is empty."""
    text = line[column]
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise line.wrong(f"has {text!r} as {column}", "Write a number such as 34.5, or nothing.")
    return value


def _wmt_pairs(lines: Iterator[_Line], columns: Sequence[str]) -> _Found:
    """WMT 2016: two systems and their ranks a line; joined names had the same output."""
    rows = []
    sentences: dict[str, dict[str, float]] = {}
    for line in lines:
        ranks = (_rank(line, "system1rank"), _rank(line, "system2rank"))
        rows.append(
            _ranked(line["segmentid"], line["judgeid"], line["system1id"], line["system2id"], ranks)
        )
        sentences.setdefault(line["segmentid"], {})
    return rows, sentences, True


def _wmt_rankings(lines: Iterator[_Line], columns: Sequence[str]) -> _Found:
    """WMT 2012: every pair of a task's systems that both have a rank; -1 is none."""
    rows = []
    sentences: dict[str, dict[str, float]] = {}
    for _, task in itertools.groupby(lines, key=lambda line: line["task"]):
        ranked = [(line, _rank(line, "rank")) for line in task]
        for (one, rank), (other, second) in itertools.combinations(ranked, 2):
            if rank > 0 and second > 0:
                rows.append(
                    _ranked(
                        one["segment"], one["judge"], one["system"], other["system"], (rank, second)
                    )
                )
                sentences.setdefault(one["segment"], {})
    return rows, sentences, False


def _ranked(segment: str, judge: str, one: str, other: str, ranks: tuple[int, int]) -> JudgmentRow:
    outcome = (ranks[1] > ranks[0]) - (ranks[1] < ranks[0])  # the lower rank is the better one
    return JudgmentRow(segment, " | ".join(sorted((one, other))), judge, one, other, outcome)


def _rank(line: _Line, column: str) -> int:
    try:
        return int(line[column])
    except ValueError:
        raise line.wrong(f"has the rank {line[column]!r}", "Ranks are whole numbers.") from None


def _in_order(names: Mapping[str, object]) -> list[str]:
    """By number where all are numbers, else as they came: ties of quartiles keep this order."""
    if all(name.isdigit() for name in names):
        return sorted(names, key=int)
    return list(names)


_FORMS: tuple[tuple[set[str], Callable[[Iterator[_Line], Sequence[str]], _Found]], ...] = (
    (set(_NEEDED), _own),
    ({"segmentid", "judgeid", "system1id", "system1rank", "system2id", "system2rank"}, _wmt_pairs),
    ({"task", "segment", "judge", "system", "rank"}, _wmt_rankings),
)
