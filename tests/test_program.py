"""A run in the process of the tests and one in a process of its own give the same."""

import os
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.program import Run, view

COMMANDS = [
    ["check", "--output-format", "json", "--stdin-filename", "c.yaml", "-"],
    ["check", "--no-such-option"],
    ["schedule", "--at", "2026-11-20T12:00:00Z"],
    ["check"],
    ["check", "--output-format", "json"],
    ["chek"],
    ["check", "missing.yaml"],
    ["--version"],
    ["--help"],
    [],
    ["rules", "--output-format", "json"],
]


@pytest.mark.parametrize("words", first_of(COMMANDS, 4), ids=" ".join)
def test_a_run_gives_what_a_process_gives(run: Run, process: Run, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "a.yaml").write_text(view("a"))
    (tmp_path / "b.yaml").write_text(view("b", cron="0 25 * * *"))
    given = view("c", cron="* *").encode()
    assert run(*words, stdin=given) == process(*words, stdin=given)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_the_encoding_of_the_streams_is_that_of_a_process(
    run: Run, process: Run, tmp_path: Path, encoding: str
) -> None:
    (tmp_path / "a.yaml").write_text(view("caf\N{LATIN SMALL LETTER E WITH ACUTE}", cron="0 25 * * *"), "utf-8")
    words, named = ("schedule", "--at", "2026-11-20T12:00:00Z"), {"PYTHONIOENCODING": encoding}
    assert run(*words, **named) == process(*words, **named)


def test_a_fault_ends_with_the_code_and_the_words_of_a_process(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("trialrun.cli.schema.command.callback", fail)
    ran = run("schema")
    assert ran.code == 3
    assert "ZeroDivisionError" in ran.err
    assert "this is a bug in trialrun" in ran.err


def test_a_run_leaves_the_process_as_it_was(run: Run, tmp_path: Path) -> None:
    before, here = dict(os.environ), Path.cwd()
    run("check", TRIALRUN_EXAMPLE="1")
    assert (dict(os.environ), Path.cwd()) == (before, here)


def test_what_a_process_reads_at_its_start_is_refused(run: Run) -> None:
    with pytest.raises(AssertionError):
        run("check", PYTHONHASHSEED="1")
