"""Report for programs: one JSON object with a stable schema, and JSON that is safe to display, in UTF-8."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Diagnostic, Range
from trialrun.report.interface import Run, Summary

ESCAPED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
    "|\r(?!\n)|(?<=#)#(?=[\\w.-]*\\[)|(?m:^[^\\S\n\x0b-\x1f\x85\u2028\u2029]*:(?=:\\w))"
)
"""Lone surrogates, which UTF-8 cannot encode, and characters that affect terminals or CI logs."""


def json_text(value: Any) -> str:
    """The value on one line; only the characters in `ESCAPED` are escaped."""
    return escape_for_programs(json.dumps(value, ensure_ascii=False))


def escape_for_programs(text: str) -> str:
    """Text for programs with the escapes that JSON, and YAML between double quotes, read back as the same characters.

    Writers of other formats escape by themselves what their readers are to see: this is for what they leave.
    """
    return ESCAPED.sub(lambda match: f"{match[0][:-1]}\\u{ord(match[0][-1]):04x}", text)


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
