"""What the words of schedules and conditions are, inside scalars of every style."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Chars, Place, Range
from trialrun.lsp.answer import Token, TokenKind
from trialrun.text import Position, Span

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.text import Source
    from trialrun.workspace.live import Live, Part, Reading

Word = tuple[Chars, TokenKind]

_cron = re.compile(
    r"""(?P<keyword>\b(?:CRON_TZ|TZ)(?==)|@[A-Za-z]+)
      | (?<==)(?P<string>[^\s]+)
      | (?P<number>[0-9]+)
      | (?P<enumMember>[A-Za-z]+)
      | (?P<operator>[=*?/,\-])""",
    re.VERBOSE,
)
_CRON_KINDS: Final[tuple[TokenKind, ...]] = ("keyword", "string", "number", "enumMember", "operator")
_cel_comment = re.compile(r"//[^\n]*")
_CEL_KEYWORDS: Final = frozenset({"true", "false", "null", "in"})


def semantic_tokens(live: Live, path: str) -> tuple[Token, ...]:
    """The words of a text's schedules and conditions, in its order; a word over several lines is one in each of them.

    What stands elsewhere, at an anchor, is told there alone.
    """
    reading = live.reading(path)
    if reading is None:
        return ()
    found = {token for part in reading.parts for token in _tokens(reading, part)}
    return tuple(sorted(found, key=lambda token: token.range))


def _tokens(reading: Reading, part: Part) -> Iterator[Token]:
    for place, text, words_of in _texts(part):
        words = list(words_of(text))
        spans = part.document.inside_each(part.fitted.path(place), [chars for chars, _ in words])
        if len(set(spans)) < len(spans):  # the text cannot be found in the file: each is the whole scalar
            continue
        for span, (_, kind) in zip(spans, words, strict=True):
            yield from (Token(line, kind) for line in _lines(reading.source, span))


def _texts(part: Part) -> Iterator[tuple[Place, str, Callable[[str], Iterator[Word]]]]:
    """The texts that are schedules or conditions, as the file has them."""
    for node in _nodes(part.fitted.node):
        name = type(node).__name__
        if name == "SyncConfig" and node.cron:
            yield node.at("cron"), node.cron, cron_words
        if name == "CelUpsell" and node.conditionExpression:
            yield node.at("conditionExpression"), node.conditionExpression, cel_words


def _nodes(root: Node) -> Iterator[Any]:
    from trialrun.model.node import parts

    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        for name, listed, _ in parts(type(node)):
            value = getattr(node, name)
            waiting.extend(one for one in (value or () if listed else [value]) if one is not None)


def cron_words(text: str) -> Iterator[Word]:
    """The words of a schedule: prefix, zone, numbers, names of months and days, and signs."""
    for match in _cron.finditer(text):
        yield from ((match.span(), kind) for kind in _CRON_KINDS if match.lastgroup == kind)


def cel_words(text: str) -> Iterator[Word]:
    """The words of a condition: its tokens, and the comments between them."""
    from trialrun.values.cel.tokens import read_tokens

    end = 0
    before = ""
    tokens = read_tokens(text, [])
    for token, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        yield from ((match.span(), "comment") for match in _cel_comment.finditer(text, end, token.start))
        if token.start < token.end:
            yield (token.start, token.end), _cel_kind(token.kind, token.text, before, following.text)
        end, before = token.end, token.text


def _cel_kind(kind: str, text: str, before: str, following: str) -> TokenKind:
    if kind == "string":
        return "string"
    if kind in ("int", "uint", "float"):
        return "number"
    if kind not in ("name", "quoted"):
        return "operator"
    if text in _CEL_KEYWORDS and before != ".":
        return "keyword"
    if following == "(":
        return "function"
    return "property" if before == "." else "variable"


def _lines(source: Source, span: Span) -> Iterator[Range]:
    """A span line by line, without the blanks that the lines begin and end with."""
    first, last = source.position(span.start).line, source.position(span.end).line
    for number in range(first, last + 1):
        start = source.line_starts[number - 1]
        text = source.line(number)
        begin, end = max(span.start, start) - start, min(span.end - start, len(text))
        if number > first:
            begin += len(text[begin:end]) - len(text[begin:end].lstrip())
        if number < last:
            end = begin + len(text[begin:end].rstrip())
        if begin < end:
            yield Range(Position(number, begin + 1), Position(number, end + 1))
