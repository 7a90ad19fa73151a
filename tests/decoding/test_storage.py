"""Folders by the checksum of what they hold; equal files are kept once."""

from __future__ import annotations

import pytest
from django.core.files.storage import default_storage

from decoding.storage import _cache, discard_folder, fetch_folder, keep_folder
from evaluation.core.errors import VariorumError


@pytest.fixture
def folder(tmp_path):
    def make(name: str, **files: str):
        for file, content in files.items():
            path = tmp_path / name / file.replace("_", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return tmp_path / name

    return make


def content(kept) -> dict[str, str]:
    found = fetch_folder(kept.checksum, kept.key)
    return {
        path.relative_to(found).as_posix(): path.read_text()
        for path in found.rglob("*")
        if path.is_file()
    }


def stored() -> int:
    """How many things the storage holds."""
    parts = default_storage.listdir("kept")[0] if default_storage.exists("kept") else []
    return sum(len(default_storage.listdir(f"kept/{part}")[1]) for part in parts)


def test_a_folder_comes_back_as_it_was(folder):
    kept = keep_folder(folder("a", one="1", sub_two="22", report="slow"), without={"report"})
    assert content(kept) == {"one": "1", "sub/two": "22"}
    assert kept.size == 3
    assert keep_folder(folder("b", one="1", sub_two="22")) == kept
    assert keep_folder(folder("c", one="1", sub_three="22")).checksum != kept.checksum


def test_what_two_folders_have_in_common_is_there_once(folder):
    before = stored()
    first = keep_folder(folder("first", arrays="common to both", weights="of the first"))
    second = keep_folder(folder("second", arrays="common to both", weights="of the second"))
    assert stored() - before == 3 + 2  # files and lists
    one, other = (fetch_folder(kept.checksum, kept.key) for kept in (first, second))
    assert (one / "arrays").samefile(other / "arrays")
    discard_folder(first.checksum, first.key)
    assert stored() - before == 2 + 1
    assert not one.exists()
    assert content(second) == {"arrays": "common to both", "weights": "of the second"}
    discard_folder(second.checksum, second.key)
    assert stored() == before
    discard_folder(second.checksum, second.key)  # twice does no harm


@pytest.mark.parametrize("which", ["list", "file"])
def test_what_the_storage_lost_or_spoilt_is_told(folder, which):
    kept = keep_folder(folder("a", spoilt=f"spoilt {which}"))
    keys = {
        "list": kept.key,
        "file": next(
            f"kept/{part}/{name}"
            for part in default_storage.listdir("kept")[0]
            for name in default_storage.listdir(f"kept/{part}")[1]
            if default_storage.open(f"kept/{part}/{name}").read() == f"spoilt {which}".encode()
        ),
    }
    path = default_storage.path(keys[which])
    with open(path, "ab") as file:
        file.write(b" ")
    with pytest.raises(VariorumError, match="is not what was put there"):
        fetch_folder(kept.checksum, kept.key)
    default_storage.delete(keys[which])
    with pytest.raises(VariorumError, match="Restore it from a backup"):
        fetch_folder(kept.checksum, kept.key)
    assert not (_cache() / kept.checksum).exists()
    if which == "file":
        discard_folder(kept.checksum, kept.key)
