"""Ask for the import of a Moses system: what can be checked at once is, the rest is a job.

A job that works on an upload has it in the storage, and `[checksum, key]` as its parameter
"upload"; the same upload may serve several jobs.
"""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePath, PurePosixPath

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from decoding.actions.deletion import discard_unless_used
from decoding.actions.jobs import submit_once
from decoding.actions.systems import check_name
from decoding.actions.training import KEPT
from decoding.core.formats.moses_ini import read_moses_ini
from decoding.models import Job
from decoding.models.ownership import User
from decoding.storage import fetch_folder, hold, is_kept, keep_folder
from decoding.uploads import check_size, scratch, unpack_archive
from evaluation.core.errors import InputError


def ask_for_import(archive: UploadedFile, ini: str = "", *, owner: User, **about: str) -> Job:
    """A job that imports an uploaded archive, which is unpacked and looked through at once."""
    check_name(owner, about["name"])
    check_size(archive)
    name = archive.name or "archive"
    with tempfile.TemporaryDirectory(prefix="moses-", dir=scratch()) as place:
        folder = Path(place) / "system"
        folder.mkdir()
        unpack_archive(archive, name, folder)
        found = _find_ini(folder, ini, name)
        check_inside(folder, found)
        kept = keep_folder(folder)
        inside = found.relative_to(folder).as_posix()
    with hold(kept):  # a second click waits here, and finds the first one's job
        return submit_once(
            "import-moses",
            owner=owner,
            title=f"Import {about['name']} from Moses",
            parameters={"about": about, "upload": [kept.checksum, kept.key], "ini": inside},
        )


def ask_for_import_of_path(path: str, *, owner: User, **about: str) -> Job:
    """A job that imports a moses.ini which lies on the server. For administrators alone."""
    if not owner.is_superuser:
        raise InputError("only administrators may name files of the server")
    check_name(owner, about["name"])
    ini = PurePosixPath(path)
    if not ini.is_absolute() or ini.suffix != ".ini":
        raise InputError(
            "is not the absolute path of a moses.ini", path=ini, hint="Such as /models/moses.ini."
        )
    return submit_once(
        "import-moses",
        owner=owner,
        title=f"Import {about['name']} from Moses",
        parameters={"about": about, "upload": None, "ini": path},
    )


def fetch_upload(job: Job) -> Path:
    """The folder that was uploaded for a job, which a retry may find gone."""
    checksum, key = job.parameters["upload"]
    if not is_kept(key):
        raise InputError("what was uploaded is not kept any more", hint="Upload it again.")
    return fetch_folder(checksum, key)


def forget_upload(job: Job) -> None:
    """Remove what was uploaded for a job, unless others need it: it has served, or cannot."""
    if upload := job.parameters.get("upload"):
        discard_unless_used(*upload, by=job)


def forget_old_uploads() -> None:
    """Remove what was uploaded for jobs that failed or were cancelled long ago."""
    ended = Job.objects.filter(
        state__in=[Job.State.FAILED, Job.State.CANCELLED],
        finished_at__lt=timezone.now() - KEPT,
        parameters__has_key="upload",
    )
    for job in ended.only("parameters"):
        if job.parameters["upload"] and is_kept(job.parameters["upload"][1]):
            forget_upload(job)


def check_inside(folder: Path, ini: Path) -> None:
    """Refuse a moses.ini that names files outside of its folder, or files that are not there."""
    for feature in read_moses_ini(ini).features:
        if feature.path is None:
            continue
        given = _given(feature.path, ini)
        file = feature.path.resolve()
        if ".." in given.parts or not file.is_relative_to(folder.resolve()):
            raise InputError(
                f"{feature.name} has the path {given}, which leads out of the archive "
                "or goes up in it",
                path=ini.name,
                hint="Pack the file too, and write its path from the moses.ini's folder downwards.",
            )
        if not _is_file(file):
            raise InputError(
                f"{feature.name} has the path {given}, and the archive has no such file",
                path=ini.name,
                hint="Pack the file too.",
            )


def _given(path: Path, ini: Path) -> PurePath:
    """The path as it stands in the moses.ini, without the place where the archive is unpacked."""
    return path.relative_to(ini.parent) if path.is_relative_to(ini.parent) else path


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a name longer than the disk takes
        return False


def _find_ini(folder: Path, wanted: str, name: str) -> Path:
    found = sorted(path for path in folder.rglob("*.ini") if path.is_file())
    if wanted:
        found = [path for path in found if path.relative_to(folder).as_posix() == wanted.strip()]
    elif len(found) > 1:
        found = [path for path in found if path.name == "moses.ini"]
    if len(found) != 1:
        raise InputError(
            f"there is no {wanted or 'moses.ini'} in the archive"
            if not found
            else f"there are {len(found)} files moses.ini in the archive",
            path=name,
            hint="Pack one moses.ini with the files that it names, or say which it is.",
        )
    return found[0]
