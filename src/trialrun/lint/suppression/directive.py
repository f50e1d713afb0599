"""Parser of suppression comments: `# trialrun: ignore[rule-id, …] reason`, and misspelt forms of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal

from trialrun.lazy_dataclass import dataclass
from trialrun.text import Span

MENTION: Final = re.compile("trialrun", re.IGNORECASE)
_part = re.compile(r"(?:\A|(?<=[ \t]))#(?=[ \t]|[ \t]*trialrun)", re.IGNORECASE)
_directive = re.compile(
    r"#+[ \t]*trialrun(?P<meant>(?P<colon>[ \t]*:)?[ \t]*(?P<word>[a-z_-]+)?)"
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
