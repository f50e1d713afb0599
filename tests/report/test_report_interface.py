"""How reports are found, and the parts that they share: coverage and diffs."""

import io
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases import each_of, number_of_cases
from tests.report.runs import diagnostic, run
from trialrun.diagnostic import Diagnostic, ResolvedFix, Severity
from trialrun.outputs.test_report import Aspect, Uncovered, format_coverage
from trialrun.report.code_frame import TextOutput
from trialrun.report.color import painter, use_color
from trialrun.report.diff import unified_diff
from trialrun.report.interface import FORMATS, load_report
from trialrun.report.summary import statistics


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@each_of([*FORMATS])
def test_every_format_writes_a_run_without_findings(name: str) -> None:
    assert "".join(load_report(name)(run({"a.yaml": ""}), color=False, width=60)).endswith("\n")


def test_an_unknown_format_is_refused_with_the_names() -> None:
    with pytest.raises(LookupError, match='there is no output format "xml"; choose one of text, concise, json, sarif'):
        load_report("xml")


@each_of(
    [
        ("auto", Terminal(), {}, True),
        ("auto", Terminal(), {"TERM": "dumb"}, False),
        ("auto", Terminal(), {"NO_COLOR": "1"}, False),
        ("auto", Terminal(), {"NO_COLOR": ""}, True),
        ("auto", Terminal(), {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ("auto", io.StringIO(), {}, False),
        ("auto", io.StringIO(), {"FORCE_COLOR": "1"}, True),
        ("auto", io.StringIO(), {"FORCE_COLOR": ""}, False),
        ("auto", io.StringIO(), {"FORCE_COLOR": "0"}, False),
        ("auto", io.StringIO(), {"CLICOLOR_FORCE": "1"}, True),
        ("auto", io.StringIO(), {"CLICOLOR_FORCE": "0"}, False),
        ("auto", io.StringIO(), {"FORCE_COLOR": "1", "TERM": "dumb"}, True),
        ("always", io.StringIO(), {"NO_COLOR": "1"}, True),
        ("never", Terminal(), {"FORCE_COLOR": "1"}, False),
    ]
)
def test_whether_colours_are_sent(color: str, stream: io.StringIO, environ: dict[str, str], expected: bool) -> None:
    assert use_color(color, stream, environ) is expected


CLEAN = """
import sys
from trialrun.report.interface import Run, Summary, load_report
"".join(load_report("text")(Run((), {}.get, Summary(), "0")))
"""
FOUND = """
import sys
from trialrun.diagnostic import Diagnostic, Position, Range, Severity
from trialrun.report.interface import Run, Summary, load_report
from trialrun.text import Source
found = Diagnostic("r", Severity.ERROR, "m", "a.yaml", Range(Position(1, 1), Position(1, 2)))
"".join(load_report("text")(Run((found,), lambda path: Source(path, "a: 1"), Summary(), "0")))
"""
HEAVY = {"json", "click", "pydantic", "yaml", "shutil", "logging", "textwrap"}


@pytest.mark.parametrize(
    ("program", "left_out"),
    [
        ("import sys, trialrun.report.interface", {*HEAVY, "unicodedata", "trialrun.report.text"}),
        (CLEAN, {*HEAVY, "trialrun.report.code_frame", "trialrun.report.json"}),
        (FOUND, HEAVY),
    ],
)
def test_a_report_imports_little(program: str, left_out: set[str]) -> None:
    program += f"\nprint(*sorted(set(sys.modules) & {left_out!r}))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "\n"


def found(rule: str, severity: Severity = Severity.ERROR, fix: ResolvedFix | None = None) -> Diagnostic:
    return diagnostic({"a.yaml": "a: «1»\n"}, "wrong", rule=rule, severity=severity, fix=fix)


def test_statistics_count_every_rule() -> None:
    mend = ResolvedFix("mend", True, ())
    often = [found("non-canonical-form", Severity.WARNING, mend)] * 12
    findings = [found("cron-dst", Severity.WARNING), *often, found("too-long")]
    assert "".join(statistics(run({"a.yaml": ""}, *findings))).splitlines() == [
        "count  severity  rule                fixable",
        "   12  warning   non-canonical-form       12",
        "    1  error     too-long                  -",
        "    1  warning   cron-dst                  -",
        "",
        "1 error, 13 warnings in 1 file (12 fixable with --fix)",
    ]


def test_statistics_of_nothing_are_the_summary() -> None:
    assert "".join(statistics(run({"a.yaml": ""}))) == "1 file checked, nothing found\n"


def test_a_name_that_is_too_long_goes_on_in_further_lines() -> None:
    name = "a long enough name of my view which is too long"
    aspect = Aspect("views", "views synced", 2, 1, [Uncovered(name, "a.yaml", 3)])
    assert list(format_coverage([aspect], TextOutput(lambda path: None, 20, lambda text, style: text))) == [
        "",
        "1 of 2 views synced",
        "  a long enough name",
        "    of my view which",
        "    is too long",
        "    a.yaml:3",
    ]


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
