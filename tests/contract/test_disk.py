"""One suite for every disk: a real folder and the forgetful stand-in keep the same promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from felt.drivers.disk import FolderDisk
from felt.ports import Disk, DiskError
from felt.virtual.disk import ForgetfulDisk


@pytest.fixture(params=["folder", "forgetful"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Disk]:
    made: Disk = FolderDisk(tmp_path / "journal") if request.param == "folder" else ForgetfulDisk()
    yield made
    made.close()


def test_a_new_disk_has_no_files(disk: Disk) -> None:
    assert disk.names() == ()


def test_an_append_creates_the_file_and_is_read_at_once(disk: Disk) -> None:
    disk.append("a", b"one")
    assert disk.names() == ("a",)
    assert disk.read("a") == b"one"


def test_appends_follow_each_other_across_syncs(disk: Disk) -> None:
    disk.append("a", b"one ")
    disk.sync("a")
    disk.append("a", b"two")
    disk.sync("a")
    assert disk.read("a") == b"one two"


def test_an_empty_append_creates_an_empty_file(disk: Disk) -> None:
    disk.append("a", b"")
    disk.sync("a")
    assert disk.read("a") == b""


def test_every_byte_value_comes_back(disk: Disk) -> None:
    everything = bytes(range(256)) * 1000
    disk.append("a", everything)
    assert disk.read("a") == everything


def test_names_are_sorted(disk: Disk) -> None:
    for name in ("c", "a", "b"):
        disk.append(name, b"x")
    assert disk.names() == ("a", "b", "c")


def test_many_files_are_appended_in_turn(disk: Disk) -> None:
    for text in (b"1", b"2", b"3"):
        for name in ("a", "b", "c"):
            disk.append(name, text)
            disk.sync(name)
    assert [disk.read(name) for name in disk.names()] == [b"123"] * 3


def test_a_truncated_file_is_appended_at_its_new_end(disk: Disk) -> None:
    disk.append("a", b"one two")
    disk.truncate("a", 4)
    disk.append("a", b"three")
    assert disk.read("a") == b"one three"


def test_a_file_is_not_truncated_to_more_than_it_has(disk: Disk) -> None:
    disk.append("a", b"one")
    with pytest.raises(ValueError, match="cannot be cut to 4"):
        disk.truncate("a", 4)
    assert disk.read("a") == b"one"


def test_a_replaced_file_is_appended_after_its_new_content(disk: Disk) -> None:
    disk.append("a", b"a long old content")
    disk.replace("a", b"new")
    disk.append("a", b" more")
    disk.sync("a")
    assert disk.read("a") == b"new more"


def test_replace_creates_a_file_that_is_not_there(disk: Disk) -> None:
    disk.replace("a", b"new")
    assert (disk.names(), disk.read("a")) == (("a",), b"new")


def test_a_removed_file_is_gone_and_a_new_one_begins_empty(disk: Disk) -> None:
    disk.append("a", b"old")
    disk.sync("a")
    disk.remove("a")
    assert disk.names() == ()
    disk.append("a", b"new")
    assert disk.read("a") == b"new"


@pytest.mark.parametrize("call", ["read", "sync", "remove"])
def test_reading_a_missing_file_is_refused_with_its_name(disk: Disk, call: str) -> None:
    with pytest.raises(DiskError, match=r"missing\.felt"):
        getattr(disk, call)("missing.felt")
    assert disk.names() == ()


def test_truncating_a_missing_file_does_not_create_it(disk: Disk) -> None:
    with pytest.raises(DiskError, match="missing"):
        disk.truncate("missing", 0)
    assert disk.names() == ()


@pytest.mark.parametrize("name", ["", "../a", "a/b", ".hidden"])
def test_a_name_that_leaves_the_folder_or_hides_is_refused(disk: Disk, name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name"):
        disk.append(name, b"x")
    with pytest.raises(ValueError, match="cannot be the name"):
        disk.replace(name, b"x")


def test_free_space_is_reported(disk: Disk) -> None:
    assert disk.free_bytes() > 0
