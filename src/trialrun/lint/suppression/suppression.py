"""A suppression as stored with the result of its file: plain positions, without syntax tree or text."""

from __future__ import annotations

from typing import Any, Literal

from trialrun.diagnostic import Diagnostic, Range
from trialrun.lazy_dataclass import dataclass

SuppressionKind = Literal["ignore", "ignore-file"]
BY_LINE = "syntax-error"
"""This rule has no node: it is suppressed on its own line, or in the whole file."""


@dataclass(frozen=True, slots=True)
class RuleReference:
    """A rule that a suppression names; `removal` is the range to remove so that the others remain valid."""

    rule: str
    range: Range
    removal: Range


@dataclass(frozen=True, slots=True)
class Scope:
    """What a suppression covers in its file.

    The whole file; or the nodes at `pointers` of one document, everything that starts within `ranges` (the characters
    of these nodes with their keys), and everything that starts on `line`. `line` is 0 if nothing is covered.
    """

    whole_file: bool = False
    document: int = 0
    pointers: tuple[str, ...] = ()
    ranges: tuple[Range, ...] = ()
    line: int = 0

    def covers(self, diagnostic: Diagnostic) -> bool:
        """Whether a diagnostic of the file is in the scope."""
        start = diagnostic.range.start
        if self.whole_file or start.line == self.line:
            return True
        if diagnostic.rule == BY_LINE:
            return False
        if any(range_.start <= start < range_.end for range_ in self.ranges):
            return True
        return diagnostic.document == self.document and any(
            is_at_or_below(diagnostic.pointer, pointer) for pointer in self.pointers
        )


def is_at_or_below(pointer: str, above: str) -> bool:
    """Whether a JSON Pointer is equal to or below another one."""
    return pointer == above or pointer.startswith(above + "/")


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that suppresses rules, or was intended to.

    `kind` is None if the word is unknown, and `keyword` then is to replace `keyword_range`. `until` is the date as
    text, at `until_range`. `removal` is the range to remove with the whole comment. `is_fully_read` is whether
    everything it covers could be parsed. `fingerprint` is the stable path of its node, `resource` the name of its
    resource.
    """

    path: str
    range: Range
    removal: Range
    kind: SuppressionKind | None
    keyword: str
    keyword_range: Range
    references: tuple[RuleReference, ...]
    reason: str
    owner: str | None
    until: str | None
    until_range: Range
    scope: Scope
    is_fully_read: bool
    fingerprint: str
    resource: str

    @property
    def pointer(self) -> str:
        """The JSON Pointer of the first covered node."""
        return self.scope.pointers[0] if self.scope.pointers else ""


def suppression_to_json(suppression: Suppression) -> list[Any]:
    """A suppression as JSON data, without the path."""
    scope = suppression.scope
    return [
        suppression.range.to_json(),
        suppression.removal.to_json(),
        suppression.kind,
        suppression.keyword,
        suppression.keyword_range.to_json(),
        [[mention.rule, mention.range.to_json(), mention.removal.to_json()] for mention in suppression.references],
        suppression.reason,
        suppression.owner,
        suppression.until,
        suppression.until_range.to_json(),
        [scope.whole_file, scope.document, scope.pointers, [each.to_json() for each in scope.ranges], scope.line],
        suppression.is_fully_read,
        suppression.fingerprint,
        suppression.resource,
    ]


def suppression_from_json(row: list[Any], path: str) -> Suppression:
    """The suppression from the data of `suppression_to_json`, for a file at a path."""
    where, without, sort, meant, meant_range, mentions, reason, owner, until, until_range, scope, *rest = row
    whole_file, document, pointers, ranges, line = scope
    return Suppression(
        path,
        Range.from_json(where),
        Range.from_json(without),
        sort,
        meant,
        Range.from_json(meant_range),
        tuple(RuleReference(rule, Range.from_json(one), Range.from_json(other)) for rule, one, other in mentions),
        reason,
        owner,
        until,
        Range.from_json(until_range),
        Scope(whole_file, document, tuple(pointers), tuple(Range.from_json(range_) for range_ in ranges), line),
        *rest,
    )
