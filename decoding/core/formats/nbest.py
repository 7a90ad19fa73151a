"""n-best lists: for each sentence its translations, best first, one a line.

Two formats, told apart by their first line, gzipped or not:

    Moses       0 ||| the house ||| LM0= -31.2 TranslationModel0= -1 -2 ||| -3.5 ||| 0-0 1-1
    JSON Lines  {"sentence": 0, "text": "the house", "features": {"LM0": [-31.2]}, "score": -3.5}

Sentences are numbered from 0 and come in order. Only sentence and text must be there.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, Literal

from decoding.core.formats.segments import character_problem
from decoding.core.formats.text import decode_json, read_lines, write_utf8
from evaluation.core.errors import InputError

Format = Literal["moses", "jsonl"]

_MOST_DIGITS = 18  # of a sentence's number
_MOSES_HINT = "A line is: sentence ||| translation ||| features ||| score ||| alignment."
_JSON_HINT = 'A line is: {"sentence": 0, "text": "the house"}, with features and score if known.'


@dataclass(frozen=True, slots=True)
class NBestEntry:
    """One translation in an n-best list."""

    sentence: int  # from 0
    text: str  # words with spaces between them
    features: Mapping[str, tuple[float, ...]] = field(default_factory=dict)  # in the file's order
    score: float | None = None  # the model's, not a metric's; None if the file has none
    alignment: str = ""  # as "0-0 1-1", source-target; empty if the file has none


def read_nbest(path: Path, *, features: bool = True) -> Iterator[NBestEntry]:
    """The entries of an n-best list, one by one; a file may be larger than memory.

    Without ``features`` they are neither read nor checked, which is several times faster.
    """
    parse = None
    previous = -1
    for number, line in enumerate(read_lines(path), start=1):
        if parse is None:
            parse = parse_json if line.lstrip().startswith("{") else _parse_moses
        try:
            entry = parse(line, features)
        except InputError as error:
            raise InputError(error.problem, path=path, line=number, hint=error.hint) from error
        if entry.sentence < previous:
            raise InputError(
                f"sentence {entry.sentence} comes after sentence {previous}",
                path=path,
                line=number,
                hint="Sort the file by sentence; keep the order within each.",
            )
        previous = entry.sentence
        yield entry


def read_lists(path: Path, *, features: bool = True) -> Iterator[list[NBestEntry]]:
    """The list of sentence 0, of sentence 1, and so on; empty for a sentence left out."""
    return map(list, read_streams(path, features=features))


def read_streams(path: Path, *, features: bool = True) -> Iterator[Iterator[NBestEntry]]:
    """As `read_lists`, but no list is in memory: each is read while it is gone through.

    What is left of one is passed over when the next is asked for.
    """
    expected = 0
    for sentence, entries in groupby(read_nbest(path, features=features), attrgetter("sentence")):
        for _ in range(expected, sentence):
            yield iter(())
        expected = sentence + 1
        yield entries


def write_nbest(path: Path, entries: Iterable[NBestEntry], format: Format | None = None) -> None:  # noqa: A002
    """Write entries as they come; gzipped if the name ends in .gz.

    ``format`` is Moses unless given, or told by a name that ends in .jsonl or .jsonl.gz.
    """
    if format is None:
        format = "jsonl" if ".jsonl" in path.suffixes[-2:] else "moses"  # noqa: A001
    line = format_json if format == "jsonl" else format_moses
    write_utf8(path, (line(entry) + "\n" for entry in entries))


def format_moses(entry: NBestEntry) -> str:
    """The entry as a line of Moses' format, without the line's end."""
    if "|||" in entry.text or "\n" in entry.text:
        raise InputError(
            f"a translation of sentence {entry.sentence} holds ||| or a line break: {entry.text!r}",
            hint="Moses' format cannot say it: write JSON Lines.",
        )
    named = (f"{name}= {' '.join(map(_number, v))}" for name, v in entry.features.items())
    fields = [str(entry.sentence), entry.text, " ".join(named)]
    if entry.score is not None or entry.alignment:
        fields.append("" if entry.score is None else _number(entry.score))
    if entry.alignment:
        fields.append(entry.alignment)
    return " ||| ".join(fields)


def format_json(entry: NBestEntry, **more: Any) -> str:
    """The entry as a line of JSON, without the line's end; with more that readers leave aside."""
    record: dict[str, Any] = {"sentence": entry.sentence, "text": entry.text}
    if entry.features:
        record["features"] = dict(entry.features)
    if entry.score is not None:
        record["score"] = entry.score
    if entry.alignment:
        record["alignment"] = entry.alignment
    return json.dumps(record | more, ensure_ascii=False)


def _number(value: float) -> str:
    """The shortest text that reads as the same number; whole numbers without a point."""
    return repr(float(value)).removesuffix(".0")


def _finite(text: str | float, what: str) -> float:
    try:
        value = float(text)
    except (ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"{what} is {repr(text)[:40]}, which is no finite number")
    return value


def _json_number(value: Any, what: str) -> float:
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{what} is {repr(value)[:40]}, which is no number")
    return _finite(value, what)


def _parse_moses(line: str, features: bool) -> NBestEntry:
    # Old lists glue the number to the bars, so the bars alone separate. Moses can write more
    # fields after the alignment; nothing here needs them.
    fields = [part.strip() for part in line.split("|||")]
    if len(fields) < 2:
        raise InputError("expected fields separated by |||", hint=_MOSES_HINT)
    if not (fields[0].isascii() and fields[0].isdigit() and len(fields[0]) <= _MOST_DIGITS):
        raise InputError(f"the sentence is {fields[0][:40]!r}, not a number", hint=_MOSES_HINT)
    has_score = len(fields) > 3 and fields[3] != ""
    return NBestEntry(
        sentence=int(fields[0]),
        text=fields[1],
        features=_parse_features(fields[2]) if features and len(fields) > 2 else {},
        score=_finite(fields[3], "the score") if has_score else None,
        alignment=fields[4] if len(fields) > 4 else "",
    )


def _parse_features(text: str) -> dict[str, tuple[float, ...]]:
    """``d: 0 -1 lm= -3`` and ``d_0=0 d_1=-1 lm=-3``: names end in = or :, or hold their value."""
    found: dict[str, list[float]] = {}
    values: list[float] | None = None
    for token in text.split():
        if token[-1] in "=:":
            values = found.setdefault(token[:-1], [])
            continue
        name, glued, value = token.rpartition("=")
        if glued:
            found.setdefault(name, []).append(_finite(value, f"feature {name}"))
            continue
        if values is None:
            values = found.setdefault("", [])
        values.append(_finite(token, "a feature"))
    return {name: tuple(values) for name, values in found.items()}


def parse_json(line: str, features: bool = True) -> NBestEntry:
    """The entry that a line of JSON says; `format_json` writes it."""
    try:
        record = decode_json(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON: {error}", hint=_JSON_HINT) from error
    if not isinstance(record, dict):
        raise InputError("not a JSON object", hint=_JSON_HINT)
    sentence, text = record.get("sentence"), record.get("text")
    if not isinstance(sentence, int) or isinstance(sentence, bool) or sentence < 0:
        raise InputError(f'"sentence" is {sentence!r}, not a number from 0', hint=_JSON_HINT)
    if sentence >= 10**_MOST_DIGITS:
        raise InputError(f'"sentence" has more than {_MOST_DIGITS} digits', hint=_JSON_HINT)
    if not isinstance(text, str):
        raise InputError(f'"text" is {text!r}, not a string', hint=_JSON_HINT)
    named = record.get("features") or {}
    alignment = record.get("alignment") or ""
    if not isinstance(named, dict) or not isinstance(alignment, str):
        raise InputError('"features" must be an object, "alignment" a string', hint=_JSON_HINT)
    if "\\u" in line:  # how alone a zero byte or half a pair can be said
        _check_characters(text, alignment, *named)
    score = record.get("score")
    return NBestEntry(
        sentence=sentence,
        text=text,
        features={
            name: tuple(
                [
                    _json_number(value, "feature " + name)
                    for value in (values if isinstance(values, list) else [values])
                ]
            )
            for name, values in (named.items() if features else ())
        },
        score=None if score is None else _json_number(score, "the score"),
        alignment=alignment,
    )


def _check_characters(*texts: str) -> None:
    for text in texts:
        if problem := character_problem(text):
            raise InputError(f"a text or name {problem}", hint=_JSON_HINT)
