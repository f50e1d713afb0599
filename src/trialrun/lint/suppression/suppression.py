"""A suppression as it is kept with the report of its file: plain places, which need neither tree nor text."""

from __future__ import annotations

from typing import Any, Literal

from trialrun.diagnostic import Diagnostic, Range
from trialrun.lazy_dataclass import dataclass

SuppressionKind = Literal["ignore", "ignore-file"]
BY_LINE = "syntax-error"
"""What it is about has no node: a suppression silences it on its own line, or in the whole file."""


@dataclass(frozen=True, slots=True)
class RuleReference:
    """A rule that a suppression names; `without` is what to take away so that the others stay."""

    rule: str
    range: Range
    removal: Range


@dataclass(frozen=True, slots=True)
class Scope:
    """What a suppression covers in its file.

    The whole file; or the nodes at `pointers` of one document, whatever starts within `ranges`, which are the
    characters of the same nodes with their keys, and whatever starts on `line`. `line` is 0 where nothing is covered.
    """

    whole_file: bool = False
    document: int = 0
    pointers: tuple[str, ...] = ()
    ranges: tuple[Range, ...] = ()
    line: int = 0

    def covers(self, found: Diagnostic) -> bool:
        """Whether a diagnostic of the file is about something in the scope."""
        start = found.range.start
        if self.whole_file or start.line == self.line:
            return True
        if found.rule == BY_LINE:
            return False
        if any(range_.start <= start < range_.end for range_ in self.ranges):
            return True
        return found.document == self.document and any(
            is_at_or_below(found.pointer, pointer) for pointer in self.pointers
        )


def is_at_or_below(pointer: str, above: str) -> bool:
    """Whether a JSON Pointer leads to a node or to something below it."""
    return pointer == above or pointer.startswith(above + "/")


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that silences rules, or was meant to.

    `sort` is None if it is none of our words, and `meant` is then what to write in place of `meant_range`. `until` is
    the date as it is written, `until_range` where. `without` is what to take away with the whole comment. `sure` is
    whether all that it covers could be read. `fingerprint` is the stable path of its node, `resource` the name of its
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
        """The JSON Pointer of the node that it covers, the first of several."""
        return self.scope.pointers[0] if self.scope.pointers else ""


def suppression_to_json(suppression: Suppression) -> list[Any]:
    """A suppression as JSON can hold it, without the path."""
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
    """The suppression that `suppression_row` wrote, of a file at a path."""
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
