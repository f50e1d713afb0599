"""Formats by name, colours by wish and environment, and what importing a report costs."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest

from tests.cases import each_of
from tests.report.report_fixture import diagnostic, run
from trialrun.diagnostic import Diagnostic, ResolvedFix, Severity
from trialrun.report.color import use_color
from trialrun.report.interface import FORMATS, UnknownFormat, load_report
from trialrun.report.summary import statistics


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@each_of([*FORMATS])
def test_every_format_writes_a_run_without_findings(name: str) -> None:
    assert "".join(load_report(name)(run({"a.yaml": ""}), color=False, width=60)).endswith("\n")


def test_an_unknown_format_is_refused_with_the_names() -> None:
    with pytest.raises(
        UnknownFormat, match='there is no output format "xml"; choose one of text, concise, json, sarif'
    ):
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
        (CLEAN, {*HEAVY, "trialrun.report.text_finding", "trialrun.report.code_frame", "trialrun.report.json"}),
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
