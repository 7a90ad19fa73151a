"""What a job says that found no room on the disk."""

from __future__ import annotations

import errno
import shutil
import sqlite3
import tempfile
from pathlib import Path

from django.conf import settings

_FULL = {errno.ENOSPC, errno.EDQUOT}
_POSTGRESQL_FULL = "53100"


def full_disk(error: BaseException) -> str:
    """Which disk is full and what to do, if that is what the error means; else nothing."""
    if _database_is_full(error.__cause__):
        disk = "The database's disk is full."
    elif isinstance(error, OSError) and _file_finds_no_room(error):
        fullest = min(_written_to(), key=lambda folder: shutil.disk_usage(folder).free)
        free = shutil.disk_usage(fullest).free // 1_000_000
        disk = f"The disk of the folder {fullest.name} is full ({free} MB are free)."
    else:
        return ""
    return (
        f"{disk} Ask an administrator to make room there, for example by deleting systems that "
        "nobody needs; then try again: it goes on behind the last finished piece."
    )


def _database_is_full(cause: BaseException | None) -> bool:
    return (
        getattr(cause, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        or getattr(cause, "sqlstate", None) == _POSTGRESQL_FULL
    )


def _file_finds_no_room(error: OSError) -> bool:
    # numpy tells what it could not write, without a number: "1000 requested and 8 written".
    return error.errno in _FULL or (error.errno is None and " requested and " in str(error))


def _written_to() -> list[Path]:
    """The folders in which jobs write, which may be on different disks."""
    data = Path(settings.DATA_DIR)
    folders = [data / "scratch", data / "training", data / "cache", Path(settings.MEDIA_ROOT)]
    return [folder for folder in folders if folder.is_dir()] + [Path(tempfile.gettempdir())]
