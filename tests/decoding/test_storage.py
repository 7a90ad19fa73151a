"""Folders by the checksum of what they hold; equal files are kept once."""

from __future__ import annotations

import errno
import os
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connections
from django.utils import timezone

from decoding import storage
from decoding.storage import (
    _cache,
    alone,
    discard_folder,
    fetch_folder,
    hold,
    keep_folder,
    remove_unfinished,
)
from evaluation.core.errors import InputError, VariorumError

pytestmark = pytest.mark.django_db


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


def stored_files(kept) -> list[Path]:
    """Where the storage has the files of a folder, and their list."""
    names = storage._files_of(kept.checksum, kept.key).values()
    return [Path(default_storage.path(key)) for key in (*map(storage._key, names), kept.key)]


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


# --- Writing ----------------------------------------------------------------------------------


class Breaking(ContentFile):
    """A file in the middle of which something happens."""

    def __init__(self, content: bytes, happens) -> None:
        super().__init__(content)
        self.happens = happens

    def chunks(self, chunk_size=None):
        yield self.file.getvalue()[:2]
        self.happens()
        yield self.file.getvalue()[2:]


def unfinished() -> list[str]:
    return default_storage.listdir("unfinished")[1]


def test_a_write_that_breaks_off_leaves_nothing():
    def disk_full():
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        default_storage.save("kept/xx/broken", Breaking(b"whole", disk_full))
    assert not default_storage.exists("kept/xx/broken")
    assert unfinished() == []


def test_two_that_write_the_same_at_once_both_end_well():
    def another():
        assert not default_storage.exists("kept/xx/same")  # half of it is nowhere to be seen
        default_storage.save("kept/xx/same", ContentFile(b"whole"))

    assert default_storage.save("kept/xx/same", Breaking(b"whole", another)) == "kept/xx/same"
    assert default_storage.open("kept/xx/same").read() == b"whole"
    assert default_storage.listdir("kept/xx")[1] == ["same"]
    assert unfinished() == []
    default_storage.delete("kept/xx/same")
    os.rmdir(default_storage.path("kept/xx"))


def test_keeping_again_heals_what_broke_off(folder):
    there = folder("a", one="half of this", two="is missing")
    kept = keep_folder(there)
    for path in stored_files(kept):
        with path.open("r+b") as file:
            reader = path.open("rb")
            file.truncate(path.stat().st_size // 2)
        assert keep_folder(there) == kept
        assert len(reader.read()) < path.stat().st_size  # who reads the old file is left alone
        reader.close()
    assert content(kept) == {"one": "half of this", "two": "is missing"}


# --- The cache --------------------------------------------------------------------------------


def test_a_cached_file_that_was_cut_is_fetched_again(folder):
    kept = keep_folder(folder("a", arrays="a long row of figures", sub_weights="some"))
    found = fetch_folder(kept.checksum, kept.key)
    os.truncate(found / "arrays", 1)
    assert content(kept) == {"arrays": "a long row of figures", "sub/weights": "some"}
    (found / "sub" / "weights").unlink()
    assert content(kept)["sub/weights"] == "some"


def test_a_cache_of_an_earlier_version_is_looked_through_once(folder):
    kept = keep_folder(folder("a", arrays="earlier"))
    found = fetch_folder(kept.checksum, kept.key)
    found.with_name(f"{kept.checksum}.sizes").unlink()
    os.truncate(found / "arrays", 1)
    assert content(kept) == {"arrays": "earlier"}
    before = (found / "arrays").stat()
    assert content(kept) == {"arrays": "earlier"}
    assert (found / "arrays").stat() == before


def test_what_died_unfinished_goes_after_its_time(folder):
    default_storage.save("unfinished/dead", ContentFile(b"x"))
    fetching = _cache() / ".fetching-dead" / "content"
    fetching.mkdir(parents=True)
    (fetching / "arrays").write_text("half")
    places = [fetching.parent, Path(default_storage.path("unfinished/dead"))]
    yesterday = timezone.now() - timedelta(days=1)
    remove_unfinished(yesterday)
    assert all(place.exists() for place in places)
    old = yesterday.timestamp() - 1
    for path in (fetching.parent, fetching, places[1]):
        os.utime(path, (old, old))
    remove_unfinished(yesterday)
    assert [place.exists() for place in places] == [True, False]  # in one is a newer file
    os.utime(fetching / "arrays", (old, old))
    remove_unfinished(yesterday)
    assert not fetching.parent.exists()


# --- Keeping and discarding at the same time --------------------------------------------------


def test_what_is_discarded_while_a_folder_is_kept_that_needs_it_comes_again(folder, monkeypatch):
    first = keep_folder(folder("first", arrays="needed by both", weights="first"))

    def discarded_before():
        monkeypatch.undo()
        discard_folder(first.checksum, first.key)
        return alone()

    monkeypatch.setattr(storage, "alone", discarded_before)  # somebody else comes first
    second = keep_folder(folder("second", arrays="needed by both", weights="second"))
    assert content(second) == {"arrays": "needed by both", "weights": "second"}
    discard_folder(second.checksum, second.key)


def test_what_was_discarded_cannot_be_referred_to(folder):
    kept = keep_folder(folder("a", one="soon gone"))
    with hold(kept):
        pass
    discard_folder(kept.checksum, kept.key)
    with pytest.raises(InputError, match="deleted the same files"), hold(kept):
        pass


@pytest.mark.django_db(transaction=True)
def test_one_discards_while_the_others_wait(folder):
    kept = keep_folder(folder("a", one="waited for"))
    gone = []

    def discard():
        discard_folder(kept.checksum, kept.key)
        gone.append(not default_storage.exists(kept.key))
        connections.close_all()

    other = threading.Thread(target=discard)
    with hold(kept):
        other.start()
        other.join(0.3)
        assert gone == []
        assert default_storage.exists(kept.key)
    other.join()
    assert gone == [True]


def test_a_spoilt_list_keeps_nobody_from_discarding(folder):
    spoilt = keep_folder(folder("spoilt", arrays="in both", own="nobody knows"))
    whole = keep_folder(folder("whole", arrays="in both"))
    files = stored_files(spoilt)
    files[-1].write_bytes(b"{")
    discard_folder(whole.checksum, whole.key)
    assert not default_storage.exists(whole.key)
    assert files[0].exists(), "the spoilt list may have named it"
    discard_folder(spoilt.checksum, spoilt.key)
    assert not files[-1].exists()
    for path in files[:-1]:
        path.unlink()
