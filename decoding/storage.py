"""Folders in Django's file storage, found by the checksum of what they hold.

Each file is kept under its own SHA-256, once, in however many folders it is; a folder is a list of
names and checksums, whose SHA-256 is the folder's. So systems that differ in their weights alone
share all their arrays. Every machine fetches what it needs once, into a cache below the data
folder, where equal files are one file too; so workers need nothing in common but the storage.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from evaluation.core.errors import VariorumError

_BLOCK = 1 << 20
_LIST = ".json"  # how the name of a folder's list ends


@dataclass(frozen=True, slots=True)
class Kept:
    """What has been put into the storage."""

    checksum: str  # SHA-256 of the list of its files
    key: str  # the list's name in the storage
    size: int  # bytes of all files


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
    for name, checksum in files.items():
        with paths[name].open("rb") as file:
            _keep(_key(checksum), File(file))
    content = json.dumps(files, sort_keys=True).encode()
    checksum = hashlib.sha256(content).hexdigest()
    key = _key(checksum) + _LIST
    _keep(key, ContentFile(content))  # last: what a list names is there
    return Kept(checksum, key, sum(paths[name].stat().st_size for name in files))


def _keep(key: str, content: File) -> None:
    if not default_storage.exists(key):
        saved = default_storage.save(key, content)
        if saved != key:  # somebody kept the same at the same time, and was first
            default_storage.delete(saved)


def fetch_folder(checksum: str, key: str) -> Path:
    """The folder on this machine: from the cache, or fetched into it and checked."""
    cached = _cache() / checksum
    if cached.is_dir():
        return cached
    _cache().mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=".fetching-", dir=_cache()))
    try:
        content = place / "content"
        content.mkdir()
        for name, own in _files_of(checksum, key).items():
            path = content / name
            path.parent.mkdir(parents=True, exist_ok=True)
            _link(_fetch_file(own, place), path)
        try:
            content.rename(cached)
        except OSError:
            if not cached.is_dir():
                raise
            # Another thread or process was quicker; its folder is the same.
    except FileNotFoundError as error:
        raise VariorumError(
            f"The file storage has not all that {key} names. Restore it from a backup, or check "
            "that all machines use the same storage."
        ) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return cached


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
    if not cached.exists():
        cached.parent.mkdir(exist_ok=True)
        part = place / checksum
        with default_storage.open(_key(checksum), "rb") as stored, part.open("wb") as file:
            shutil.copyfileobj(stored, file, _BLOCK)
        if _sha256(part) != checksum:
            raise _spoilt(_key(checksum))
        part.replace(cached)
    return cached


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
    try:
        own = set(_files_of(checksum, key).values())
    except FileNotFoundError:
        own = set()
    default_storage.delete(key)
    for other in _lists() if own else ():
        own -= set(_files_of(Path(other).name.removesuffix(_LIST), other).values())
    shutil.rmtree(_cache() / checksum, ignore_errors=True)
    for one in own:
        default_storage.delete(_key(one))
        (_cache() / "files" / one).unlink(missing_ok=True)


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
