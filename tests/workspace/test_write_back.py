"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.cases import number_of_cases
from tests.program import SOURCE
from trialrun.workspace.write_files import CHANGED, FileNotWritten, FileWritten, write_back

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
    assert write_back(str(file), b"new", instead_of=b"old") == FileWritten()
    assert (file.read_bytes(), left_over(file)) == (b"new", [])


def test_a_file_that_has_changed_meanwhile_stays(file: Path) -> None:
    assert write_back(str(file), b"new", instead_of=b"older") == FileNotWritten(CHANGED)
    assert (file.read_bytes(), left_over(file)) == (b"old", [])


def test_a_file_that_has_the_bytes_already_is_content(file: Path) -> None:
    before = file.stat().st_ino
    assert write_back(str(file), b"old", instead_of=b"older") == FileWritten()
    assert file.stat().st_ino == before


def test_a_file_that_vanished_is_told(file: Path) -> None:
    file.unlink()
    assert write_back(str(file), b"new", instead_of=b"old") == FileNotWritten("no such file or directory")
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
    assert write_back(str(link), b"new", instead_of=b"old") == FileWritten()
    assert (link.is_symlink(), file.read_bytes(), os.listdir(link.parent)) == (True, b"new", ["link.yaml"])


def test_another_name_keeps_the_old_bytes_and_is_told(file: Path) -> None:
    other = file.with_name("other.yaml")
    os.link(file, other)
    assert write_back(str(file), b"new", instead_of=b"old") == FileWritten(links=1)
    assert (file.read_bytes(), other.read_bytes()) == (b"new", b"old")


@pytest.mark.parametrize(
    "name", ["v" * 250 + ".yaml", "景" * 83 + ".yaml", "😀" * 62 + ".yaml"], ids=["one", "three", "four"]
)
def test_a_name_as_long_as_names_can_be(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"old")
    assert write_back(str(tmp_path / name), b"new", instead_of=b"old") == FileWritten()
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
        "from trialrun.workspace.write_files import write_back\n"
        "if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)\n"
        "print(write_back(sys.argv[1], b'new', instead_of=b'old').reason)\n"
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
        "from trialrun.workspace.write_files import write_back\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "print(write_back(sys.argv[1], b'new' * 1000, instead_of=b'old').reason)\n"
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
