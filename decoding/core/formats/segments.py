"""Corpora as files: source segments, each with its references.

Four formats, each gzipped or not:

    plain text   one file for the source and one for each reference, a segment a line
    TSV          source and references in columns, a segment a line
    JSON Lines   {"source": "das haus", "references": ["the house"], "document": "news-1"}
    SGML, XML    the test sets of WMT: a file a side (srcset, refset), or one file of docs that
                 hold src and ref

Blank references are those that nobody wrote; every source must be there.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from xml.parsers import expat

from decoding.core.formats.text import read_lines, read_parallel
from evaluation.core.errors import InputError

MOST_REFERENCES = 8
LONGEST_SEGMENT = 10_000  # characters; what is longer is no sentence, nor a paragraph

_JSON_HINT = 'A line is: {"source": "das haus", "references": ["the house"]}.'
_WMT_HINT = "Expected a test set as WMT publishes it."


@dataclass(frozen=True, slots=True)
class SegmentText:
    """A segment as it was brought."""

    source: str
    references: tuple[str, ...] = ()  # "" where this one was not translated
    document: str = ""


def read_text_segments(source: Path, references: Sequence[Path]) -> Iterator[SegmentText]:
    """Plain text: line i of every file belongs to segment i."""
    _check_count(len(references), source, None)
    for number, (text, *others) in enumerate(read_parallel([source, *references]), start=1):
        yield _checked(SegmentText(text, tuple(others)), source, number)


def read_tsv_segments(path: Path) -> Iterator[SegmentText]:
    """Tab-separated values: the source, then its references. A first line "source" is a title."""
    width = 0
    for number, line in enumerate(read_lines(path), start=1):
        cells = line.split("\t")
        if number == 1:
            width = len(cells)
            _check_count(width - 1, path, 1)
            if cells[0].strip().lower() in {"source", "src"}:
                continue
        if len(cells) != width:
            raise InputError(
                f"expected {width} columns, as in line 1, found {len(cells)}",
                path=path,
                line=number,
                hint="Columns are separated by one tab each; a segment has no tab in it.",
            )
        yield _checked(SegmentText(cells[0], tuple(cells[1:])), path, number)


def read_json_segments(path: Path) -> Iterator[SegmentText]:
    """JSON Lines: an object a segment, of which only the source must be there."""
    for number, line in enumerate(read_lines(path), start=1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(
                f"not JSON: {error}", path=path, line=number, hint=_JSON_HINT
            ) from error
        source = record.get("source") if isinstance(record, dict) else None
        references = record.get("references", []) if isinstance(record, dict) else None
        if not isinstance(source, str):
            raise InputError('"source" is not a string', path=path, line=number, hint=_JSON_HINT)
        if not isinstance(references, list) or not all(isinstance(r, str) for r in references):
            raise InputError(
                '"references" is not a list of strings', path=path, line=number, hint=_JSON_HINT
            )
        document = record.get("document", "")
        if not isinstance(document, str):
            raise InputError('"document" is not a string', path=path, line=number, hint=_JSON_HINT)
        _check_count(len(references), path, number)
        yield _checked(SegmentText(source, tuple(references), document), path, number)


# --- WMT's test sets --------------------------------------------------------------------------

_SGML_TAG = re.compile(r"<\s*(/?)\s*(\w+)([^>]*)>")
_SGML_ATTRIBUTE = re.compile(r"""(\w+)\s*=\s*["']?([^"'>\s]+)""")


@dataclass(slots=True)
class _WmtSide:
    """One side of a test set: its segments in order."""

    keys: list[tuple[str, str]] = field(default_factory=list)  # document and segment id
    texts: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)


def read_wmt_segments(source: Path, references: Sequence[Path]) -> Iterator[SegmentText]:
    """The test sets of WMT: SGML with a file a side, or XML with source and references in one."""
    sides = _read_xml(source) if _is_xml(source) else [_read_sgml(source)]
    names = [source] * len(sides)
    for path in references:
        if _is_xml(path):
            raise InputError(
                "XML test sets hold source and references in one file",
                path=path,
                hint="Give that file as the source, and no references.",
            )
        sides.append(_read_sgml(path))
        names.append(path)
    _check_count(len(sides) - 1, source, None)
    first = sides[0]
    for side, path in zip(sides[1:], names[1:], strict=True):
        for index, (wanted, found) in enumerate(zip_longest(first.keys, side.keys)):
            if wanted != found:
                raise InputError(
                    f"expected {_segment_name(wanted)}, found {_segment_name(found)}",
                    path=path,
                    line=side.lines[index] if index < len(side.lines) else None,
                    hint="Source and references must be of the same test set.",
                )
    for index, (document, _) in enumerate(first.keys):
        texts = [side.texts[index] for side in sides]
        segment = SegmentText(texts[0], tuple(texts[1:]), document)
        yield _checked(segment, source, first.lines[index])


def _segment_name(key: tuple[str, str] | None) -> str:
    return f"segment {key[1]} of {key[0]}" if key else "the end"


def _is_xml(path: Path) -> bool:
    """WMT's newer files are XML proper; the older ones say srcset or refset at once."""
    for line in read_lines(path):
        if "<srcset" in line.lower() or "<refset" in line.lower() or "<tstset" in line.lower():
            return False
        if "<dataset" in line.lower() or ("<doc " in line.lower() and "<seg" not in line.lower()):
            return True
    return False


def _read_sgml(path: Path) -> _WmtSide:
    """``<doc docid="a"><seg id="1">text</seg>``; tags may share lines, texts may span them."""
    side, document, key, open_at, parts = _WmtSide(), "", "", 0, list[str]()
    number = 0
    for number, line in enumerate(read_lines(path), start=1):
        position = 0
        for tag in _SGML_TAG.finditer(line):
            closing, name = bool(tag[1]), tag[2].lower()
            if name == "doc" and not closing:
                attributes = {k.lower(): v for k, v in _SGML_ATTRIBUTE.findall(tag[3])}
                document = attributes.get("docid", "")
            elif name == "seg" and not closing:
                if open_at:
                    raise InputError("<seg> within <seg>", path=path, line=number, hint=_WMT_HINT)
                attributes = {k.lower(): v for k, v in _SGML_ATTRIBUTE.findall(tag[3])}
                key, open_at, parts = attributes.get("id", ""), number, []
                position = tag.end()
            elif name == "seg":
                if not open_at:
                    raise InputError("</seg> without <seg>", path=path, line=number, hint=_WMT_HINT)
                parts.append(line[position : tag.start()])
                side.keys.append((document, key or str(len(side.keys) + 1)))
                side.texts.append(" ".join(html.unescape(" ".join(parts)).split()))
                side.lines.append(open_at)
                open_at = 0
        if open_at:
            parts.append(line[position:])
            if sum(map(len, parts)) > LONGEST_SEGMENT:
                break
    if open_at:
        raise InputError(
            "the segment that begins here does not end", path=path, line=open_at, hint=_WMT_HINT
        )
    if not side.texts:
        raise InputError("there is no <seg> in the file", path=path, hint=_WMT_HINT)
    return side


class _XmlReader:
    """Follows ``<doc id><src lang><p><seg id>``, ``<ref translator><p><seg id>``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sides: dict[str, dict[tuple[str, str], tuple[str, int]]] = {"": {}}
        self.order: list[tuple[str, str]] = []
        self.document = ""
        self.side: str | None = None
        self.key = ""
        self.text: list[str] | None = None
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._characters
        # Entities are how XML files explode; test sets have none.
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype

    def read(self) -> list[_WmtSide]:
        try:
            for line in read_lines(self.path):
                self.parser.Parse(line.encode() + b"\n", False)
            self.parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise InputError(
                f"not XML: {expat.ErrorString(error.code)}",
                path=self.path,
                line=error.lineno,
                hint=_WMT_HINT,
            ) from error
        if not self.order:
            raise InputError("there is no <src> with <seg> in it", path=self.path, hint=_WMT_HINT)
        sides = []
        for found in self.sides.values():
            # A translator may have left documents out: blank references.
            texts = [found.get(key, ("", 0)) for key in self.order]
            sides.append(_WmtSide(list(self.order), [t for t, _ in texts], [n for _, n in texts]))
        return sides

    def _refuse_doctype(self, *_: object) -> None:
        raise InputError(
            "the file has a document type declaration",
            path=self.path,
            line=self.parser.CurrentLineNumber,
            hint="Delete <!DOCTYPE ...>; test sets need none.",
        )

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        if name == "doc":
            self.document = attributes.get("id", attributes.get("docid", ""))
        elif name == "src":
            self.side = ""
        elif name == "ref":
            self.side = "ref " + attributes.get("translator", "")
            self.sides.setdefault(self.side, {})
        elif name == "hyp":
            self.side = None
        elif name == "seg" and self.side is not None:
            self.key = attributes.get("id", "")
            self.text = []

    def _close(self, name: str) -> None:
        if name in {"src", "ref", "hyp"}:
            self.side = None
        elif name == "seg" and self.text is not None and self.side is not None:
            key = (self.document, self.key)
            if key in self.sides[self.side]:
                raise InputError(
                    f"{_segment_name(key)} is there twice",
                    path=self.path,
                    line=self.parser.CurrentLineNumber,
                )
            text = " ".join("".join(self.text).split())
            self.sides[self.side][key] = (text, self.parser.CurrentLineNumber)
            if self.side == "":
                self.order.append(key)
            self.text = None

    def _characters(self, data: str) -> None:
        if self.text is not None:
            self.text.append(data)


def _read_xml(path: Path) -> list[_WmtSide]:
    return _XmlReader(path).read()


# --- Any of them ------------------------------------------------------------------------------

# Source and references in one file, or a file for each.
TOGETHER = {"tsv": read_tsv_segments, "jsonl": read_json_segments}
_APART = {"text": read_text_segments, "wmt": read_wmt_segments}
FORMATS = ("text", "tsv", "jsonl", "wmt")


def read_segments(kind: str, source: Path, references: Sequence[Path]) -> Iterator[SegmentText]:
    """The segments of files of one of the formats."""
    if kind not in TOGETHER:
        return _APART[kind](source, references)
    if references:
        raise InputError(
            "in this format the references stand in the source file",
            path=references[0],
            hint="Give that file alone.",
        )
    return TOGETHER[kind](source)


# --- What holds for every format --------------------------------------------------------------


def _check_count(references: int, path: Path, line: int | None) -> None:
    if references > MOST_REFERENCES:
        raise InputError(
            f"{references} references, and {MOST_REFERENCES} is the most",
            path=path,
            line=line,
            hint="Leave some out.",
        )


def _checked(segment: SegmentText, path: Path, line: int) -> SegmentText:
    """The segment, without blanks around its texts."""
    texts = [segment.source.strip(), *(text.strip() for text in segment.references)]
    if not texts[0]:
        raise InputError(
            "the source is empty",
            path=path,
            line=line,
            hint="Delete the line in all files, so that they stay parallel.",
        )
    for text in (*texts, segment.document):
        if problem := text_problem(text):
            raise InputError(
                f"a text {problem}",
                path=path,
                line=line,
                hint="A segment is a sentence, in plain text.",
            )
    return SegmentText(texts[0], tuple(texts[1:]), segment.document[:200])


def text_problem(text: str) -> str:
    """What keeps a text from being a sentence that can be kept and shown; mostly nothing."""
    if len(text) > LONGEST_SEGMENT:
        return f"has {len(text):,} characters, and {LONGEST_SEGMENT:,} is the most"
    if "\x00" in text:
        return "has a zero byte in it"
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        return "has half a surrogate pair in it, which is no character"
    return ""


def count_references(segments: Iterable[SegmentText]) -> int:
    """How many references the segments have that have most."""
    return max((sum(map(bool, segment.references)) for segment in segments), default=0)
