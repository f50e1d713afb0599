"""New files: all or none, never over what is there, never through a link, also if something changes meanwhile."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from trialrun.workspace import write_files as module
from trialrun.workspace.write_files import FilesNotCreated, create_files

FILES = {"a.yaml": b"a", "new/deep/b.yaml": b"b", "new/c.yaml": b"c"}


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(params=[True, False], ids=["descriptors", "paths"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder; systems without descriptors of folders are tried too."""
    monkeypatch.setattr(module, "HAS_FOLDER_DESCRIPTORS", module.HAS_FOLDER_DESCRIPTORS and request.param)
    return tmp_path


def test_files_and_folders_are_created(folder: Path) -> None:
    create_files(str(folder / "x" / "y"), FILES, named_in=str(folder))
    assert content(folder / "x" / "y") == FILES


@pytest.mark.parametrize("taken", ["a.yaml", "new/deep/b.yaml", "new/c.yaml", "new"])
def test_nothing_is_overwritten_and_nothing_left(folder: Path, taken: str) -> None:
    (folder / taken).parent.mkdir(parents=True, exist_ok=True)
    (folder / taken).write_bytes(b"mine")
    before = sorted(folder.rglob("*"))
    with pytest.raises(FilesNotCreated):
        create_files(str(folder), FILES, named_in=str(folder))
    assert sorted(folder.rglob("*")) == before
    assert content(folder) == {taken: b"mine"}


@pytest.mark.parametrize("link", ["new", "new/deep", "new/c.yaml"])
def test_no_link_is_followed(folder: Path, link: str) -> None:
    (folder / "target").mkdir()
    (folder / "top" / link).parent.mkdir(parents=True)
    (folder / "top" / link).symlink_to(folder / "target")
    with pytest.raises(FilesNotCreated):
        create_files(str(folder / "top"), FILES, named_in=str(folder))
    assert content(folder) == {}


def test_a_file_that_appears_meanwhile_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_open = os.open

    def slow_open(name: Any, flags: int, *rest: Any, **place: Any) -> int:
        if str(name).endswith("c.yaml") and flags & os.O_CREAT:
            (folder / "new" / "c.yaml").write_bytes(b"theirs")
        return real_open(name, flags, *rest, **place)

    monkeypatch.setattr(module.os, "open", slow_open)
    with pytest.raises(FilesNotCreated, match="it already exists") as error:
        create_files(str(folder), FILES, named_in=str(folder))
    assert error.value.path == "new/c.yaml"
    assert content(folder) == {"new/c.yaml": b"theirs"}


def test_a_full_disk_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_open = os.open

    def full(name: Any, flags: int, *rest: Any, **place: Any) -> int:
        if str(name).endswith("b.yaml"):
            raise OSError(errno.ENOSPC, "No space left on device")
        return real_open(name, flags, *rest, **place)

    monkeypatch.setattr(module.os, "open", full)
    with pytest.raises(FilesNotCreated, match="no space left on device"):
        create_files(str(folder / "x"), FILES, named_in=str(folder))
    assert list(folder.iterdir()) == []
