"""GitHub's workflow commands, read back as the runner reads them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.cases import each_of
from tests.report.hostile import ODD_TEXT, PATHS, RUNS, found, place, run_of
from trialrun.diagnostic import Diagnostic, RelatedLocation, Severity
from trialrun.report.github import report
from trialrun.report.interface import Run
from trialrun.report.terminal_width import escape_controls

COMMAND = re.compile(r"::(\w+) ([^:]*)::(.*)")


def unescaped(text: str, signs: dict[str, str]) -> str:
    return re.sub("%(..)", lambda match: signs[match[1]], text)


def read(line: str) -> tuple[str, dict[str, str], str]:
    """A command as the runner takes it: up to the second `::`, properties between commas, then the message."""
    match = COMMAND.fullmatch(line)
    assert match is not None, line
    message = {"25": "%", "0D": "\r", "0A": "\n"}
    properties = dict(pair.split("=", 1) for pair in match[2].split(","))
    plain = {name: unescaped(value, {**message, "3A": ":", "2C": ","}) for name, value in properties.items()}
    return match[1], plain, unescaped(match[3], message)


def commands(run: Run) -> list[tuple[str, dict[str, str], str]]:
    *lines, _ = "".join(report(run)).split("\n")[:-1]
    return [read(line) for line in lines]


def bare(*arguments: object, **more: object) -> Diagnostic:
    return replace(found(*arguments, **more), related=(), fix=None)  # type: ignore[arg-type]


def test_a_command_and_the_summary() -> None:
    assert "".join(report(run_of(bare()))).split("\n") == [
        "::error file=views/a.yaml,line=1,endLine=1,col=7,endColumn=10,title=some-rule"
        "::views/a.yaml:1:7: some-rule it is wrong",
        "1 error in 1 of 2 files",
        "",
    ]


@pytest.mark.parametrize(
    ("severity", "command"), [(Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.NOTE, "notice")]
)
def test_a_severity_is_a_command(severity: Severity, command: str) -> None:
    assert commands(run_of(bare(severity=severity)))[0][0] == command


def test_no_columns_where_a_range_has_several_lines() -> None:
    _, properties, _ = commands(run_of(bare(where=place(1, 11, 2, 5))))[0]
    assert properties == {"file": "views/a.yaml", "line": "1", "endLine": "2", "title": "some-rule"}


@each_of(PATHS)
def test_any_path_is_read_back(path: str) -> None:
    _, properties, _ = commands(run_of(bare(path)))[0]
    assert properties["file"] == escape_controls(path).removeprefix("./")


def test_any_message_is_read_back_and_stays_one_line() -> None:
    _, _, message = commands(run_of(bare(message=ODD_TEXT)))[0]
    assert message == f"views/a.yaml:1:7: some-rule {escape_controls(ODD_TEXT)}"


def test_related_places_and_help_are_further_lines() -> None:
    related = (RelatedLocation("taken here", "b.yaml", place(2, 3, 2, 4)),)
    _, _, message = commands(run_of(replace(bare(help="leave it\nout"), related=related)))[0]
    assert message.split("\n")[1:] == ["b.yaml:2:3: taken here", "leave it", "out"]


@each_of(
    [
        (10, 9, None),
        (11, 0, "GitHub shows 10 of 11 errors; the log of this step lists all"),
        (0, 10, None),
        (0, 11, "GitHub shows 9 of 11 notes; the log of this step lists all"),
        (12, 12, "GitHub shows 10 of 12 errors; GitHub shows 9 of 12 notes; the log of this step lists all"),
    ]
)
def test_what_goes_beyond_the_display_is_told_first(errors: int, notes: int, says: str | None) -> None:
    findings = [bare(f"{number}.yaml") for number in range(errors)]
    findings += [bare(f"{number}.yaml", severity=Severity.NOTE) for number in range(notes)]
    told = commands(run_of(*findings))
    assert len(told) == errors + notes + (says is not None)
    if says:
        assert told[0] == ("notice", {"title": "trialrun"}, says)


def test_every_line_of_an_odd_run_is_a_command() -> None:
    assert [len(commands(RUNS[name])) for name in ("odd paths", "odd texts")] == [len(PATHS) + 1, 1]
