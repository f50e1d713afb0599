"""Suppressions in comments: their words, scopes and last days, in plain positions without syntax tree or text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from trialrun.diagnostic import Diagnostic, Range, ResolvedFix, TextEdit
from trialrun.text import Span

SuppressionKind = Literal["ignore", "ignore-file"]
BY_LINE = "syntax-error"
"""This rule has no node: it is suppressed on its own line, or in the whole file."""


class RuleReference(NamedTuple):
    """A rule that a suppression names; `removal` is the range to remove so that the others remain valid."""

    rule: str
    range: Range
    removal: Range


class Scope(NamedTuple):
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


class Suppression(NamedTuple):
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


def suppression_from_json(row: list[Any], path: str) -> Suppression:
    """The suppression that JSON has as a list, for a file at a path."""
    _, where, without, sort, meant, meant_range, mentions, reason, owner, until, until_range, scope, *rest = row
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
        Scope(whole_file, document, tuple(pointers), tuple(map(Range.from_json, ranges)), line),
        *rest,
    )


MENTION: Final = re.compile("trialrun", re.IGNORECASE)
_part = re.compile(r"(?:(?:\A|(?<=[ \t]))#|\A//)(?=[ \t]|[ \t]*trialrun)", re.IGNORECASE)
_directive = re.compile(
    r"(?:#+|//)[ \t]*trialrun(?P<meant>(?P<colon>[ \t]*:)?[ \t]*(?P<word>[a-z_-]+)?)"
    r"(?P<list>[ \t]*\[(?P<names>[^\]]*)(?P<closed>\])?)?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
).match
_until = re.compile(r"(?<!\S)until[ \t]*[=:][ \t]*([^\s,;]*)[,;.]?", re.IGNORECASE)
_owner = re.compile(r"(?<!\S)owner[ \t]*[=:][ \t]*([^\s,;]*)[,;.]?", re.IGNORECASE)
REASON_PLACEHOLDER: Final = "<reason>"
"""Placeholder for a reason that a person has yet to write."""
_KINDS: Final = {"ignore": "ignore", "ignore-file": "ignore-file"}
_SIMILAR_WORDS: Final = re.compile("ig|disabl|suppress|silenc|skip|exclud|allow|no-?qa|no-?lint|off")
"""Prefixes of words that other linters, or typos, use for a suppression."""


@dataclass(frozen=True, slots=True)
class DirectiveWord:
    """A word of a comment with its range; `removal` is the range to remove so that the other words remain valid."""

    text: str
    span: Span
    removal: Span


@dataclass(frozen=True, slots=True)
class Directive:
    """A suppression comment or a part of one, from its `#` to the end of its text.

    `kind` is None if the word is unknown, and `keyword` then is the word to use. `names` are those in closed brackets.
    `removal` is the range to remove with the whole directive.
    """

    span: Span
    removal: Span
    kind: Literal["ignore", "ignore-file"] | None
    keyword: DirectiveWord
    names: tuple[DirectiveWord, ...]
    reason: str
    owner: str | None
    until: DirectiveWord | None


def parse_directives(comment: str, offset: int) -> Iterator[Directive]:
    """The directives of a comment that starts at an offset; a reason may be followed by another `#`."""
    starts = [match.start() for match in _part.finditer(comment)]
    for start, end in pairwise([*starts, len(comment)]):
        text = comment[start:end].rstrip()
        found = _directive(text)
        if found and _is_directive(found):
            yield _parse_directive(found, offset + start, _span_with_blanks(comment, start, end, offset))


def ignore_comment(rules: Sequence[str], reason: str, until: str | None = None) -> str:
    """A comment that suppresses some rules, from its `#` on."""
    return f"# trialrun: ignore[{', '.join(rules)}] {f'until={until} ' if until else ''}{reason}"


def reason_and_owner(text: str) -> tuple[str, str | None]:
    """A text without its `owner=NAME`, and the name; the placeholder does not count as a reason."""
    owner = _owner.search(text)
    reason = " ".join(_owner.sub("", text).split()).strip("-–—:,; ")
    return "" if reason == REASON_PLACEHOLDER else reason, owner[1] if owner and owner[1] else None


def _span_with_blanks(comment: str, start: int, end: int, offset: int) -> Span:
    """A part of a comment with the spaces that are removed along with it."""
    if end < len(comment) or start == 0:
        return Span(offset + start, offset + end)
    return Span(offset + len(comment[:start].rstrip()), offset + end)


def _is_directive(match: re.Match[str]) -> bool:
    """Whether it is a suppression, possibly misspelt; other sentences that mention trialrun are not."""
    word = (match["word"] or "").lower()
    if not match["colon"]:
        return bool(match["list"] and _SIMILAR_WORDS.match(word))
    return bool(match["list"] or word in _KINDS or _SIMILAR_WORDS.match(word) or _is_misspelt(word))


def _is_misspelt(word: str) -> bool:
    from trialrun.values.suggest import suggest

    return suggest(word, list(_KINDS)) is not None


def _parse_directive(match: re.Match[str], offset: int, without: Span) -> Directive:
    word = (match["word"] or "").lower()
    sort: Literal["ignore", "ignore-file"] | None = None
    if match["colon"] and word in _KINDS:
        sort = "ignore" if word == "ignore" else "ignore-file"
    meant = Span(offset + match.start("meant"), offset + match.end("meant"))
    rest = match["rest"]
    until = _until.search(rest)
    reason, owner = reason_and_owner(_until.sub("", rest))
    at = offset + match.start("rest")
    return Directive(
        span=Span(offset, offset + len(match.string)),
        removal=without,
        kind=sort,
        keyword=DirectiveWord(": ignore-file" if "file" in word else ": ignore", meant, meant),
        names=tuple(_parse_names(match["names"], offset + match.start("names"))) if match["closed"] else (),
        reason=reason,
        owner=owner,
        until=until and _word(until[1], at + until.start(), at + until.end()),
    )


def _word(text: str, start: int, end: int) -> DirectiveWord:
    return DirectiveWord(text, Span(start, end), Span(start, end))


def _parse_names(listed: str, offset: int) -> Iterator[DirectiveWord]:
    """The names between the brackets; removing one leaves a single comma between the others."""
    found = [match.span() for match in re.finditer(r"[^\s,](?:[^,]*[^\s,])?", listed)]
    for number, (start, end) in enumerate(found):
        if number + 1 < len(found):
            without = Span(offset + start, offset + found[number + 1][0])
        else:
            without = Span(offset + (found[number - 1][1] if number else start), offset + end)
        yield DirectiveWord(listed[start:end].lower(), Span(offset + start, offset + end), without)


_date_format = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


def parse_last_day(text: str) -> date | None:
    """The day of `until=`, as YYYY-MM-DD; None if it is not a date."""
    if not _date_format.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def is_active(until: str | None, today: date) -> bool:
    """Whether a suppression is in effect: it has no end, or its last day is not over."""
    if until is None:
        return True
    day = parse_last_day(until)
    return day is not None and today <= day


UnusedReason = Literal["nothing", "never", "twice", "misplaced"]
"""Suppresses nothing; names a rule that cannot be suppressed; repeats a name; `ignore-file` is not at the top."""


@dataclass(frozen=True, slots=True)
class SuppressionFinding:
    """A finding about a suppression, at a range of its file."""

    message: str
    range: Range
    fix: ResolvedFix | None = None


SuppressionFindings = Iterator[SuppressionFinding]


@dataclass(frozen=True, slots=True)
class UnusedSuppression:
    """A rule that a suppression names without effect; `removal` is the range to remove, None in the settings.

    `is_only_rule` is whether the comment names no other rule.
    """

    rule: str
    reason: UnusedReason
    range: Range
    removal: Range | None = None
    is_only_rule: bool = False

    @property
    def advice(self) -> str:
        """What to do about it, for a message."""
        if self.removal is None:
            return "remove it from the table, or remove the table"
        return "remove the comment" if self.is_only_rule else "remove it from the comment"

    @property
    def fix(self) -> ResolvedFix | None:
        """The removal of the name, or of the whole comment."""
        return ResolvedFix("remove it", True, (TextEdit(self.removal, ""),)) if self.removal else None


@dataclass(frozen=True, slots=True)
class ExpiredSuppression:
    """A suppression whose date is over, or is not a date."""

    until: str
    is_date: bool
    range: Range


@dataclass(frozen=True, slots=True)
class UnexplainedSuppression:
    """A suppression without a reason."""

    range: Range
    kind: Literal["comment", "settings"]


@dataclass(frozen=True, slots=True)
class UnknownRuleName:
    """A suppression that names no rule.

    `name` is a name that no rule has, and `candidate` the intended rule. `replacement` is the replacement at `range` if
    the word before the rules is unknown.
    """

    range: Range
    name: str | None = None
    candidate: str | None = None
    replacement: str | None = None


SuppressionSubject = UnusedSuppression | ExpiredSuppression | UnexplainedSuppression | UnknownRuleName
