"""Folders in Django's file storage, found by the checksum of what they hold.

A folder is kept as one tar file, whose SHA-256 is its name. Every machine unpacks what it needs
once, into a cache below the data folder; so workers need nothing in common but the storage.
"""

from __future__ import annotations

import hashlib
import shutil
import tarfile
import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.files import File
from django.core.files.storage import default_storage

from decoding.uploads import scratch
from evaluation.core.errors import VariorumError

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Kept:
    """What has been put into the storage."""

    checksum: str  # SHA-256 of the tar file
    key: str  # its name in the storage
    size: int  # bytes


def keep_folder(folder: Path, *, without: Collection[str] = ()) -> Kept:
    """Put a folder into the storage. The same files give the same checksum, and are kept once.

    ``without`` names files that are not kept, for they say when it was made and not what it is.
    """
    with tempfile.TemporaryDirectory(prefix="keep-", dir=scratch()) as place:
        packed = Path(place) / "packed.tar"
        with tarfile.open(packed, "w", format=tarfile.PAX_FORMAT) as archive:
            for path in sorted(folder.rglob("*")):
                name = path.relative_to(folder).as_posix()
                if path.is_file() and name not in without:
                    archive.add(path, name, filter=_anonymous)
        checksum = _sha256(packed)
        key = f"kept/{checksum[:2]}/{checksum}.tar"
        size = packed.stat().st_size
        if not default_storage.exists(key):
            with packed.open("rb") as file:
                saved = default_storage.save(key, File(file))
            if saved != key:  # somebody kept the same at the same time, and was first
                default_storage.delete(saved)
    return Kept(checksum, key, size)


def fetch_folder(checksum: str, key: str) -> Path:
    """The folder on this machine: from the cache, or unpacked into it and checked."""
    cached = _cached(checksum)
    if cached.is_dir():
        return cached
    cached.parent.mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=".unpacking-", dir=cached.parent))
    try:
        packed = place / "packed.tar"
        with default_storage.open(key, "rb") as stored, packed.open("wb") as file:
            shutil.copyfileobj(stored, file, _BLOCK)
        if _sha256(packed) != checksum:
            raise VariorumError(
                f"What the file storage holds as {key} is not what was put there. Restore it "
                "from a backup."
            )
        content = place / "content"
        with tarfile.open(packed) as archive:
            archive.extractall(content, filter="data")
        try:
            content.rename(cached)
        except OSError:
            if not cached.is_dir():
                raise
            # Another thread or process was quicker; its folder is the same.
    except FileNotFoundError as error:
        raise VariorumError(
            f"The file storage has no {key}. Restore it from a backup, or check that all "
            "machines use the same storage."
        ) from error
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return cached


def discard_folder(checksum: str, key: str) -> None:
    """Remove from the storage and this machine's cache what no row refers to any more."""
    default_storage.delete(key)
    shutil.rmtree(_cached(checksum), ignore_errors=True)


def _cached(checksum: str) -> Path:
    return Path(settings.DATA_DIR) / "cache" / "kept" / checksum


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without owner and time, which say nothing about the content."""
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    member.mode = 0o644
    return member


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
