"""No name, path or value of a file can command the CI system that shows the log."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.program import Run, view
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls, measure_cells, width

COMMAND = re.compile(r"^\s*::\w|##[\w.-]*\[", re.MULTILINE)
"""What GitHub, Azure Pipelines and TeamCity take for a command."""
WORDS = ("::error::x", "##[error]x", "##vso[task.setvariable variable=A]b", "##teamcity[message]", "\u3000::warning::x")
ESCAPE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("name", ["text", "concise"])
def test_values_names_and_paths(run: Run, tmp_path: Path, words: str, name: str) -> None:
    quoted = json.dumps(f"{'a ' * 36}{words} {words}")
    file = words.replace("/", "") + ".yaml"
    (tmp_path / file).write_text(view(cron=quoted) + f"{quoted}: {quoted}\nlabels: {{{quoted}: {quoted}}}\n")
    for columns in ("30", "80"):
        ran = run("check", "--no-cache", "--output-format", name, COLUMNS=columns)
        assert ran.code == 1
        assert not COMMAND.search(ran.out)
        assert not ESCAPE.search(ran.out)


@pytest.mark.parametrize("words", [*WORDS, "a\r::error::x", "\x1b[31m::error::", "a\n::error::b"])
def test_errors_of_a_command(run: Run, words: str) -> None:
    for arguments in (("check", words), ("explain", words), ("check", "--select", words), ("resolve", words)):
        ran = run(*arguments)
        assert ran.code == 2
        assert not COMMAND.search(ran.err)
        assert not ESCAPE.search(ran.err)


def test_messages_in_json_stay_the_same_for_its_readers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="'CRON_TZ=##[error]x 0 3 * * *'"))
    out = run("check", "--no-cache", "--output-format", "json").out
    assert not COMMAND.search(out)
    assert "##[error]x" in json.dumps(json.loads(out))


def test_workflow_commands_of_the_github_format_are_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    assert run("check", "--output-format", "github").out.startswith("::error file=view.yaml")
    assert run("check", "--output-format", "github=/dev/stdout").out.startswith("::error file=view.yaml")


def test_what_is_broken_up_has_its_own_width() -> None:
    assert escape_controls("a ##[b] ##vso[c] ## [d] # ##") == r"a #\x23[b] #\x23vso[c] ## [d] # ##"
    assert width("##[b]") == len(escape_controls("##[b]"))
    assert measure_cells("##[b]").width == len(escape_controls("##[b]"))
    assert disarm_ci_commands("a::b\n ::error::\n ::: a:1") == "a::b\n \\x3a:error::\n ::: a:1"
