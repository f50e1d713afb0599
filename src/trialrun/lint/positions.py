"""Resolves findings to diagnostics: from a node and a field to a path, a range and a fingerprint."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import (
    At,
    Chars,
    Diagnostic,
    Finding,
    Path,
    Range,
    Related,
    RelatedLocation,
    ResolvedFix,
    Severity,
    SymbolicLocation,
    json_pointer,
)
from trialrun.terraform import is_terraform_path
from trialrun.text import Source, Span

if TYPE_CHECKING:
    from trialrun.fix.removal_safety import FixBudget, RemovalErrors
    from trialrun.parser import Document


FindPath = Callable[[SymbolicLocation], Path]


def path_from_root(place: SymbolicLocation) -> Path:
    """The path of a location whose steps start at the root."""
    return place.path


def to_diagnostic(
    finding: Finding,
    *,
    rule: str,
    severity: Severity,
    source: Source,
    document: Document | None,
    find_path: FindPath = path_from_root,
    resource: str = "",
    budget: FixBudget | None = None,
    removal_errors: RemovalErrors | None = None,
) -> Diagnostic:
    """The diagnostic of a finding in one document; `find_path` converts a location of the model to a path of the file.

    Its fingerprint is not numbered yet; `with_unique_fingerprints` does that when all are known.
    """
    path = find_path(finding.location)
    span = finding.span or span_of(document, path, finding.at, finding.chars)
    fix, refusal = _resolve_fix(finding, source, document, find_path, budget, removal_errors)
    diagnostic = Diagnostic(
        rule=rule,
        severity=severity,
        message=finding.message,
        path=source.path,
        range=range_of(source, span),
        document=document.index if document else 0,
        pointer=json_pointer(path),
        help=finding.help,
        related=tuple(_related_location(related, source, document, find_path) for related in finding.related),
        fix=fix,
        fingerprint=stable_path(document.value if document else None, path),
        resource=resource,
        refusal=refusal,
    )
    return in_words_of_file(diagnostic, document)


def in_words_of_file(diagnostic: Diagnostic, document: Document | None) -> Diagnostic:
    """The diagnostic in the words of its file, which every finding passes before it is shown."""
    if not is_terraform_path(diagnostic.path):
        return diagnostic
    from trialrun.lint.terraform_words import in_words_of_terraform

    start = diagnostic.range.start
    return in_words_of_terraform(diagnostic, document.origin_at(start) if document else "")


def range_of(source: Source, span: Span) -> Range:
    """The lines and columns of a span, in code points."""
    return Range(source.position(span.start), source.position(span.end))


def span_of(document: Document | None, path: Path, at: At = "place", chars: Chars | None = None) -> Span:
    """The span of a finding: a scalar itself, the key of a mapping or list, the first key of an item.

    An empty text is marked with its quotes.
    """
    if document is None:
        return Span(0, 0)
    if chars is not None and (chars[0] < chars[1] or find_value(document.value, path) != ""):
        return document.key_text_span(path, *chars) if at == "key" else document.scalar_span(path, *chars)
    if at == "first-key":
        return document.first_key_span(path)
    if at == "place" and not isinstance(find_value(document.value, path), (dict, list)):
        return document.span(path)
    return document.key_span(path) or document.first_key_span(path)


def _related_location(
    related: Related, source: Source, document: Document | None, find_path: FindPath
) -> RelatedLocation:
    span = (
        related.location
        if isinstance(related.location, Span)
        else span_of(document, find_path(related.location), related.at, related.chars)
    )
    return RelatedLocation(related.message, source.path, range_of(source, span))


def find_value(value: Any, path: Path) -> Any:
    """The value at a path, None if there is none."""
    for step in path:
        if isinstance(value, dict):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return None
    return value


def _resolve_fix(
    finding: Finding,
    source: Source,
    document: Document | None,
    find_path: FindPath,
    effort: FixBudget | None,
    errors: RemovalErrors | None,
) -> tuple[ResolvedFix | None, str | None]:
    """The edits of the fix that a rule proposes, or the reason why it is refused; both None if it proposes none."""
    if finding.fix is None:
        return None, None
    from trialrun.fix import Unfixable, resolve_fix

    fix = finding.fix
    made = resolve_fix(fix, source=source, document=document, find_path=find_path, budget=effort, errors=errors)
    return (None, made.reason) if isinstance(made, Unfixable) else (made, None)


ITEM_KEYS = (
    "name",
    "displayName",
    "languageCode",
    "featureGroupId",
    "itemName",
    "modifierName",
    "rule",
    "id",
    "priority",
)
"""The keys of list items that were in use when baselines were introduced, as one list.

Separate from the models' `item_key`, since cached findings need no models, and since adding a key would change
fingerprints in existing baselines. A test compares it with the models.
"""


def stable_path(value: Any, path: Path) -> str:
    """The path with list items by the first key that identifies them, otherwise by index.

    It starts at the resource; at the document if the resource has no name.
    """
    resource = _child(value, path[0]) if path and isinstance(value, list) else None
    if isinstance(resource, dict) and isinstance(resource.get("name"), str):
        value, path = resource, path[1:]
    steps: list[str] = []
    for step in path:
        value = _child(value, step)
        steps.append(_item_key(value, step) if isinstance(step, int) else step)
    return "\x1f".join(steps)


def _child(value: Any, step: str | int) -> Any:
    try:
        return value[step]
    except (LookupError, TypeError):
        return None


def _item_key(item: Any, index: int) -> str:
    if isinstance(item, dict):
        for key in ITEM_KEYS:
            if isinstance(item.get(key), (str, int)):
                return f"{key}={item[key]}"
    return f"={item}" if isinstance(item, str) else f"#{index}"


def with_unique_fingerprints(
    diagnostics: Sequence[Diagnostic], *, shared_path: Callable[[str], str] = lambda path: path
) -> list[Diagnostic]:
    """The diagnostics with unique fingerprints: equal ones are numbered in order.

    `shared_path` converts a path to one that is the same on every machine.
    """
    if not diagnostics:
        return []
    from hashlib import blake2b

    seen: Counter[tuple[str, str, str]] = Counter()
    result = []
    for diagnostic in diagnostics:
        key = (diagnostic.rule, diagnostic.resource or shared_path(diagnostic.path), diagnostic.fingerprint)
        ordinal = seen[key]
        seen[key] += 1
        text = "\x1e".join((*key, str(ordinal)))
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        result.append(replace(diagnostic, fingerprint=digest))
    return result


class RangeIndex:
    """Some ranges of a file, in any order."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        ordered = sorted(ranges)
        ends = [range_.end for range_ in ordered]
        self._starts = [range_.start for range_ in ordered]
        self._last_ends = list(accumulate(ends, max))
        self._first_ends = list(accumulate(reversed(ends), min))[::-1]

    def __bool__(self) -> bool:
        return bool(self._starts)

    def any_encloses(self, here: Range) -> bool:
        """Whether one of the ranges encloses or equals a range."""
        before = bisect_right(self._starts, here.start)
        return before > 0 and here.end <= self._last_ends[before - 1]

    def any_within(self, here: Range) -> bool:
        """Whether one of the ranges is within or equals a range."""
        after = bisect_left(self._starts, here.start)
        return after < len(self._starts) and self._first_ends[after] <= here.end
