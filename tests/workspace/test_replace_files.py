"""Several files written together: each has its old or its new text, and no temporary file stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from trialrun.workspace.write_files import MIN_SHARED_FLUSH, replace_files


@pytest.mark.parametrize("number", [1, MIN_SHARED_FLUSH, 450])
def test_all_files_are_written(tmp_path: Path, number: int) -> None:
    contents = [(str(tmp_path / f"{index}.yaml"), b"%d" % index) for index in range(number)]
    assert replace_files(contents, lambda _: True) == set()
    assert sorted(os.listdir(tmp_path)) == sorted(os.path.basename(path) for path, _ in contents)
    assert all(Path(path).read_bytes() == data for path, data in contents)


def test_a_file_keeps_its_permissions(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("old")
    file.chmod(0o640)
    replace_files([(str(file), b"new")], lambda _: True)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)


def test_after_an_error_the_others_are_as_before_or_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [str(tmp_path / f"{index}.yaml") for index in range(3)]
    for path in paths:
        Path(path).write_bytes(b"old")
    replace = os.replace

    def failing(source: str, target: str) -> None:
        if target == paths[1]:
            raise OSError("full")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="full"):
        replace_files([(path, b"new") for path in paths], lambda _: True)
    assert [Path(path).read_bytes() for path in paths] == [b"new", b"old", b"old"]
    assert len(os.listdir(tmp_path)) == 3


def test_a_file_that_was_changed_meanwhile_stays(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{index}.yaml") for index in range(3)]
    for path in paths:
        Path(path).write_bytes(b"old")
    assert replace_files([(path, b"new") for path in paths], lambda path: path != paths[1]) == {paths[1]}
    assert [Path(path).read_bytes() for path in paths] == [b"new", b"old", b"new"]
    assert len(os.listdir(tmp_path)) == 3
