"""What programs read is the same to the byte whatever surrounds a run; what people read goes by the terminal alone."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.cases import pairs_of
from tests.program import SOURCE, run_here
from trialrun.report.interface import FOR_PEOPLE, FORMATS

BRAND = Path(SOURCE).parent / "fixtures" / "workspaces" / "burger-brand"
VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v
labels: {naïve日本🍔: "ÿ Ω i İ ##[error]x"}
syncConfig: {cron: "CRON_TZ=Euröpe/日本 0 25 * * *"}
warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
"""
CHECKS = [f"check --no-cache --output-format {name}" for name in FORMATS if name not in FOR_PEOPLE]
OTHERS = [
    "resolve austin-lamar --output-format json",
    "session austin-lamar --script - --output-format json",
    "schedule --output-format json",
    "explore austin-lamar --sessions 20 --output-format json",
    "rules --output-format json",
    "schema ChannelConfig",
]
SURROUNDINGS = (
    {"PYTHONOPTIMIZE": "2", "PYTHONIOENCODING": "cp1252", "TZ": "Asia/Tokyo", "COLUMNS": "30", "PYTHONHASHSEED": "7"},
    {"PYTHONUTF8": "0", "LC_ALL": "C", "TERM": "dumb"},
    {"PYTHONUTF8": "1", "LC_ALL": "tr_TR.UTF-8", "NO_COLOR": "1", "HOME": "/proc", "XDG_CACHE_HOME": ""},
    {"LC_ALL": "tr_TR", "PYTHONUTF8": "0", "PYTHONIOENCODING": "utf-16", "FORCE_COLOR": "1", "PYTHONHASHSEED": "0"},
)
TIMED = ("check", "resolve", "session", "schedule", "explore")
OWN = {"PATH": os.environ["PATH"], "PYTHONPATH": SOURCE, "PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8"}


def words_of(line: str) -> list[str]:
    """The words of a command, at a fixed time where it has one."""
    words = line.split()
    return [*words, "--at", "2026-11-20T12:00:00Z"] if words[0] in TIMED else words


def printed(folder: Path, line: str, **surroundings: str) -> bytes:
    words = [sys.executable, "-m", "trialrun", *words_of(line)]
    done = subprocess.run(
        words, cwd=folder, env={**OWN, **surroundings}, capture_output=True, stdin=subprocess.DEVNULL, timeout=120
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@cache
def plainly_printed(folder: Path, line: str) -> bytes:
    """The output in the process of the tests, which has surroundings of its own."""
    ran = run_here(tuple(words_of(line)), folder, OWN)
    assert ran.code in (0, 1), ran.err
    return ran.out.encode()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with names and values from many scripts."""
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "naïve 日本.yaml").write_text(VIEW, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def brand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(BRAND, tmp_path_factory.mktemp("brand") / "brand"))


@pytest.mark.parametrize(("line", "number"), pairs_of(CHECKS, range(len(SURROUNDINGS)), 2))
def test_reports_for_programs(hostile: Path, line: str, number: int) -> None:
    found = printed(hostile, line, **SURROUNDINGS[number])
    assert found == plainly_printed(hostile, line)
    assert "日本" in found.decode("utf-8")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("line", "number"), pairs_of(OTHERS, range(len(SURROUNDINGS)), 2))
def test_json_of_other_commands(brand: Path, line: str, number: int) -> None:
    assert printed(brand, line, **SURROUNDINGS[number]) == plainly_printed(brand, line)


FOR_READERS = ["check --no-cache", "check --no-cache --output-format concise", "explain cron-dst"]
WITH_THE_SAME_TEXT = (
    {"PYTHONOPTIMIZE": "2", "PYTHONUTF8": "1", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7", "TERM": "dumb"},
    {"LC_ALL": "tr_TR.UTF-8", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1", "HOME": "/proc", "XDG_CACHE_HOME": ""},
)


@pytest.mark.parametrize(("line", "number"), pairs_of(FOR_READERS, range(len(WITH_THE_SAME_TEXT)), 1))
def test_text(hostile: Path, line: str, number: int) -> None:
    assert printed(hostile, line, **WITH_THE_SAME_TEXT[number]) == plainly_printed(hostile, line)


def test_text_goes_by_the_width_and_the_encoding_of_the_terminal(hostile: Path) -> None:
    assert printed(hostile, "check --no-cache", COLUMNS="30") != plainly_printed(hostile, "check --no-cache")
    assert "Eur\xf6pe".encode("cp1252") in printed(hostile, "check --no-cache", PYTHONIOENCODING="cp1252")


def test_a_file_gets_utf_8_too(hostile: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    printed(hostile, f"check --no-cache --output-format json={file}", PYTHONIOENCODING="cp1252", LC_ALL="C")
    assert file.read_bytes() == plainly_printed(hostile, "check --no-cache --output-format json")
    through = "check --no-cache --output-format json=/dev/stdout"
    assert printed(hostile, through, PYTHONIOENCODING="cp1252") == file.read_bytes()
