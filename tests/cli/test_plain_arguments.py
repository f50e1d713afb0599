"""Plain command lines of `check`, read without click: as click reads them, or not at all."""

import errno
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from trialrun.cli import check as run_check
from trialrun.cli.check import CHECK_OPTIONS
from trialrun.cli.main import main
from trialrun.cli.options import plain_arguments
from trialrun.cli.program import check as command
from trialrun.cli.program import run_program
from trialrun.errors import UsageError

VALID = Path(__file__).parent.parent.parent / "fixtures" / "valid"
NAMES = [option.name for option in CHECK_OPTIONS]
VALUES = ["a.yaml", "channels/", "-", "error", "note", "text", "json=out.json", "3", "007", "-1", "x1", "9" * 10, ""]
OTHERS = [
    "--",
    "-h",
    "--help",
    "--sel",
    "--fix=",
    "--fix=1",
    "-j",
    "--no-cache=true",
    "--color=red",
    "--wrong",
    "=",
    "--=",
]
WORDS = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(VALUES),
    st.sampled_from([f"{name}={value}" for name in NAMES for value in VALUES]),
    st.sampled_from(OTHERS),
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=4),
)
PLAIN = (
    [],
    ["a.yaml", "b/"],
    ["-", "--stdin-filename", "a.yaml"],
    ["--no-cache", "--isolated", "a.yaml"],
    ["--output-format", "json", "--output-format=sarif=out.sarif", "--force"],
    ["--jobs", "2", "--jobs=0", "--color", "never", "--fail-on=warning"],
    ["--fix", "--unsafe-fixes", "--diff", "--statistics", "--select=a,b", "--ignore", "c"],
    ["--discovered", "a.yaml"],
)
LEFT_TO_CLICK = (
    ["--help"],
    ["--", "a.yaml"],
    ["--jobs", "-1"],
    ["--jobs", "two"],
    ["--color", "red"],
    ["--select"],
    ["--select", "--fix"],
    ["--fix=1"],
    ["--allow-path", "."],
    ["-x"],
    [""],
)


def read_by_click(arguments: list[str]) -> tuple[tuple[str, ...], dict[str, Any]] | str:
    """The paths and options as click gives them to the command, or what it says."""
    try:
        values = command.make_context("check", list(arguments)).params
    except (click.ClickException, click.exceptions.Exit, UsageError) as error:
        return str(error)
    return values.pop("paths"), values


def typed(read: Any) -> Any:
    """What was read with the types of values, so that 0 is not False."""
    return read if isinstance(read, str) else (read[0], {name: repr(value) for name, value in read[1].items()})


@settings(max_examples=number_of_cases(1500), deadline=None)
@given(arguments=st.lists(WORDS, max_size=5))
@example(arguments=["--since", "-"])
@example(arguments=["a=b", "--at="])
def test_what_is_read_is_read_as_click_reads_it(arguments: list[str]) -> None:
    plain = plain_arguments(arguments, CHECK_OPTIONS)
    assert plain is None or typed(plain) == typed(read_by_click(arguments))


@pytest.mark.parametrize("arguments", PLAIN, ids=" ".join)
def test_common_command_lines_are_read(arguments: list[str]) -> None:
    plain = plain_arguments(arguments, CHECK_OPTIONS)
    assert plain is not None
    assert typed(plain) == typed(read_by_click(arguments))


@pytest.mark.parametrize("arguments", LEFT_TO_CLICK, ids=" ".join)
def test_others_are_left_to_click(arguments: list[str]) -> None:
    assert plain_arguments(arguments, CHECK_OPTIONS) is None


def test_a_shell_that_completes_words_is_answered_by_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TRIALRUN_COMPLETE", "bash_complete")
    assert plain_arguments(["a.yaml"], CHECK_OPTIONS) is None


def test_a_discovered_file_that_looks_like_an_option_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "--fix").write_text("")
    assert main(["check", "--discovered", "--fix"]) == 2
    assert '"--fix" is a file that looks like an option' in capsys.readouterr().err


MANY_OPTIONS = ("--no-cache", "--isolated", "--jobs=1", "--output-format=concise", "--statistics")
LINES = (
    ["view-names.yaml"],
    ["view-names.yaml", "--no-cache", "--isolated", "--output-format", "json"],
    ["../invalid/feature-view-cron.yaml", *MANY_OPTIONS],
    pytest.param(["../invalid", *MANY_OPTIONS], marks=pytest.mark.exhaustive),
    ["missing.yaml"],
    ["--since", "no-such-revision", "."],
    ["--output-format=nothing"],
    ["--at", "yesterday", "view-names.yaml"],
    ["--show-files", "view-names.yaml"],
    ["--select", "no-such-rule", "view-names.yaml"],
    ["-"],
)


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_a_command_ends_as_it_does_by_click(
    line: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(VALID)
    assert plain_arguments(line, CHECK_OPTIONS) is not None
    plain = main(["check", *line]), *capsys.readouterr()
    monkeypatch.setattr("trialrun.cli.options.plain_arguments", lambda *_: None)
    assert (main(["check", *line]), *capsys.readouterr()) == plain


@pytest.mark.parametrize("error", [KeyboardInterrupt(), EOFError(), OSError(errno.EPIPE, "gone"), OSError(5, "broken")])
def test_an_interrupted_command_ends_as_it_does_by_click(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> int:
        raise error

    def outcome() -> tuple[object, ...]:
        try:
            code: object = main(["check"])
        except SystemExit as ended:
            code = f"exit {ended.code}"
        out, err = capsys.readouterr()
        return code, out, err.splitlines()[-1:], err.startswith("\n")

    monkeypatch.setattr(run_check, "run_check", fail)
    monkeypatch.setattr("trialrun.cli.program.run_check", fail)
    plain = outcome()
    monkeypatch.setattr("trialrun.cli.options.plain_arguments", lambda *_: None)
    assert outcome() == plain


def test_the_program_has_the_same_options() -> None:
    context = click.Context(command, info_name="check")
    assert [option.opts[0] for option in command.get_params(context)[1:-1]] == NAMES
    assert run_program(["check", "--help"]) == 0
    assert "click" in sys.modules
