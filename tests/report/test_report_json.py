"""The JSON object, key by key."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from trialrun.diagnostic import Diagnostic, Position, Range, RelatedLocation, ResolvedFix, Severity, TextEdit
from trialrun.report.interface import Run, Summary
from trialrun.report.json import report

PLACE = Range(Position(12, 19), Position(12, 20))
RANGE = {"start": {"line": 12, "column": 19}, "end": {"line": 12, "column": 20}}
FULL = Diagnostic(
    "duplicate-upsell-priority",
    Severity.ERROR,
    "priority 3 is already taken by …",
    "channels/summer.yaml",
    PLACE,
    document=0,
    pointer="/operationsConfig/upsellStrategy/upsells/2/priority",
    help="not part of the object",
    related=(RelatedLocation("taken here", "channels/summer.yaml", PLACE),),
    fix=ResolvedFix("use 4", False, (TextEdit(PLACE, "4"),)),
    fingerprint="00ff",
)
BARE = Diagnostic("unreadable-file", Severity.NOTE, "no", "a.yaml", Range(Position(1, 1), Position(1, 1)))


def written(*diagnostics: Diagnostic) -> str:
    return "".join(report(Run(diagnostics, {}.get, Summary(1, 1, 1, 0, 0, 0), "9.9")))


def pairs(text: str) -> Any:
    """Objects as lists of pairs, so that the order of the keys counts."""
    return json.loads(text, object_pairs_hook=list)


def test_every_key_in_its_order() -> None:
    expected = {
        "version": 1,
        "diagnostics": [
            {
                "rule": "duplicate-upsell-priority",
                "severity": "error",
                "message": "priority 3 is already taken by …",
                "path": "channels/summer.yaml",
                "document": 0,
                "pointer": "/operationsConfig/upsellStrategy/upsells/2/priority",
                "range": RANGE,
                "related": [{"message": "taken here", "path": "channels/summer.yaml", "range": RANGE}],
                "fix": {"title": "use 4", "safe": False, "edits": [{"range": RANGE, "text": "4"}]},
                "fingerprint": "00ff",
            }
        ],
        "summary": {
            "files": 1, "documents": 1, "passed_over": 0, "errors": 1, "warnings": 0, "notes": 0, "suppressed": 0,
        },
        "not_checked": [],
    }  # fmt: skip
    assert pairs(written(FULL)) == pairs(json.dumps(expected))


def test_without_related_places_or_a_fix_the_keys_stay() -> None:
    found = json.loads(written(BARE))["diagnostics"][0]
    assert (found["related"], found["fix"]) == ([], None)


def test_why_a_fix_is_not_offered_stands_beside_the_fix_that_is_none() -> None:
    found = json.loads(written(replace(BARE, refusal="it stands elsewhere")))["diagnostics"][0]
    assert (found["fix"], found["refusal"]) == (None, "it stands elsewhere")


def test_what_was_fixed_is_counted_after_a_run_that_fixes() -> None:
    summary = json.loads("".join(report(Run((), {}.get, Summary(3, 3, fixed=(5, 2)), "9.9"))))["summary"]
    assert (summary["fixed"], summary["files"]) == (5, 3)


def test_nothing_found() -> None:
    assert json.loads(written())["diagnostics"] == []


def test_what_the_baseline_hides_is_counted_where_it_hides_something() -> None:
    summary = json.loads("".join(report(Run((), {}.get, Summary(1, 1, baselined=2), "9.9"))))["summary"]
    assert summary == {
        "files": 1, "documents": 1, "passed_over": 0, "errors": 0, "warnings": 0, "notes": 0, "suppressed": 0,
        "baselined": 2,
    }  # fmt: skip


def test_one_line_for_every_finding_and_a_line_break_at_the_end() -> None:
    assert [line[:12] for line in written(FULL, BARE).split("\n")] == [
        '{"version": ',
        ' "diagnostic',
        '  {"rule": "',
        '  {"rule": "',
        ' "summary": ',
        ' "not_checke',
        "",
    ]


def test_any_text_can_be_written_and_is_read_back() -> None:
    message = '日本語 🍔 \ud800 \x1b \x9b \u202e \u2028 \x7f " \\ \n'
    text = written(Diagnostic("r", Severity.ERROR, message, "a.yaml", PLACE))
    assert json.loads(text.encode("utf-8"))["diagnostics"][0]["message"] == message
    assert "日本語 🍔" in text
    assert [character for character in text if not character.isprintable()] == ["\n"] * text.count("\n")


def test_the_same_run_gives_the_same_text() -> None:
    assert written(FULL, BARE) == written(FULL, BARE)
