"""Writing a file whole or not at all."""

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.cases import number_of_cases
from tests.program import SOURCE
from trialrun.workspace import write_files as module
from trialrun.workspace.write_files import (
    CHANGED,
    MIN_SHARED_FLUSH,
    FileNotWritten,
    create_files,
    replace_files,
    write_back,
)

OLD, NEW = b"old\n" * 50_000, b"other\n" * 60_000
WRITES = f"""\
import sys
from trialrun.workspace.write_files import write_back
old, new = {OLD[:4]!r} * 50_000, {NEW[:6]!r} * 60_000
while True:
    print(write_back(sys.argv[1], new, instead_of=old), flush=True)
    write_back(sys.argv[1], old, instead_of=new)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "view.yaml"
    path.write_bytes(b"old")
    return path


def left_over(file: Path) -> list[str]:
    return [name for name in os.listdir(file.parent) if name != file.name]


def test_other_bytes_take_the_place_of_those_that_were_read(file: Path) -> None:
    assert write_back(str(file), b"new", instead_of=b"old") == 0
    assert (file.read_bytes(), left_over(file)) == (b"new", [])


def test_a_file_that_has_changed_meanwhile_stays(file: Path) -> None:
    with pytest.raises(FileNotWritten, match=CHANGED):
        write_back(str(file), b"new", instead_of=b"older")
    assert (file.read_bytes(), left_over(file)) == (b"old", [])


def test_a_file_that_has_the_bytes_already_is_content(file: Path) -> None:
    before = file.stat().st_ino
    assert write_back(str(file), b"old", instead_of=b"older") == 0
    assert file.stat().st_ino == before


def test_a_file_that_vanished_is_told(file: Path) -> None:
    file.unlink()
    with pytest.raises(FileNotWritten, match="no such file or directory"):
        write_back(str(file), b"new", instead_of=b"old")
    assert left_over(file) == []


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755])
def test_the_rights_stay(file: Path, mode: int) -> None:
    file.chmod(mode)
    write_back(str(file), b"new", instead_of=b"old")
    assert file.stat().st_mode & 0o7777 == mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_the_owner_stays(file: Path) -> None:
    os.chown(file, 12345, 23456)
    write_back(str(file), b"new", instead_of=b"old")
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 23456)


def test_extended_attributes_stay(file: Path) -> None:
    try:
        os.setxattr(file, "user.team", b"rides")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes on this disk")
    write_back(str(file), b"new", instead_of=b"old")
    assert os.getxattr(file, "user.team") == b"rides"


def test_through_a_link_the_file_is_written(file: Path) -> None:
    (file.parent / "links").mkdir()
    link = file.parent / "links" / "link.yaml"
    link.symlink_to("../view.yaml")
    assert write_back(str(link), b"new", instead_of=b"old") == 0
    assert (link.is_symlink(), file.read_bytes(), os.listdir(link.parent)) == (True, b"new", ["link.yaml"])


def test_another_name_keeps_the_old_bytes_and_is_told(file: Path) -> None:
    other = file.with_name("other.yaml")
    os.link(file, other)
    assert write_back(str(file), b"new", instead_of=b"old") == 1
    assert (file.read_bytes(), other.read_bytes()) == (b"new", b"old")


@pytest.mark.parametrize(
    "name", ["v" * 250 + ".yaml", "景" * 83 + ".yaml", "😀" * 62 + ".yaml"], ids=["one", "three", "four"]
)
def test_a_name_as_long_as_names_can_be(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"old")
    assert write_back(str(tmp_path / name), b"new", instead_of=b"old") == 0
    assert (tmp_path / name).read_bytes() == b"new"


@pytest.fixture
def open_file() -> Iterator[Path]:
    """A file in a folder that everybody may enter, which is not so of the folders of tests."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "view.yaml"
        path.write_bytes(b"old")
        yield path
        path.parent.chmod(0o700)


def written_by_a_person(file: Path) -> str:
    """What comes of writing a file, for somebody else than root, to whom nothing is read-only."""
    code = (
        "import os, sys, tempfile\n"
        "import trialrun.git, trialrun.repository, trialrun.git_process\n"
        "from trialrun.workspace.write_files import FileNotWritten, write_back\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "try: write_back(sys.argv[1], b'new', instead_of=b'old')\n"
        "except FileNotWritten as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_read_only_file_stays(open_file: Path) -> None:
    open_file.parent.chmod(0o777)
    open_file.chmod(0o444)
    assert written_by_a_person(open_file) == "it is read-only\n"
    assert (open_file.read_bytes(), left_over(open_file)) == (b"old", [])


def test_a_folder_that_takes_no_file_is_told(open_file: Path) -> None:
    open_file.chmod(0o666)
    open_file.parent.chmod(0o555)
    assert written_by_a_person(open_file) == "permission denied\n"
    assert (open_file.read_bytes(), left_over(open_file)) == (b"old", [])


def test_a_full_disk_leaves_the_file_and_nothing_else(file: Path) -> None:
    code = (
        "import resource, signal, sys\n"
        "from trialrun.workspace.write_files import FileNotWritten, write_back\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: write_back(sys.argv[1], b'new' * 1000, instead_of=b'old')\n"
        "except FileNotWritten as error: print(error)\n"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "file too large\n"
    assert (file.read_bytes(), left_over(file)) == (b"old", [])


@pytest.mark.generated
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGINT])
def test_a_process_that_ends_at_any_moment_leaves_a_whole_file(tmp_path: Path, ending: signal.Signals) -> None:
    file, moments = tmp_path / "view.yaml", random.Random(1)
    kinds = set()
    for _ in range(number_of_cases(25, 12)):
        file.write_bytes(OLD)
        process = subprocess.Popen(
            [sys.executable, "-c", WRITES, str(file)],
            env={**os.environ, "PYTHONPATH": SOURCE},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout
        process.stdout.readline()
        time.sleep(moments.random() * 0.02)
        process.send_signal(ending)
        process.communicate()
        kinds.add({OLD: "old", NEW: "new"}.get(file.read_bytes(), "half"))
    assert kinds <= {"old", "new"}
    assert all(name.startswith(".view.yaml.") and name.endswith(".tmp") for name in left_over(file))
    assert ending == signal.SIGKILL or left_over(file) == []


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
    with pytest.raises(FileNotWritten):
        create_files(str(folder), FILES, named_in=str(folder))
    assert sorted(folder.rglob("*")) == before
    assert content(folder) == {taken: b"mine"}


@pytest.mark.parametrize("link", ["new", "new/deep", "new/c.yaml"])
def test_no_link_is_followed(folder: Path, link: str) -> None:
    (folder / "target").mkdir()
    (folder / "top" / link).parent.mkdir(parents=True)
    (folder / "top" / link).symlink_to(folder / "target")
    with pytest.raises(FileNotWritten):
        create_files(str(folder / "top"), FILES, named_in=str(folder))
    assert content(folder) == {}


def test_a_file_that_appears_meanwhile_is_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_open = os.open

    def slow_open(name: Any, flags: int, *rest: Any, **place: Any) -> int:
        if str(name).endswith("c.yaml") and flags & os.O_CREAT:
            (folder / "new" / "c.yaml").write_bytes(b"theirs")
        return real_open(name, flags, *rest, **place)

    monkeypatch.setattr(module.os, "open", slow_open)
    with pytest.raises(FileNotWritten, match="it already exists") as error:
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
    with pytest.raises(FileNotWritten, match="no space left on device"):
        create_files(str(folder / "x"), FILES, named_in=str(folder))
    assert list(folder.iterdir()) == []
