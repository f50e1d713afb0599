"""What is wrong with a command line: one line on standard error, in the voice of all messages, and exit code 2."""

from __future__ import annotations

import re

import pytest

from tests.program import Run

REFUSED = {
    "chekc": 'there is no command "chekc"; did you mean "check"?',
    "rules tset": 'there is no command "tset"; did you mean "test"?',
    "baseline wirte": 'there is no command "wirte"; did you mean "write"?',
    "rules qqq": 'there is no command "qqq"; see trialrun rules --help',
    "check --jobs -1": "invalid value for '--jobs': -1 is not in the range x>=0; see trialrun check --help",
    "check --select": "option '--select' requires an argument",
    "explain": "missing argument 'ID'; see trialrun explain --help",
    "explain qqq": 'there is no rule "qqq"; trialrun rules lists them',
    "check --select qqq": '--select: there is no rule "qqq"; trialrun rules lists them',
    "rules new a --on Qqq": '--on: there is no message "Qqq"; name a kind of document, or a part of one',
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_command_line_is_refused(run: Run, line: str) -> None:
    ran = run(*line.split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {REFUSED[line]}\n")


def test_an_option_that_does_not_exist_is_refused(run: Run) -> None:
    ran = run("--nope")
    assert (ran.code, ran.out) == (2, "")
    # In the words of click, which are others below 8.4.
    assert re.fullmatch(r"error: no such option:? '?--nope'?; see trialrun --help\n", ran.err)


def test_a_group_without_a_command_shows_its_help(run: Run) -> None:
    ran = run("baseline")
    assert ran.code == 2
    assert "prune  Remove from FILE the findings that no longer occur." in ran.err
