"""Text files, plain or gzipped, in UTF-8."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
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


def write_utf8(path: Path, lines: Iterable[str]) -> None:
    """Write lines, which bring their own ends; gzipped if the name ends in .gz."""
    if path.suffix == ".gz":
        # No time stamp: the same lines give the same file.
        with path.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            packed.writelines(line.encode() for line in lines)
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
