"""`--output-format FORMAT=FILE`: a file has the whole report or is as it was before."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.program import Run, own_environment, view
from trialrun.cli.files import write_atomically
from trialrun.errors import UsageError
from trialrun.report.interface import FORMATS

BROKEN = view(cron="0 25 * * *")


@pytest.fixture(autouse=True)
def broken(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)


def failing() -> Iterator[str]:
    yield "half a report"
    raise RuntimeError("the report failed")


def test_a_report_that_fails_leaves_the_old_file_and_nothing_beside_it(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    file = tmp_path / "out" / "report.json"
    file.write_text("old")
    with pytest.raises(RuntimeError):
        write_atomically(str(file), failing())
    assert [(path.name, path.read_text()) for path in (tmp_path / "out").iterdir()] == [("report.json", "old")]


def test_a_new_file_has_the_permissions_of_the_old_one_and_a_link_stays(tmp_path: Path) -> None:
    file, link = tmp_path / "old.json", tmp_path / "latest.json"
    file.write_text("old")
    file.chmod(0o640)
    link.symlink_to(file.name)
    write_atomically(str(link), ["new"])
    assert link.is_symlink()
    assert (file.read_text(), stat.S_IMODE(file.stat().st_mode)) == ("new", 0o640)


def test_a_first_file_has_the_permissions_of_any_new_one(tmp_path: Path) -> None:
    mine, usual = tmp_path / "report.json", tmp_path / "usual.json"
    write_atomically(str(mine), ["new"])
    usual.write_text("new")
    assert mine.stat().st_mode == usual.stat().st_mode


@pytest.mark.parametrize("name", ["r" * 255, "報" * 85, "😀" * 63], ids=["one", "three", "four"])
def test_a_name_as_long_as_names_can_be(tmp_path: Path, name: str) -> None:
    write_atomically(str(tmp_path / name), ["new"])
    assert (tmp_path / name).read_text() == "new"


@pytest.mark.parametrize("file", ["no/such/folder.json", "a-folder", "view.yaml/x.json", "", "nul\0"])
def test_what_cannot_be_written_is_wrong_usage(tmp_path: Path, file: str) -> None:
    (tmp_path / "a-folder").mkdir()
    with pytest.raises(UsageError, match="cannot be written"):
        write_atomically(str(tmp_path / file), ["new"])


@pytest.mark.parametrize(
    ("formats", "says"),
    [
        (["sarif=no/such/folder.sarif"], "folder.sarif cannot be written: there is no such folder; create it first\n"),
        (["sarif=out", "json=./out"], "two formats cannot write to the same file"),
    ],
)
def test_wrong_usage_ends_with_two(run: Run, formats: list[str], says: str) -> None:
    ran = run("check", *(word for name in formats for word in ("--output-format", name)))
    assert (ran.code, says in ran.err) == (2, True)


def test_every_format_at_once(run: Run, tmp_path: Path) -> None:
    outputs = [part for name in FORMATS for part in ("--output-format", f"{name}=out.{name}")]
    assert run("check", *outputs).code == 1
    for name in FORMATS:
        assert "cron-syntax" in (tmp_path / f"out.{name}").read_text()
    assert {path.name for path in tmp_path.iterdir()} == {*(f"out.{name}" for name in FORMATS), "view.yaml"}


@pytest.mark.skipif(not os.path.isdir("/dev/shm"), reason="this system has no /dev/shm")
def test_a_file_in_memory_is_replaced_as_a_whole() -> None:
    with TemporaryDirectory(dir="/dev/shm") as folder:
        file = Path(folder, "report.json")
        file.write_text("old")
        with pytest.raises(RuntimeError):
            write_atomically(str(file), failing())
        assert file.read_text() == "old"


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="this system has no /dev/stdout")
@pytest.mark.parametrize("to", ["> log", "| cat > log"])
def test_standard_output_by_its_path_comes_after_what_is_there(tmp_path: Path, to: str) -> None:
    program = f"{sys.executable} -m trialrun check --output-format concise --output-format json=/dev/stdout"
    subprocess.run(["sh", "-c", f"{program} {to}"], cwd=tmp_path, env=own_environment(tmp_path), check=False)
    concise, _, whole = (tmp_path / "log").read_text().partition("1 error in 1 file\n")
    assert concise.startswith("view.yaml:4:11: error")
    assert json.loads(whole)["summary"]["errors"] == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_written_to_and_stays(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cat", "pipe"], cwd=tmp_path, stdout=subprocess.PIPE) as reader:
        assert run("check", "--output-format", "json=pipe").code == 1
        told, _ = reader.communicate(timeout=60)
    assert json.loads(told)["summary"]["errors"] == 1
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
