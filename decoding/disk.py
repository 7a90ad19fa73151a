"""What a job says that found no room on the disk."""

from __future__ import annotations

import errno
import shutil
import tempfile
from pathlib import Path

from django.conf import settings

_FULL = {errno.ENOSPC, errno.EDQUOT}


def full_disk(error: Exception) -> str:
    """Which folder is full and what to do, if that is what the error means; else nothing."""
    if not isinstance(error, OSError):
        return ""
    # numpy tells what it could not write, without a number: "1000 requested and 8 written".
    if error.errno not in _FULL and not (error.errno is None and " requested and " in str(error)):
        return ""
    fullest = min(_written_to(), key=lambda folder: shutil.disk_usage(folder).free)
    free = shutil.disk_usage(fullest).free // 1_000_000
    return (
        f"The disk of the folder {fullest} is full ({free} MB are free). Ask an administrator to "
        "make room there, for example by deleting systems that nobody needs; then try again: it "
        "goes on behind the last finished piece."
    )


def _written_to() -> list[Path]:
    """The folders in which jobs write, which may be on different disks."""
    data = Path(settings.DATA_DIR)
    folders = [data / "scratch", data / "training", data / "cache", Path(settings.MEDIA_ROOT)]
    return [folder for folder in folders if folder.is_dir()] + [Path(tempfile.gettempdir())]
