"""The unified diff: what it looks like, and that git and patch take it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from trialrun.report.color import painter
from trialrun.report.diff import unified_diff

PLAIN = painter(color=False)


def unified(before: str, after: str, path: str = "a.yaml") -> str:
    return "".join(unified_diff(path, before, after, paint=PLAIN))


def test_what_stays_has_no_diff() -> None:
    assert unified("a\n", "a\n") == ""


def test_lines_with_what_stands_around_them() -> None:
    before = "".join(f"line {number}\n" for number in range(1, 10))
    assert unified(before, before.replace("line 5\n", "line five\n")) == (
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n"
        " line 7\n line 8\n"
    )


def test_a_file_without_a_line_break_at_its_end() -> None:
    assert unified("a\nb", "a") == (
        "--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1 @@\n-a\n-b\n\\ No newline at end of file\n"
        "+a\n\\ No newline at end of file\n"
    )


def test_a_file_without_a_line() -> None:
    assert unified("", "a\n").endswith("\n@@ -0,0 +1 @@\n+a\n")


def test_names_are_written_as_git_does() -> None:
    assert unified("a\n", "b\n", "of two words.yaml").startswith(
        "--- a/of two words.yaml\t\n+++ b/of two words.yaml\t\n"
    )
    assert unified("a\n", "b\n", 'a"b\x1b.yaml').startswith('--- "a/a\\"b\\033.yaml"\n')


def test_colours_are_around_the_lines_and_not_their_breaks() -> None:
    lines = list(unified_diff("a.yaml", "a\n", "b\n", paint=painter(color=True)))
    assert lines[2:] == ["\x1b[36m@@ -1 +1 @@\x1b[0m\n", "\x1b[31m-a\x1b[0m\n", "\x1b[32m+b\x1b[0m\n"]


LINES = st.lists(
    st.sampled_from(["a", "b: 1", "", "é", "x\r", "\r", "\x85", "- c", "\ufeffk", "@@", "--- a"]), max_size=9
)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))
PATHS = st.sampled_from(["a.yaml", "with blanks.yaml", "deep/er/ü.json", 'quo"te.yaml', "ta\tb.yaml", "b\\s.yaml"])


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


@pytest.mark.parametrize(
    "command", [["git", "apply", "--whitespace=nowarn"], ["patch", "-p1", "--binary", "-s"]], ids=" ".join
)
@settings(max_examples=number_of_cases(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=TEXTS, after=TEXTS, path=PATHS)
def test_it_is_applied(repository: Path, command: tuple[str, ...], before: str, after: str, path: str) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"needs {command[0]}; run .ci/package {command[0]} {command[0]}")
    made = unified(before, after, path)
    if not made or not before or not after:
        return
    file = repository / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(before.encode())
    done = subprocess.run(command, cwd=repository, input=made.encode(), capture_output=True, check=False)
    assert done.returncode == 0, (made, done.stderr, done.stdout)
    assert file.read_bytes() == after.encode()
