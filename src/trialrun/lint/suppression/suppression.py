"""A suppression as it is kept with the report of its file: plain places, which need neither tree nor text."""

from __future__ import annotations

from typing import Any, Literal

from trialrun.diagnostic import Diagnostic, Range
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.rows import range_of_row, row_of

Sort = Literal["ignore", "ignore-file"]
BY_LINE = "syntax-error"
"""What it is about has no node: a suppression silences it on its own line, or in the whole file."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A rule that a suppression names; `without` is what to take away so that the others stay."""

    rule: str
    range: Range
    without: Range


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
        if any(one.start <= start < one.end for one in self.ranges):
            return True
        return found.document == self.document and any(is_under(found.pointer, one) for one in self.pointers)


def is_under(pointer: str, above: str) -> bool:
    """Whether a JSON Pointer leads to a node or to something below it."""
    return pointer == above or pointer.startswith(above + "/")


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment that silences rules, or was meant to.

    `sort` is None where it is none of our words, and `meant` is then what to write in place of `meant_range`.
    `until` is the date as it is written, `until_range` where.
    `without` is what to take away with the whole comment. `sure` is whether all that it covers could be read.
    `fingerprint` is the stable path of its node, `resource` the name of its resource.
    """

    path: str
    range: Range
    without: Range
    sort: Sort | None
    meant: str
    meant_range: Range
    mentions: tuple[Mention, ...]
    reason: str
    owner: str | None
    until: str | None
    until_range: Range
    scope: Scope
    sure: bool
    fingerprint: str
    resource: str

    @property
    def pointer(self) -> str:
        """The JSON Pointer of the node that it covers, the first of several."""
        return self.scope.pointers[0] if self.scope.pointers else ""


def suppression_row(one: Suppression) -> list[Any]:
    """A suppression as JSON can hold it, without the path."""
    scope = one.scope
    return [
        row_of(one.range),
        row_of(one.without),
        one.sort,
        one.meant,
        row_of(one.meant_range),
        [[mention.rule, row_of(mention.range), row_of(mention.without)] for mention in one.mentions],
        one.reason,
        one.owner,
        one.until,
        row_of(one.until_range),
        [scope.whole_file, scope.document, scope.pointers, [row_of(each) for each in scope.ranges], scope.line],
        one.sure,
        one.fingerprint,
        one.resource,
    ]


def suppression_of(row: list[Any], path: str) -> Suppression:
    """The suppression that `suppression_row` wrote, of a file at a path."""
    where, without, sort, meant, meant_range, mentions, reason, owner, until, until_range, scope, *rest = row
    whole_file, document, pointers, ranges, line = scope
    return Suppression(
        path,
        range_of_row(where),
        range_of_row(without),
        sort,
        meant,
        range_of_row(meant_range),
        tuple(Mention(rule, range_of_row(one), range_of_row(other)) for rule, one, other in mentions),
        reason,
        owner,
        until,
        range_of_row(until_range),
        Scope(whole_file, document, tuple(pointers), tuple(range_of_row(one) for one in ranges), line),
        *rest,
    )
