"""reviewdog's diagnostics: columns are bytes, a suggestion is a whole fix."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from tests.cases import each_of
from tests.report.hostile import HERE, TEXT, found, gone, place, run_of
from trialrun.diagnostic import RelatedLocation, ResolvedFix, Severity, TextEdit
from trialrun.report.interface import Run
from trialrun.report.rdjson import report

BYTES = {"start": {"line": 1, "column": 7}, "end": {"line": 1, "column": 15}}
LINES = {"start": {"line": 1}, "end": {"line": 1}}


def first(run: Run) -> Any:
    return json.loads("".join(report(run)).encode("utf-8"))["diagnostics"][0]


def test_a_diagnostic() -> None:
    assert first(run_of(replace(found(), related=(), fix=None))) == {
        "message": "it is wrong",
        "location": {"path": "views/a.yaml", "range": BYTES},
        "severity": "ERROR",
        "code": {"value": "some-rule"},
    }


@pytest.mark.parametrize(
    ("severity", "word"), [(Severity.ERROR, "ERROR"), (Severity.WARNING, "WARNING"), (Severity.NOTE, "INFO")]
)
def test_severities(severity: Severity, word: str) -> None:
    assert first(run_of(found(severity=severity)))["severity"] == word


def test_related_places() -> None:
    related = (RelatedLocation("taken here", "./b.yaml", HERE),)
    assert first(run_of(replace(found(), related=related)))["related_locations"] == [
        {"message": "taken here", "location": {"path": "b.yaml", "range": BYTES}}
    ]


@each_of(
    [
        ([TextEdit(HERE, "x")], (1, 7), (1, 15), "x"),
        ([TextEdit(place(1, 10, 1, 10), "x")], (1, 15), (1, 15), "x"),
        ([TextEdit(place(2, 8, 2, 9), "x"), TextEdit(place(1, 7, 1, 8), "")], (1, 7), (2, 9), "🍔» café\r\ntags: [x"),
        ([TextEdit(place(3, 8, 3, 8), "\n")], (3, 8), (3, 8), "\n"),
    ]
)
def test_a_fix_is_one_suggestion(
    edits: list[TextEdit], start: tuple[int, int], end: tuple[int, int], text: str
) -> None:
    (suggestion,) = first(run_of(found(fix=ResolvedFix("mend", True, tuple(edits)))))["suggestions"]
    assert suggestion == {
        "range": {"start": {"line": start[0], "column": start[1]}, "end": {"line": end[0], "column": end[1]}},
        "text": text,
    }


def test_a_suggestion_applied_to_the_bytes_is_the_fix() -> None:
    edits = (TextEdit(place(1, 8, 1, 9), "日"), TextEdit(place(1, 11, 1, 14), "é"))
    (suggestion,) = first(run_of(found(fix=ResolvedFix("mend", True, edits))))["suggestions"]
    line, ending, rest = TEXT.encode().partition(b"\r\n")
    start, end = (suggestion["range"][side]["column"] - 1 for side in ("start", "end"))
    fixed = line[:start] + suggestion["text"].encode() + line[end:] + ending + rest
    assert fixed.decode() == TEXT.replace("🍔", "日").replace("caf", "é")


def test_a_name_that_is_no_utf8_can_be_read_as_json() -> None:
    assert first(run_of(found("no-utf8-\udcff.yaml")))["location"]["path"] == "no-utf8-\ufffd.yaml"


def test_without_the_text_there_are_lines_and_no_suggestion() -> None:
    one = first(run_of(found(), sources=gone))
    assert one["location"]["range"] == LINES
    assert "suggestions" not in one
