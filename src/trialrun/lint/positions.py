"""Resolves findings to diagnostics: from a node and a field to a path, a range and a fingerprint.

Rules speak of fields, files of Terraform of arguments and resources: every diagnostic of such a file gets their words,
from a table that is made of the schema in the parser, so that a new argument has its word.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

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
    from trialrun.parser.terraform.schema import Argument


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
        result.append(diagnostic._replace(fingerprint=digest))
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


OWN_WORDS: Final = {
    "vectorSearchConfig": "vector_search_config",
    "FeatureGroup": "feature_groups",
    "FeatureView": "feature view",
    "FeatureOnlineStore": "online store",
    "FeatureGroupTable": "feature group",
    "featureGroupId": "feature_group_id",
    "{featureView}": "name",
    "{featureOnlineStore}": "feature_online_store",
    "KEY_VALUE": "bigtable",
    "OPTIMIZED": "optimized",
    "this document": "this resource",
    "This document": "This resource",
    ", which holds the timestamp where no timestampColumn is set; set it": ", which holds the timestamp; add it",
}
ABSENT: Final = "ragSource|optimizedConfig|serviceAgentType"
"""Fields that the provider does not have."""
_last_choice = re.compile(rf"(\w+), (\w+) (or|and) (?:{ABSENT})\b")
_choice = re.compile(rf"(?:, | or | and )(?:{ABSENT})\b|\b(?:{ABSENT})(?:, | or | and )")
_name_format = re.compile(r"add one such as projects/\{project\}/\S+")
_stand_in = re.compile(r"[^\s\"'`]*/(\$\{[^{}@]*)@[^{}]*(\})|(\$\{[^{}@]*)@[^{}]*(\})")
_name_with_stand_in = re.compile(r"projects/[^\s\"'`]*?\$\{[^{}]*@[^\n\"'`]*?/([^/\s\"'`{}]+)(?=[\"'`])")


def in_words_of_terraform(diagnostic: Diagnostic, origin: str = "") -> Diagnostic:
    """The diagnostic in the words of its file; `origin` is what says the value, where that is not its place."""
    message = _translate(diagnostic.message)
    return diagnostic._replace(
        message=f"in {origin}: {message}" if origin else message,
        help=diagnostic.help and _translate(diagnostic.help),
        related=tuple(related._replace(message=_translate(related.message)) for related in diagnostic.related),
        fix=diagnostic.fix and diagnostic.fix._replace(title=_translate(diagnostic.fix.title)),
        refusal=diagnostic.refusal and _translate(diagnostic.refusal),
    )


def _translate(text: str) -> str:
    text = _choice.sub("", _last_choice.sub(r"\1 \3 \2", text))
    text = _name_format.sub("set name", text)
    text = _name_with_stand_in.sub(r"\1", text)
    text = _stand_in.sub(lambda match: (match[1] or match[3]) + (match[2] or match[4]), text)
    words = _words()
    return _pattern().sub(lambda match: words[match[0]], text)


@cache
def _words() -> Mapping[str, str]:
    from trialrun.parser.terraform.schema import FEATURE_VIEW

    return {**dict(_pairs(FEATURE_VIEW)), **OWN_WORDS}


@cache
def _pattern() -> re.Pattern[str]:
    words = sorted(_words(), key=len, reverse=True)
    return re.compile(rf"(?<![\w.])(?:{'|'.join(map(re.escape, words))})(?!\w)")


def _pairs(arguments: Mapping[str, Argument]) -> Iterator[tuple[str, str]]:
    """Each field and each message of a block, with the name of its argument."""
    for name, argument in arguments.items():
        if argument.field != name:
            yield argument.field, name
        if argument.type in ("block", "blocks"):
            yield argument.field[0].upper() + argument.field[1:], name
        yield from _pairs(argument.arguments)
