"""GitLab's code quality issues; GitLab publishes no schema, so these are the fields that its documentation names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.report.hostile import PATHS, RUNS, found, place, run_of
from trialrun.diagnostic import Severity
from trialrun.report.gitlab import report
from trialrun.report.interface import Run
from trialrun.report.terminal_width import escape_controls


def issues(run: Run) -> Any:
    return json.loads("".join(report(run)).encode("utf-8"))


def test_an_issue() -> None:
    assert issues(run_of(found(where=place(1, 11, 2, 5)))) == [
        {
            "type": "issue",
            "check_name": "some-rule",
            "description": "it is wrong",
            "severity": "major",
            "fingerprint": "00ff",
            "location": {"path": "views/a.yaml", "lines": {"begin": 1, "end": 2}},
        }
    ]


def test_nothing_found_is_an_empty_list() -> None:
    assert issues(run_of()) == []


@pytest.mark.parametrize(
    ("severity", "word"), [(Severity.ERROR, "major"), (Severity.WARNING, "minor"), (Severity.NOTE, "info")]
)
def test_severities(severity: Severity, word: str) -> None:
    assert issues(run_of(found(severity=severity)))[0]["severity"] == word


def test_paths_are_relative_without_a_dot() -> None:
    told = {issue["location"]["path"] for issue in issues(RUNS["odd paths"])}
    assert told == {path.removeprefix("./").replace("\udcff", "\ufffd") for path in PATHS}


def test_odd_texts_are_visible() -> None:
    (one,) = issues(RUNS["odd texts"])
    assert one["description"] == escape_controls(one["description"])
