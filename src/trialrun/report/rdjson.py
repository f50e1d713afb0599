"""Report for reviewdog in its diagnostic format, rdjson."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from trialrun.diagnostic import Diagnostic, Range, ResolvedFix, Severity
from trialrun.report.interface import Run, Sources, convert_columns, printable_path, utf8_column
from trialrun.report.json import json_text, range_object
from trialrun.report.terminal_width import escape_controls
from trialrun.text import Source

SEVERITIES = {Severity.ERROR: "ERROR", Severity.WARNING: "WARNING", Severity.NOTE: "INFO"}


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one object with a line for every finding; `color` and `width` are ignored."""
    sources = lru_cache(maxsize=16)(run.sources)
    origin = {"name": "trialrun", **({"url": run.home} if run.home else {})}
    yield f'{{"source": {json_text(origin)},\n "diagnostics": ['
    separator = "\n  "
    for diagnostic in run.diagnostics:
        yield separator + json_text(_diagnostic(diagnostic, sources))
        separator = ",\n  "
    yield "]}\n"


def _diagnostic(diagnostic: Diagnostic, sources: Sources) -> dict[str, Any]:
    whole: dict[str, Any] = {
        "message": escape_controls(diagnostic.message),
        "location": _location(diagnostic.path, diagnostic.range, sources),
        "severity": SEVERITIES[diagnostic.severity],
        "code": {"value": diagnostic.rule},
    }
    suggestion = _suggestion(diagnostic.fix, sources(diagnostic.path)) if diagnostic.fix else None
    if suggestion:
        whole["suggestions"] = [suggestion]
    if diagnostic.related:
        whole["related_locations"] = [
            {"message": escape_controls(one.message), "location": _location(one.path, one.range, sources)}
            for one in diagnostic.related
        ]
    return whole


def _location(path: str, place: Range, sources: Sources) -> dict[str, Any]:
    return {"path": printable_path(path), "range": _range(place, convert_columns(place, sources(path), utf8_column))}


def _range(place: Range, exact: Range | None) -> dict[str, Any]:
    """The range in bytes; without the text, whole lines."""
    if exact is None:
        return {"start": {"line": place.start.line}, "end": {"line": place.end.line}}
    return range_object(exact)


def _suggestion(fix: ResolvedFix, source: Source | None) -> dict[str, Any] | None:
    """The edits of a fix merged into one: reviewdog treats several suggestions as alternatives."""
    if source is None or not fix.edits:
        return None
    edits = sorted(fix.edits, key=lambda edit: edit.range)
    whole = Range(edits[0].range.start, edits[-1].range.end)
    exact = convert_columns(whole, source, utf8_column)
    if exact is None:
        return None
    text, position = "", source.offset(whole.start)
    for edit in edits:
        text += source.text[position : source.offset(edit.range.start)] + edit.text
        position = source.offset(edit.range.end)
    return {"range": _range(whole, exact), "text": text}
