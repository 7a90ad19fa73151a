"""What people upload, before anything is believed about it.

`received` puts uploaded files into a folder that is gone when the request is over; texts are
unpacked and looked through there, so that the readers of decoding.core meet plain UTF-8 of a
bounded size. `unpack_archive` unpacks zip and tar with a bound on files and bytes, and nothing
that leads out of the folder.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import (
    StopFutureHandlers,
    StopUpload,
    TemporaryFileUploadHandler,
)

from evaluation.core.errors import InputError

_BLOCK = 1 << 20
# What a file may grow to when it is unpacked: text packs to a tenth, tables to a twentieth.
_MOST_GROWTH = 20
LONGEST_LINE = 1_000_000  # bytes
MOST_FILES = 1000  # and folders, of an archive

# What zipfile and tarfile hold in memory whole, whatever it unpacks to: what a zip says of all
# its files, and what a tar says before each.
_LONGEST_DIRECTORY = 1 << 20
_LONGEST_HEADER = 1 << 16
# Of a name in an archive, in bytes: of each part, as disks allow; of all; and how many parts.
_LONGEST_PART, _LONGEST_NAME, _DEEPEST = 255, 1000, 20
# Of an uploaded file's own name, to which the disk's name adds some.
_LONGEST_GIVEN = 200

_GZIP, _BZIP2, _XZ = b"\x1f\x8b", b"BZh", b"\xfd7zXZ"

# How the first bytes of what is no plain text begin; what it is, and what to do.
_REPACK = "Unpack it, and pack it with gzip or not at all."
_MARKS = {
    b"\xff\xfe": ("is in UTF-16", "Save it in UTF-8."),
    b"\xfe\xff": ("is in UTF-16", "Save it in UTF-8."),
    b"PK\x03\x04": (
        "is a zip archive, or a document of an office program",
        "Unpack it, or save the document as plain text in UTF-8.",
    ),
    b"%PDF": ("is a PDF file", "Save its text as plain text in UTF-8."),
    _BZIP2: ("is packed with bzip2", _REPACK),
    _XZ: ("is packed with xz", _REPACK),
    b"(\xb5/\xfd": ("is packed with zstd", _REPACK),
}


class LimitedUploadHandler(TemporaryFileUploadHandler):
    """Writes to disk while a file arrives, and stops writing at the limit.

    Only from who is signed in: Django reads a form before the view can ask who sends it.
    """

    def new_file(self, field_name: str, file_name: str, *args, **kwargs) -> None:
        if not self.request.user.is_authenticated:
            raise StopUpload(connection_reset=True)
        scratch()  # where it writes
        # A part of a name that a disk takes, with the ending.
        short = file_name.encode(errors="replace")[-_LONGEST_GIVEN:].decode(errors="ignore")
        super().new_file(field_name, short, *args, **kwargs)
        self.file.is_too_large = False
        self.received = 0
        raise StopFutureHandlers

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        self.received += len(raw_data)
        if self.received > settings.UPLOAD_LIMIT_BYTES:
            self.file.is_too_large = True
            self.file.truncate(0)
        else:
            super().receive_data_chunk(raw_data, start)


def most_unpacked() -> int:
    """Bytes to which the largest upload may be unpacked."""
    return settings.UPLOAD_LIMIT_BYTES * _MOST_GROWTH


def check_size(uploaded: UploadedFile) -> None:
    """Refuse a file that went over the limit while it came."""
    if getattr(uploaded, "is_too_large", False) or uploaded.size > settings.UPLOAD_LIMIT_BYTES:
        raise InputError(
            f"is larger than {settings.UPLOAD_LIMIT_BYTES // 1_000_000} MB",
            path=uploaded.name,
            hint="Pack it with gzip, or ask an administrator to raise the limit.",
        )
    if uploaded.size == 0:
        raise InputError("is empty", path=uploaded.name, hint="Choose the file once more.")


@contextmanager
def received(*uploads: UploadedFile) -> Iterator[list[Path]]:
    """The uploaded texts as plain UTF-8 in a folder of their own, each under its own name."""
    with tempfile.TemporaryDirectory(prefix="upload-", dir=scratch()) as folder:
        paths = []
        for number, uploaded in enumerate(uploads):
            check_size(uploaded)
            # Django has reduced the name to its last part; the number keeps equal names apart.
            path = Path(folder) / str(number) / (PurePosixPath(uploaded.name or "file").name)
            path.parent.mkdir()
            copy_text(uploaded, path)
            paths.append(path)
        yield paths


def scratch() -> Path:
    """Where unfinished things lie: on the disk of the data, not in memory."""
    folder = Path(settings.FILE_UPLOAD_TEMP_DIR)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def copy_text(uploaded: IO[bytes], path: Path) -> None:
    """Copy a text file, unpacked, and know that it is UTF-8 with lines of a sane length."""
    uploaded.seek(0)
    head = uploaded.read(8)
    uploaded.seek(0)
    for mark, (problem, hint) in _MARKS.items():
        if head.startswith(mark):
            raise InputError(problem, path=path, hint=hint)
    packed = head.startswith(_GZIP)
    written = line = 0
    unended = b""
    try:
        with path.open("wb") as file:
            for block in _blocks(gzip.GzipFile(fileobj=uploaded) if packed else uploaded):
                written += len(block)
                if written > most_unpacked():
                    raise InputError(
                        f"unpacks to more than {most_unpacked() // 1_000_000} MB",
                        path=path,
                        hint="Is this the right file?",
                    )
                unended = _check_lines(unended + block, path, line)
                line += block.count(b"\n")
                file.write(block)
            _check_lines(unended + b"\n", path, line)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"the gzip data are damaged or cut off ({error})",
            path=path,
            line=line + 1,
            hint="Copy it again.",
        ) from error
    if written == 0:
        raise InputError("is empty", path=path, hint="Choose the file once more.")


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block


def _check_lines(data: bytes, path: Path, line: int) -> bytes:
    """Check the lines that end in the data, the first of which follows ``line``; give the rest."""
    stop = data.rfind(b"\n") + 1
    whole, rest = data[:stop], data[stop:]
    if len(rest) > LONGEST_LINE or (
        len(whole) > LONGEST_LINE and max(map(len, whole.split(b"\n"))) > LONGEST_LINE
    ):
        lines = [len(part) <= LONGEST_LINE for part in whole.split(b"\n")]
        at = line + 1 + (lines.index(False) if False in lines else len(lines) - 1)
        hint = "Write a sentence a line, with line feeds between them."
        if b"\r" in data and b"\r\n" not in data:
            hint = "Its lines end in carriage returns, as on old Macs: save it with line feeds."
        raise InputError(
            f"the line is longer than {LONGEST_LINE:,} bytes", path=path, line=at, hint=hint
        )
    for problem, at, hint in _oddities(whole):
        raise InputError(problem, path=path, line=line + 1 + whole.count(b"\n", 0, at), hint=hint)
    return rest


def _oddities(data: bytes) -> Iterator[tuple[str, int, str]]:
    """What is wrong with lines, where, and what to do."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        at = error.start - (data.rfind(b"\n", 0, error.start) + 1)
        yield f"byte {at + 1} of the line is not UTF-8", error.start, "Save it as UTF-8."
    if (zero := data.find(b"\x00")) >= 0:
        yield "there is a zero byte", zero, "Is this a text file?"
    bare = data.replace(b"\r\n", b"\n\n").find(b"\r")
    if bare >= 0:
        yield (
            "a carriage return stands within the line",
            bare,
            "If its lines end in carriage returns, as on old Macs, save it with line feeds.",
        )


# --- Archives ---------------------------------------------------------------------------------


# What zipfile, tarfile and what they call raise when an archive is not what it should be.
_DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError,
    OSError, ValueError, ArithmeticError, LookupError, RuntimeError,
)  # fmt: skip


# What zipfile unpacks no further than it is asked to; of the others 400 bytes give 500 MB at once.
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def unpack_archive(uploaded: IO[bytes], name: str, folder: Path) -> None:
    """Unpack a zip, tar, tar.gz, tar.bz2 or tar.xz; all or an InputError."""
    uploaded.seek(0)
    head = uploaded.read(6)
    uploaded.seek(0)
    unpacking = _Unpacking(name, folder)
    try:
        if head.startswith(b"PK"):
            _unpack_zip(uploaded, unpacking)
        else:
            _unpack_tar(_unpacked(uploaded, head), unpacking)
    except _DAMAGE as error:
        raise InputError(
            f"the archive is damaged, cut off or of an unknown kind ({error})",
            path=name,
            hint="Pack the folder again as .zip or .tar.gz.",
        ) from error


def _unpack_zip(uploaded: IO[bytes], unpacking: _Unpacking) -> None:
    with zipfile.ZipFile(cast("IO[bytes]", _InPieces(uploaded, unpacking))) as archive:
        for member in archive.infolist():
            path = unpacking.place(member.filename)
            if member.is_dir():
                continue
            if member.flag_bits & 1:
                raise unpacking.refused(
                    f"{_shown(member.filename)} is encrypted", "Pack it without password."
                )
            if (member.external_attr >> 16) & 0o170000 == 0o120000:
                raise unpacking.link(member.filename)
            if member.compress_type not in _ZIP_METHODS:
                raise unpacking.refused(
                    f"{_shown(member.filename)} is packed by an unusual method",
                    "Pack the folder again as an ordinary .zip, or as .tar.gz.",
                )
            with archive.open(member) as file:
                unpacking.write(path, member.filename, file)


class _InPieces:
    """A zip of which zipfile cannot read more at once than is good: it reads the directory so."""

    def __init__(self, file: IO[bytes], unpacking: _Unpacking) -> None:
        self._file = file
        self._unpacking = unpacking
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > _LONGEST_DIRECTORY:
            raise self._unpacking.too_many()
        return self._file.read(size)


def _unpacked(uploaded: IO[bytes], head: bytes) -> IO[bytes]:
    for mark, opened in ((_GZIP, gzip.open), (_BZIP2, bz2.open), (_XZ, lzma.open)):
        if head.startswith(mark):
            return cast("IO[bytes]", opened(uploaded))
    return uploaded


def _unpack_tar(unpacked: IO[bytes], unpacking: _Unpacking) -> None:
    reader = _Counted(unpacked, unpacking)
    # A stream is read in one pass, so a bomb is noticed while it grows.
    with tarfile.open(fileobj=cast("IO[bytes]", reader), mode="r|") as archive:
        for member in archive:
            path = unpacking.place(member.name)
            if member.isfile():
                file = archive.extractfile(member)
                assert file is not None
                reader.left = most_unpacked()
                unpacking.write(path, member.name, file)
            elif not member.isdir():
                raise unpacking.link(member.name)
            reader.left = _LONGEST_HEADER


class _Counted:
    """A tar of which tarfile cannot read more before the next file than is good."""

    def __init__(self, file: IO[bytes], unpacking: _Unpacking) -> None:
        self._file = file
        self._unpacking = unpacking
        self.left = _LONGEST_HEADER

    def read(self, size: int) -> bytes:
        block = self._file.read(size)
        self.left -= len(block)
        if self.left < 0:
            raise self._unpacking.refused(
                f"more than {_LONGEST_HEADER // 1000} KB stand before a file, instead of its name",
                "Pack the folder again as .zip or .tar.gz, without attributes.",
            )
        return block


def _shown(member: str) -> str:
    """An archive's name for a file as a page can show it."""
    return member[:100].encode("utf-8", "replace").decode()


class _Unpacking:
    """Counts what has been written, and refuses what leads elsewhere."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.members = 0
        self.left = most_unpacked()

    def refused(self, problem: str, hint: str = "") -> InputError:
        return InputError(problem, path=self.name, hint=hint)

    def link(self, member: str) -> InputError:
        return self.refused(
            f"{_shown(member)} is a link or a device",
            "Pack the files themselves, such as with tar --dereference.",
        )

    def too_many(self) -> InputError:
        return self.refused(
            f"the archive holds more than {MOST_FILES} files and folders",
            "Pack the system's files only.",
        )

    def place(self, member: str) -> Path:
        """Where a file or folder belongs; each is counted."""
        self.members += 1
        if self.members > MOST_FILES:
            raise self.too_many()
        parts = PurePosixPath(member.replace("\\", "/")).parts
        if parts and (parts[0].startswith("/") or ".." in parts or ":" in parts[0]):
            raise self.refused(
                f"{_shown(member)} leads out of the archive",
                "Pack the folder with plain relative names.",
            )
        try:
            sizes = [len(part.encode()) for part in parts]
        except UnicodeEncodeError as error:
            raise self.refused(
                f"the name {_shown(member)} is not in UTF-8",
                "Rename it, and pack the folder again.",
            ) from error
        if (
            max(sizes, default=0) > _LONGEST_PART
            or sum(sizes) > _LONGEST_NAME
            or len(sizes) > _DEEPEST
        ):
            raise self.refused(
                f"the name {_shown(member)}… is too long",
                f"{_LONGEST_PART} bytes are the most for a file or folder, and {_DEEPEST} folders "
                "within each other.",
            )
        return self.folder.joinpath(*parts)

    def write(self, path: Path, member: str, file: IO[bytes]) -> None:
        if path.exists() or any(parent.is_file() for parent in path.parents):
            raise self.refused(f"{_shown(member)} is in the archive twice")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as written:
                for block in _blocks(file):
                    self.left -= len(block)
                    if self.left < 0:
                        raise self.refused(
                            f"the archive unpacks to more than {most_unpacked() // 1_000_000} MB",
                            "Pack the system's files only, or ask an administrator to raise the "
                            "limit.",
                        )
                    written.write(block)
        except (OSError, ValueError) as error:
            if isinstance(error, gzip.BadGzipFile):
                raise
            raise self.refused(f"{_shown(member)} cannot be unpacked ({error})") from error
