"""The report for programs: one JSON object, its shape a contract."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from trialrun.diagnostic import Diagnostic, Range, TextFix
from trialrun.report.interface import Run

VERSION = 1
"""The version of the shape: a key may be added to it, none is taken away or changes its meaning."""

ESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Lone surrogates, which UTF-8 cannot write, and what would act on a terminal that shows the object."""


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one object, a line for every finding; `color` and `width` change nothing.

    Every key is always there: `related` is a list, empty where there is nothing to say, and `fix` is null without a
    fix, so that a consumer reads `finding["fix"]` and asks only once. Characters are written as themselves, but for
    those of `ESCAPED`; the same run gives the same bytes.
    """
    yield f'{{"version": {VERSION},\n "diagnostics": ['
    separator = "\n  "
    for diagnostic in run.diagnostics:
        yield separator + _json(_diagnostic(diagnostic))
        separator = ",\n  "
    yield f'],\n "summary": {_json(asdict(run.summary))}}}\n'


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "rule": diagnostic.rule,
        "severity": diagnostic.severity.word,
        "message": diagnostic.message,
        "path": diagnostic.path,
        "document": diagnostic.document,
        "pointer": diagnostic.pointer,
        "range": _range(diagnostic.range),
        "related": [
            {"message": related.message, "path": related.path, "range": _range(related.range)}
            for related in diagnostic.related
        ],
        "fix": _fix(diagnostic.fix) if diagnostic.fix else None,
        "fingerprint": diagnostic.fingerprint,
    }


def _range(place: Range) -> dict[str, Any]:
    return {
        "start": {"line": place.start.line, "column": place.start.column},
        "end": {"line": place.end.line, "column": place.end.column},
    }


def _fix(fix: TextFix) -> dict[str, Any]:
    edits = [{"range": _range(edit.range), "text": edit.text} for edit in fix.edits]
    return {"title": fix.title, "safe": fix.safe, "edits": edits}


def _json(value: Any) -> str:
    return ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
