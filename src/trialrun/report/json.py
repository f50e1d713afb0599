"""Report for programs: one JSON object with a stable schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Diagnostic, Range
from trialrun.report.interface import Run, Summary
from trialrun.report.json_encoding import json_text

VERSION = 1
"""The schema version: keys may be added, but not removed or changed in meaning."""


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one object with a line for every finding; `color` and `width` are ignored.

    Every key is always present: `related` is an empty list and `fix` is null if there are none; only `refusal` is
    absent if there is no reason. The same run gives the same bytes.
    """
    yield f'{{"version": {VERSION},\n "diagnostics": ['
    separator = "\n  "
    for diagnostic in run.diagnostics:
        yield separator + json_text(diagnostic_object(diagnostic))
        separator = ",\n  "
    yield f'],\n "summary": {json_text(summary_object(run.summary))},\n "not_checked": ['
    yield ",".join(f"\n  {json_text(not_checked._asdict())}" for not_checked in run.not_checked)
    yield "]}\n"


def diagnostic_object(diagnostic: Diagnostic) -> dict[str, Any]:
    """The object of a finding."""
    refusal = {"refusal": diagnostic.refusal} if diagnostic.refusal else {}
    return {
        "rule": diagnostic.rule,
        "severity": diagnostic.severity.word,
        "message": diagnostic.message,
        "path": diagnostic.path,
        "document": diagnostic.document,
        "pointer": diagnostic.pointer,
        "range": range_object(diagnostic.range),
        "related": [
            {"message": related.message, "path": related.path, "range": range_object(related.range)}
            for related in diagnostic.related
        ],
        "fix": diagnostic.fix
        and {
            "title": diagnostic.fix.title,
            "safe": diagnostic.fix.safe,
            "edits": [{"range": range_object(edit.range), "text": edit.text} for edit in diagnostic.fix.edits],
        },
        **refusal,
        "fingerprint": diagnostic.fingerprint,
    }


def range_object(place: Range) -> dict[str, Any]:
    """The object of a range."""
    return {
        "start": {"line": place.start.line, "column": place.start.column},
        "end": {"line": place.end.line, "column": place.end.column},
    }


def summary_object(summary: Summary) -> dict[str, int]:
    """The counts; `baselined` is only present with a baseline that hides findings, `fixed` only after fixing."""
    counts = summary._asdict()
    fixed = counts.pop("fixed")
    counts = {key: counts.pop(key) for key in ("files", "documents", "passed_over")} | counts
    if not summary.baselined:
        del counts["baselined"]
    return counts if fixed is None else {**counts, "fixed": fixed[0]}
