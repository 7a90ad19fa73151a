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
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from decoding.core.formats.text import decode_json, read_lines, read_parallel
from evaluation.core.errors import InputError

MOST_REFERENCES = 8
MOST_SEGMENTS = 1_000_000
MOST_CHARACTERS = 1_000_000_000  # of a corpus, its references with it
LONGEST_SEGMENT = 10_000  # characters; what is longer is no sentence, nor a paragraph
LONGEST_WORD = 1000  # characters; tokenising takes the square of them
LONGEST_NAME = 200  # characters of a document's name and a segment's id

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
            record = decode_json(line)
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
        # Only JSON can say a line's end within a text; a segment is one line.
        texts = [" ".join(text.splitlines()) for text in (source, *references)]
        yield _checked(SegmentText(texts[0], tuple(texts[1:]), document), path, number)


# --- WMT's test sets --------------------------------------------------------------------------

# Possessive, for what does not match must not be tried again from every place within.
_SGML_TAG = re.compile(r"<\s*+(/?)\s*+(\w++)([^<>]*+)>")
_SGML_ATTRIBUTE = re.compile(r"""(?<!\w)(\w++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^"'\s]++))""")


class _WmtSegment(NamedTuple):
    """A segment of one side of a test set."""

    key: tuple[str, str]  # document and segment id
    text: str
    line: int


def read_wmt_segments(source: Path, references: Sequence[Path]) -> Iterator[SegmentText]:
    """The test sets of WMT: SGML with a file a side, or XML with source and references in one."""
    sides = _XmlReader(source).read() if _is_xml(source) else [_read_sgml(source)]
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
    seen = set()
    for first, *others in zip_longest(*sides):
        for other, path in zip(others, names[1:], strict=True):
            _check_same(first, other, path)
        if first.key in seen:
            raise _twice(first.key, source, first.line)
        seen.add(first.key)
        segment = SegmentText(first.text, tuple(other.text for other in others), first.key[0])
        yield _checked(segment, source, first.line)


def _check_same(wanted: _WmtSegment | None, found: _WmtSegment | None, path: Path) -> None:
    if wanted is None or found is None or wanted.key != found.key:
        raise InputError(
            f"expected {_segment_name(wanted)}, found {_segment_name(found)}",
            path=path,
            line=found.line if found else None,
            hint="Source and references must be of the same test set.",
        )


def _segment_name(segment: _WmtSegment | None) -> str:
    return f"segment {segment.key[1]} of {segment.key[0]}" if segment else "the end"


def _twice(key: tuple[str, str], path: Path, line: int) -> InputError:
    return InputError(
        f"segment {key[1]} of {key[0]} is there twice", path=path, line=line, hint=_WMT_HINT
    )


def _is_xml(path: Path) -> bool:
    """WMT's newer files are XML proper; the older ones say srcset or refset at once."""
    for line in read_lines(path):
        if "<srcset" in line.lower() or "<refset" in line.lower() or "<tstset" in line.lower():
            return False
        if "<dataset" in line.lower() or ("<doc " in line.lower() and "<seg" not in line.lower()):
            return True
    return False


def _read_sgml(path: Path) -> Iterator[_WmtSegment]:
    """``<doc docid="a"><seg id="1">text</seg>``; tags may share lines, texts may span them."""
    document, segment_id, open_at, text, count = "", "", 0, _SpannedText(path), 0
    for number, line in enumerate(read_lines(path), start=1):
        position = 0
        for tag in _SGML_TAG.finditer(line):
            closing, name = bool(tag[1]), tag[2].lower()
            if name == "doc" and not closing:
                document = _sgml_attributes(tag[3]).get("docid", "")
            elif name == "seg" and not closing:
                if open_at:
                    raise InputError("<seg> within <seg>", path=path, line=number, hint=_WMT_HINT)
                segment_id, open_at = _sgml_attributes(tag[3]).get("id", ""), number
                position = tag.end()
            elif name == "seg":
                if not open_at:
                    raise InputError("</seg> without <seg>", path=path, line=number, hint=_WMT_HINT)
                text.add(line[position : tag.start()], open_at)
                count += 1
                key = (document, segment_id or str(count))
                yield _WmtSegment(key, _unescaped(text.taken(), path, number), open_at)
                open_at = 0
        if open_at:
            text.add(line[position:] + "\n", open_at)
    if open_at:
        raise InputError(
            "the segment that begins here does not end", path=path, line=open_at, hint=_WMT_HINT
        )
    if not count:
        raise InputError("there is no <seg> in the file", path=path, hint=_WMT_HINT)


def _sgml_attributes(text: str) -> dict[str, str]:
    return {
        name.lower(): "".join(values)[:LONGEST_NAME]
        for name, *values in _SGML_ATTRIBUTE.findall(text)
    }


def _unescaped(text: str, path: Path, line: int) -> str:
    try:
        return " ".join(html.unescape(text).split())
    except ValueError as error:  # a number of thousands of digits
        raise InputError("a character reference is none", path=path, line=line) from error


class _SpannedText:
    """A segment's text, which may come in any number of parts; no more than a segment may have."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.parts: list[str] = []
        self.size = 0

    def add(self, part: str, line: int) -> None:
        """Take a part of the segment that began in a line."""
        self.size += len(part)
        if self.size > LONGEST_SEGMENT:
            raise InputError(
                f"the segment that begins here has more than {LONGEST_SEGMENT:,} characters, or "
                "does not end",
                path=self.path,
                line=line,
                hint=_WMT_HINT,
            )
        self.parts.append(part)

    def taken(self) -> str:
        """All of it; the next segment's begins."""
        text = "".join(self.parts)
        self.parts, self.size = [], 0
        return text


# Expat 2.5 reads what is not complete from its beginning again whenever more comes.
_XML_BLOCK = 100_000  # characters
_DEEPEST_XML = 100
_MOST_XML_NAMES = 1000


class _XmlReader:
    """Follows ``<doc id><src lang><p><seg id>``, ``<ref translator><p><seg id>``."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.sides: dict[str, dict[tuple[str, str], _WmtSegment]] = {"": {}}
        self.document = ""
        self.side: str | None = None
        self.segment_id = ""
        self.open_at = 0
        self.depth = 0
        self.text = _SpannedText(path)
        self.left = MOST_CHARACTERS
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.XmlDeclHandler = self._check_encoding
        self.parser.StartElementHandler = self._open
        self.parser.EndElementHandler = self._close
        self.parser.CharacterDataHandler = self._characters
        # Entities are how XML files explode; test sets have none.
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype

    def read(self) -> list[Iterator[_WmtSegment]]:
        """The sides: the source's and each translator's."""
        try:
            self._feed()
        except expat.ExpatError as error:
            raise InputError(
                f"not XML: {expat.ErrorString(error.code)}",
                path=self.path,
                line=error.lineno,
                hint=_WMT_HINT,
            ) from error
        source, *references = self.sides.values()
        if not source:
            raise InputError("there is no <src> with <seg> in it", path=self.path, hint=_WMT_HINT)
        for found in references:
            for key, segment in found.items():
                if key not in source:
                    problem = f"<ref> has {_segment_name(segment)}, and <src> has not"
                    raise self._error(problem, segment.line)
        # A translator may have left documents out: blank references.
        return [
            iter([found.get(key, _WmtSegment(key, "", 0)) for key in source])
            for found in self.sides.values()
        ]

    def _feed(self) -> None:
        fed = 0
        for block in _blocks(read_lines(self.path)):
            self.parser.Parse(block, False)
            fed += len(block)
            if fed - self.parser.CurrentByteIndex > _XML_BLOCK:
                raise self._error(f"what begins here does not end within {_XML_BLOCK:,} characters")
        self.parser.Parse(b"", True)

    def _error(self, problem: str, line: int = 0) -> InputError:
        line = line or self.parser.CurrentLineNumber
        return InputError(problem, path=self.path, line=line, hint=_WMT_HINT)

    def _check_encoding(self, _version: str, encoding: str | None, _standalone: int) -> None:
        if encoding and encoding.lower() not in {"utf-8", "utf8", "us-ascii"}:
            raise InputError(
                f"the file says that it is in {encoding[:20]}",
                path=self.path,
                line=1,
                hint="Save it as UTF-8, and say so.",
            )

    def _refuse_doctype(self, *_: object) -> None:
        raise InputError(
            "the file has a document type declaration",
            path=self.path,
            line=self.parser.CurrentLineNumber,
            hint="Delete <!DOCTYPE ...>; test sets need none.",
        )

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        if self.depth > _DEEPEST_XML or len(self.parser.intern) > _MOST_XML_NAMES:
            raise self._error("there are too many tags within each other or of other names")
        if name == "doc":
            self.document = attributes.get("id", attributes.get("docid", ""))[:LONGEST_NAME]
        elif name == "src":
            self.side = ""
        elif name == "ref":
            self.side = "ref " + attributes.get("translator", "")
            self.sides.setdefault(self.side, {})
            _check_count(len(self.sides) - 1, self.path, self.parser.CurrentLineNumber)
        elif name == "hyp":
            self.side = None
        elif name == "seg" and self.side is not None:
            if self.open_at:
                raise self._error("<seg> within <seg>")
            self.segment_id = attributes.get("id", "")[:LONGEST_NAME]
            self.open_at = self.parser.CurrentLineNumber

    def _close(self, name: str) -> None:
        self.depth -= 1
        if name in {"src", "ref", "hyp"}:
            self.side = None
        elif name == "seg" and self.open_at and self.side is not None:
            self._keep(self.sides[self.side], " ".join(self.text.taken().split()))
            self.open_at = 0

    def _keep(self, side: dict[tuple[str, str], _WmtSegment], text: str) -> None:
        key = (self.document, self.segment_id)
        if key in side:
            raise _twice(key, self.path, self.open_at)
        side[key] = _WmtSegment(key, text, self.open_at)
        self.left -= len(text)
        if self.left < 0 or len(side) > MOST_SEGMENTS:
            raise _too_large(self.path)

    def _characters(self, data: str) -> None:
        if self.open_at:
            self.text.add(data, self.open_at)


def _blocks(lines: Iterable[str]) -> Iterator[bytes]:
    """Lines together, as bytes with line feeds."""
    block: list[str] = []
    size = 0
    for line in lines:
        block.append(line)
        size += len(line) + 1
        if size > _XML_BLOCK:
            yield ("\n".join(block) + "\n").encode()
            block, size = [], 0
    if block:
        yield ("\n".join(block) + "\n").encode()


# --- Any of them ------------------------------------------------------------------------------

# Source and references in one file, or a file for each.
TOGETHER = {"tsv": read_tsv_segments, "jsonl": read_json_segments}
_APART = {"text": read_text_segments, "wmt": read_wmt_segments}
FORMATS = ("text", "tsv", "jsonl", "wmt")


def read_segments(kind: str, source: Path, references: Sequence[Path]) -> Iterator[SegmentText]:
    """The segments of files of one of the formats, as many as a corpus may have."""
    if kind not in TOGETHER:
        return _bounded(_APART[kind](source, references), source)
    if references:
        raise InputError(
            "in this format the references stand in the source file",
            path=references[0],
            hint="Give that file alone.",
        )
    return _bounded(TOGETHER[kind](source), source)


def _bounded(segments: Iterator[SegmentText], path: Path) -> Iterator[SegmentText]:
    left = MOST_CHARACTERS
    for number, segment in enumerate(segments, start=1):
        left -= len(segment.source) + sum(map(len, segment.references))
        if left < 0 or number > MOST_SEGMENTS:
            raise _too_large(path)
        yield segment


def _too_large(path: Path) -> InputError:
    return InputError(
        f"the corpus has more than {MOST_SEGMENTS:,} segments or {MOST_CHARACTERS:,} characters",
        path=path,
        hint="A corpus here is text to translate. To train on more, use train_system.",
    )


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
    for text in texts:
        if problem := text_problem(text):
            raise InputError(
                f"a text {problem}",
                path=path,
                line=line,
                hint="A segment is a sentence, in plain text.",
            )
    document = segment.document[:LONGEST_NAME]
    if problem := character_problem(document):
        raise InputError(f"the document's name {problem}", path=path, line=line)
    return SegmentText(texts[0], tuple(texts[1:]), document)


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# Blanks part words, and so does whatever is written without them.
_BETWEEN_WORDS = re.compile("[\\s\u3041-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]")
_INVISIBLE = frozenset(["Cc", "Cf", "Zs", "Zl", "Zp"])  # categories of Unicode


def text_problem(text: str) -> str:
    """What keeps a text from being a sentence that can be kept and shown; mostly nothing."""
    if len(text) > LONGEST_SEGMENT:
        return f"has {len(text):,} characters, and {LONGEST_SEGMENT:,} is the most"
    if len(text) > LONGEST_WORD:
        longest = max(map(len, _BETWEEN_WORDS.split(text)))
        if longest > LONGEST_WORD:
            return f"has a word of {longest:,} characters, and {LONGEST_WORD:,} is the most"
    if text.isprintable():
        return ""
    if all(unicodedata.category(character) in _INVISIBLE for character in text):
        return character_problem(text) or "has nothing in it that can be seen"
    return character_problem(text)


def character_problem(text: str) -> str:
    """What in a text is no character that can be kept and shown.

    Marks of direction, joiners and soft hyphens cannot be seen either, but many scripts need them.
    """
    found = _CONTROL.search(text)
    if found is None:
        return ""
    if found[0] == "\0":
        return "has a zero byte in it"
    if found[0] >= "\ud800":
        return "has half a surrogate pair in it, which is no character"
    return f"has the control character U+{ord(found[0]):04X} in it"


def count_references(segments: Iterable[SegmentText]) -> int:
    """How many references the segments have that have most."""
    return max((sum(map(bool, segment.references)) for segment in segments), default=0)
