"""Findings into diagnostics: from a node and a field to a path, a line, a column and a fingerprint."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import (
    At,
    Chars,
    Diagnostic,
    Finding,
    Path,
    Place,
    Range,
    Related,
    RelatedPlace,
    Severity,
    TextFix,
    json_pointer,
)
from trialrun.lint.fingerprint import stable_path
from trialrun.text import Source, Span

if TYPE_CHECKING:
    from trialrun.fix.budget import Effort
    from trialrun.fix.removal_safety import Errors
    from trialrun.parser import Document

FindPath = Callable[[Place], Path]


def path_from_root(place: Place) -> Path:
    """The path of a place that no model is needed for: its steps start at the root."""
    return place.steps


def diagnostic(
    finding: Finding,
    *,
    rule: str,
    severity: Severity,
    source: Source,
    document: Document | None,
    find_path: FindPath = path_from_root,
    resource: str = "",
    effort: Effort | None = None,
    errors: Errors | None = None,
) -> Diagnostic:
    """The diagnostic of a finding of one document; `find_path` leads from a place of a model to a path of the file.

    Its fingerprint is still the stable path alone; `fingerprint.numbered` makes it whole when all are known.
    """
    path = find_path(finding.place)
    span = finding.span or span_at(document, path, finding.at, finding.chars)
    fix, refusal = _text_fix(finding, source, document, find_path, effort, errors)
    return Diagnostic(
        rule=rule,
        severity=severity,
        message=finding.message,
        path=source.path,
        range=range_of(source, span),
        document=document.index if document else 0,
        pointer=json_pointer(path),
        help=finding.help,
        related=tuple(_related(one, source, document, find_path) for one in finding.related),
        fix=fix,
        fingerprint=stable_path(document.value if document else None, path),
        resource=resource,
        refusal=refusal,
    )


def range_of(source: Source, span: Span) -> Range:
    """The lines and columns, in code points, of a span."""
    return Range(source.position(span.start), source.position(span.end))


def span_at(document: Document | None, path: Path, at: At = "place", chars: Chars | None = None) -> Span:
    """Where a finding points: at a scalar itself, at the key of a mapping or list, at an item's first key.

    An empty text has no characters to point at, so it is pointed at with its quotes.
    """
    if document is None:
        return Span(0, 0)
    if chars is not None and (chars[0] < chars[1] or value_at(document.value, path) != ""):
        return document.key_inside(path, *chars) if at == "key" else document.inside(path, *chars)
    if at == "first-key":
        return document.first_key_span(path)
    if at == "place" and not isinstance(value_at(document.value, path), (dict, list)):
        return document.span(path)
    return document.key_span(path) or document.first_key_span(path)


def _related(one: Related, source: Source, document: Document | None, find_path: FindPath) -> RelatedPlace:
    span = one.place if isinstance(one.place, Span) else span_at(document, find_path(one.place), one.at, one.chars)
    return RelatedPlace(one.message, source.path, range_of(source, span))


def value_at(value: Any, path: Path) -> Any:
    """The value that a path leads to, None where it leads nowhere."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _text_fix(
    finding: Finding,
    source: Source,
    document: Document | None,
    find_path: FindPath,
    effort: Effort | None,
    errors: Errors | None,
) -> tuple[TextFix | None, str | None]:
    """The edits of the fix that a rule proposes, or why it is not offered here; neither where it proposes none."""
    if finding.fix is None:
        return None, None
    from trialrun.fix import Refused, text_fix

    fix = finding.fix
    made = text_fix(fix, source=source, document=document, find_path=find_path, effort=effort, errors=errors)
    return (None, made.reason) if isinstance(made, Refused) else (made, None)
