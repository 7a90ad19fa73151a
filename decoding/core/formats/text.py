"""Text files, plain or gzipped, in UTF-8."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO, cast

from evaluation.core.errors import InputError

# What a table or a model may be as text; their arrays need memory besides.
MOST_BYTES = 10_000_000_000
_BLOCK = 1 << 20
_MARK = "\ufeff"


def read_utf8(path: Path, *, most: int = MOST_BYTES) -> bytes:
    """All bytes of a file, unpacked if it is gzipped, and known to be UTF-8 without zero bytes.

    A file that has more than ``most`` bytes, or unpacks to more, is read no further.
    """
    try:
        with _opened(path) as file:
            data = b"".join(_blocks(file, path, most))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"the gzip data are damaged or cut off ({error})", path=path, hint="Copy it again."
        ) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from error
    _check_text(data, path)
    return data


def _blocks(file: BinaryIO, path: Path, most: int) -> Iterator[bytes]:
    left = most
    while block := file.read(_BLOCK):
        left -= len(block)
        if left < 0:
            raise InputError(
                f"holds more than {most:,} bytes of text", path=path, hint="Is it the right file?"
            )
        yield block


def _check_text(data: bytes, path: Path) -> None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"byte {error.start} is not UTF-8", path=path, line=line, hint="Save it as UTF-8."
        ) from error
    if data.startswith(_MARK.encode()):
        raise _marked(path)
    if (zero := data.find(b"\0")) >= 0:
        raise _zero_byte(path, data.count(b"\n", 0, zero) + 1)


def _marked(path: Path) -> InputError:
    return InputError(
        "begins with a byte order mark",
        path=path,
        hint="Save it in UTF-8 without the mark: editors call that UTF-8 without BOM.",
    )


def _zero_byte(path: Path, line: int) -> InputError:
    return InputError("there is a zero byte", path=path, line=line, hint="Is this a text file?")


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    """The file, unpacked if it is gzipped."""
    with path.open("rb") as raw:
        packed = raw.peek(2).startswith(b"\x1f\x8b")
        with gzip.open(raw) if packed else raw as file:
            yield cast(BinaryIO, file)


def read_lines(path: Path, *, strict: bool = True) -> Iterator[str]:
    """The lines of a file without their ends, one by one; a file may be larger than memory.

    Unpacked if it is gzipped. Only a line feed, or a carriage return and a line feed, ends a line.
    Zero bytes and a byte order mark are refused: nobody sees them, and PostgreSQL takes no zeros.
    Who knows what to do with them reads without ``strict``.
    """
    number = 0
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, start=1):
                text = line.decode()
                if strict and "\0" in text:
                    raise _zero_byte(path, number)
                if strict and number == 1 and text.startswith(_MARK):
                    raise _marked(path)
                yield text[:-1].removesuffix("\r") if text.endswith("\n") else text
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"the gzip data are damaged or cut off ({error})",
            path=path,
            line=number + 1,
            hint="Copy it again.",
        ) from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start + 1} of the line is not UTF-8",
            path=path,
            line=number,
            hint="Save it as UTF-8.",
        ) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from error


def read_parallel(paths: Sequence[Path], *, strict: bool = True) -> Iterator[tuple[str, ...]]:
    """The first line of each file, then the second of each, and so on; all must be as long.

    For a source with its target, or for several references of the same sentences.
    """
    files = [read_lines(path, strict=strict) for path in paths]
    for number, lines in enumerate(zip_longest(*files), start=1):
        if None in lines:
            short = paths[lines.index(None)]
            long = paths[next(i for i, line in enumerate(lines) if line is not None)]
            raise InputError(
                f"ends after {number - 1} lines, but {long.name} goes on",
                path=short,
                hint="Both must hold the same sentences, one a line.",
            )
        yield lines


def write_utf8(path: Path, lines: Iterable[str]) -> None:
    """Write lines, which bring their own ends; gzipped if the name ends in .gz."""
    if path.suffix == ".gz":
        # No time stamp: the same lines give the same file.
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            packed.writelines(line.encode() for line in lines)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)


def decode_json(line: str) -> Any:
    """What a line of JSON says; a ValueError if a key is there twice, or if it is not JSON."""
    found = _DECODER.decode(line)
    # As many colons as keys: none is there twice. To look at each key takes a third longer.
    if line.count(":") != _count_keys(found):
        _STRICT_DECODER.decode(line)
    return found


def _count_keys(found: Any) -> int:
    if not isinstance(found, dict):
        return 0
    return len(found) + sum([len(value) for value in found.values() if type(value) is dict])


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise ValueError(f"{key[:40]!r} is there twice")
    return found


_DECODER = json.JSONDecoder()
_STRICT_DECODER = json.JSONDecoder(object_pairs_hook=_without_repetition)
