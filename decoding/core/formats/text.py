"""Text files, plain or gzipped, in UTF-8."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from evaluation.core.errors import InputError


def read_utf8(path: Path) -> bytes:
    """All bytes of a file, unpacked if it is gzipped, and known to be UTF-8."""
    try:
        data = path.read_bytes()
        if data.startswith(b"\x1f\x8b"):
            data = gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"the gzip data are damaged or cut off ({error})", path=path, hint="Copy it again."
        ) from error
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from error
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"byte {error.start} is not UTF-8", path=path, line=line, hint="Save it as UTF-8."
        ) from error
    return data


def read_lines(path: Path) -> Iterator[str]:
    """The lines of a file without their ends, one by one; a file may be larger than memory.

    Unpacked if it is gzipped. Only a line feed, or a carriage return and a line feed, ends a line.
    """
    number = 0
    try:
        with path.open("rb") as raw:
            packed = raw.peek(2).startswith(b"\x1f\x8b")
            with gzip.open(raw) if packed else raw as file:
                for number, line in enumerate(file, start=1):  # noqa: B007 - errors name it
                    text = line.decode()
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


def read_parallel(paths: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """The first line of each file, then the second of each, and so on; all must be as long.

    For a source with its target, or for several references of the same sentences.
    """
    for number, lines in enumerate(zip_longest(*map(read_lines, paths)), start=1):
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
