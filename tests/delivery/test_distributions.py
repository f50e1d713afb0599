"""The archives that would be uploaded: built as a packager builds them, and accepted by the index's own check."""

import re
import sys
from email import message_from_string
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.delivery.other_tools import ROOT, command


@pytest.fixture(scope="module")
def archives(clone: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The source archive, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("dist")
    words = (sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, clone)
    done = command(*words, cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(folder.iterdir())


def test_there_are_a_source_archive_and_a_wheel(archives: list[Path]) -> None:
    assert sorted(file.suffix for file in archives) == [".gz", ".whl"]


def test_the_index_accepts_them(archives: list[Path]) -> None:
    done = command(sys.executable, "-m", "twine", "check", "--strict", *archives, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED") == 2


def test_the_wheel_says_what_it_is(archives: list[Path]) -> None:
    with ZipFile(next(file for file in archives if file.suffix == ".whl")) as content:
        (metadata,) = (name for name in content.namelist() if name.endswith(".dist-info/METADATA"))
        fields = message_from_string(content.read(metadata).decode())
        names = set(content.namelist())
    assert fields["License-Expression"] == "Apache-2.0"
    assert "Typing :: Typed" in fields.get_all("Classifier", [])
    assert {"trialrun/py.typed", "trialrun/_docs/scenarios.md", "trialrun/_docs/rules.md"} <= names
    assert "trialrun/templates/workspace/views/data/menu_taste.csv" in names
    for file in ("LICENSE", "NOTICE"):
        assert any(name.endswith(f".dist-info/licenses/{file}") for name in names)


def test_the_notice_names_the_data_of_others() -> None:
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8").partition("-----")[0]
    named = set(re.findall(r"src/[\w/.]*\w", notice))
    assert [path for path in named if not (ROOT / path).exists()] == []
    data = [path for path in (ROOT / "src").rglob("*") if path.suffix in (".txt", ".binpb", ".tsv", ".dat")]
    assert data
    assert [path for path in data if not {path, path.parent} & {ROOT / name for name in named}] == []
