"""Ask for the import of a Moses system: what can be checked at once is, the rest is a job."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePath, PurePosixPath

from django.core.files.uploadedfile import UploadedFile

from decoding.actions.jobs import submit_once
from decoding.actions.names import refuse_taken_name
from decoding.actions.uploads import submit_with_upload
from decoding.core.formats.moses_ini import read_moses_ini
from decoding.models import Job
from decoding.models.ownership import User
from decoding.storage import keep_folder
from decoding.uploads import check_size, scratch, unpack_archive
from evaluation.core.errors import InputError


def ask_for_import(archive: UploadedFile, ini: str = "", *, owner: User, **about: str) -> Job:
    """A job that imports an uploaded archive, which is unpacked and looked through at once."""
    refuse_taken_name(owner, about["name"])
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
    return submit_with_upload(
        "import-moses",
        kept,
        owner=owner,
        title=f"Import {about['name']} from Moses",
        about=about,
        ini=inside,
    )


def ask_for_import_of_path(path: str, *, owner: User, **about: str) -> Job:
    """A job that imports a moses.ini which lies on the server. For administrators alone."""
    if not owner.is_superuser:
        raise InputError("only administrators may name files of the server")
    refuse_taken_name(owner, about["name"])
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
