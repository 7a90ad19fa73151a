"""Folders in Django's file storage, found by the checksum of what they hold.

Each file is kept under its own SHA-256, once, in however many folders it is; a folder is a list of
names and checksums, whose SHA-256 is the folder's. So systems that differ in their weights alone
share all their arrays. Every machine fetches what it needs once, into a cache below the data
folder, where equal files are one file too; so workers need nothing in common but the storage.

A file is whole or not there, whoever dies while writing it (`WholeFiles`). Nobody discards a file
that a folder needs which is being kept: both hold the database's lock (`alone`) while lists are
written or looked through, and `hold` has it until the row is there that refers to a folder.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, default_storage
from django.db import connection, transaction

from evaluation.core.errors import InputError, VariorumError

_BLOCK = 1 << 20
_LIST = ".json"  # how the name of a folder's list ends
_UNFINISHED = "unfinished"  # where in the storage files lie until they are whole
_FETCHING = ".fetching-"  # how the folders begin into which is fetched
_LOCK = 0x7661726F  # any number that nothing else in the database locks


class WholeFiles(FileSystemStorage):
    """Django's storage in a folder, where each file is whole or not there.

    What is saved under a name that is taken replaces what was there, at once: whoever reads the
    old file reads on.
    """

    def __init__(self, **options) -> None:
        super().__init__(allow_overwrite=True, **options)

    def _save(self, name, content):
        part = f"{_UNFINISHED}/{uuid.uuid4().hex}"  # on the same disk, where renaming is one step
        try:
            super()._save(part, content)  # type: ignore[misc]
            with self.open(part) as written:
                os.fsync(written.fileno())
            whole = Path(self.path(name))
            whole.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.path(part), whole)
        finally:
            self.delete(part)
        return name


@dataclass(frozen=True, slots=True)
class Kept:
    """What has been put into the storage."""

    checksum: str  # SHA-256 of the list of its files
    key: str  # the list's name in the storage
    size: int  # bytes of all files


@contextmanager
def alone() -> Iterator[None]:
    """A transaction that one process on all machines can be in at a time; the others wait."""
    with transaction.atomic():  # SQLite's writers wait for each other anyway
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_LOCK])
        yield


@contextmanager
def hold(kept: Kept) -> Iterator[None]:
    """While the row is made that refers to what was kept: nobody discards it, or has done so."""
    with alone():
        if not default_storage.exists(kept.key):
            raise InputError("somebody has just deleted the same files", hint="Try again.")
        yield


def keep_folder(folder: Path, *, without: Collection[str] = ()) -> Kept:
    """Put a folder into the storage. The same files give the same checksum, and are kept once.

    ``without`` names files that are not kept, for they say when it was made and not what it is.
    """
    paths = {
        path.relative_to(folder).as_posix(): path
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    files = {name: _sha256(path) for name, path in paths.items() if name not in without}
    content = json.dumps(files, sort_keys=True).encode()
    checksum = hashlib.sha256(content).hexdigest()
    key = _key(checksum) + _LIST

    def keep_files() -> None:
        for name, own in files.items():
            with paths[name].open("rb") as file:
                _keep(_key(own), File(file))

    keep_files()
    with alone():
        keep_files()  # nothing to do, unless somebody discarded one meanwhile
        _keep(key, ContentFile(content))  # last: what a list names is there
    return Kept(checksum, key, sum(paths[name].stat().st_size for name in files))


def _keep(key: str, content: File) -> None:
    """Save a file unless it is there whole: an earlier version kept what broke off, too."""
    try:
        there = default_storage.size(key) == content.size
    except FileNotFoundError:
        there = False
    if not there:
        default_storage.save(key, content)


def is_kept(key: str) -> bool:
    """Whether the storage holds a folder of that key."""
    return default_storage.exists(key)


def fetch_folder(checksum: str, key: str) -> Path:
    """The folder on this machine: from the cache if it is whole there, or fetched and checked."""
    cached = _cache() / checksum
    if _is_whole(cached):
        return cached
    _cache().mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=_FETCHING, dir=_cache()))
    try:
        content = place / "content"
        content.mkdir()
        sizes = {}
        for name, own in _files_of(checksum, key).items():
            path = content / name
            path.parent.mkdir(parents=True, exist_ok=True)
            _link(_fetch_file(own, place), path)
            sizes[name] = path.stat().st_size
        _put_in_place(content, cached, sizes)
        _write_whole(place / "sizes", _sizes_of(cached), json.dumps(sizes).encode())
    except FileNotFoundError as error:
        raise VariorumError(
            f"The file storage has not all that {key} names. Restore it from a backup, or check "
            "that all machines use the same storage."
        ) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return cached


def _is_whole(cached: Path) -> bool:
    """Whether each file of a cached folder has the size that it had when it was fetched."""
    try:
        sizes = json.loads(_sizes_of(cached).read_bytes())
        return all((cached / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError):
        return False


def _sizes_of(cached: Path) -> Path:
    """Where a cached folder's sizes are noted: beside it, for within it is only what was kept."""
    return cached.with_name(f"{cached.name}.sizes")


def _put_in_place(content: Path, cached: Path, names: Collection[str]) -> None:
    try:
        content.rename(cached)
    except OSError:
        # Another was quicker, or what is there is spoilt. File by file, so that whoever reads
        # there always finds them.
        for name in names:
            (cached / name).parent.mkdir(parents=True, exist_ok=True)
            (content / name).replace(cached / name)


def _files_of(checksum: str, key: str) -> Mapping[str, str]:
    """The checksums of a folder's files, by their names."""
    with default_storage.open(key, "rb") as stored:
        content = stored.read()
    if hashlib.sha256(content).hexdigest() != checksum:
        raise _spoilt(key)
    files: dict[str, str] = json.loads(content)
    return files


def _fetch_file(checksum: str, place: Path) -> Path:
    """A file in the cache, under its checksum."""
    cached = _cache() / "files" / checksum
    key = _key(checksum)
    if not cached.exists() or cached.stat().st_size != default_storage.size(key):
        cached.parent.mkdir(exist_ok=True)
        part = place / checksum
        with default_storage.open(key, "rb") as stored, part.open("wb") as file:
            shutil.copyfileobj(stored, file, _BLOCK)
            _to_disk(file)
        if _sha256(part) != checksum:
            raise _spoilt(key)
        part.replace(cached)
    return cached


def _write_whole(part: Path, path: Path, content: bytes) -> None:
    with part.open("wb") as file:
        file.write(content)
        _to_disk(file)
    part.replace(path)


def _to_disk(file: IO[bytes]) -> None:
    """Before it gets its name: a machine that loses power keeps names and loses contents."""
    file.flush()
    os.fsync(file.fileno())


def _link(source: Path, target: Path) -> None:
    """The same file under another name; a copy where the disk knows no links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _spoilt(key: str) -> VariorumError:
    return VariorumError(
        f"What the file storage holds as {key} is not what was put there. Restore it from a backup."
    )


def discard_folder(checksum: str, key: str) -> None:
    """Remove from the storage and this machine's cache what no row refers to any more.

    Files that other folders hold too stay.
    """
    with alone():
        try:
            own = set(_files_of(checksum, key).values())
        except (FileNotFoundError, VariorumError):  # a spoilt list tells nothing
            own = set()
        default_storage.delete(key)
        unneeded = _in_no_list(own)
        for one in unneeded:
            default_storage.delete(_key(one))
    _sizes_of(_cache() / checksum).unlink(missing_ok=True)
    shutil.rmtree(_cache() / checksum, ignore_errors=True)
    for one in unneeded:
        (_cache() / "files" / one).unlink(missing_ok=True)


def _in_no_list(files: set[str]) -> set[str]:
    """Those of the files that no folder in the storage holds; none while that cannot be known."""
    for other in _lists() if files else ():
        try:
            files = files - set(_files_of(Path(other).name.removesuffix(_LIST), other).values())
        except VariorumError:
            return set()
    return files


def remove_unfinished(before: datetime) -> None:
    """Remove what processes left that died while they wrote into the storage or fetched from it."""
    if default_storage.exists(_UNFINISHED):
        for name in default_storage.listdir(_UNFINISHED)[1]:
            if default_storage.get_modified_time(f"{_UNFINISHED}/{name}") < before:
                default_storage.delete(f"{_UNFINISHED}/{name}")
    for place in _cache().glob(f"{_FETCHING}*"):
        remove_if_older(place, before)


def remove_if_older(path: Path, before: datetime) -> None:
    """Remove a file, or a folder in which nothing is newer. Nobody minds if it is gone already."""
    try:
        newest = max(one.lstat().st_mtime for one in (path, *path.rglob("*")))
        if newest >= before.timestamp():
            return
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    except FileNotFoundError:
        pass


def _lists() -> Iterator[str]:
    """The keys of all folders in the storage."""
    for part in default_storage.listdir("kept")[0]:
        for name in default_storage.listdir(f"kept/{part}")[1]:
            if name.endswith(_LIST):
                yield f"kept/{part}/{name}"


def _key(checksum: str) -> str:
    return f"kept/{checksum[:2]}/{checksum}"


def _cache() -> Path:
    return Path(settings.DATA_DIR) / "cache" / "kept"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
