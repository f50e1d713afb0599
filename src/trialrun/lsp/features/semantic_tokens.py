"""What the words of schedules, conditions, types and scripts are, inside scalars and keys of every style."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Path, Place, Range
from trialrun.lsp.embedded_tokens import Word, cel_words, cron_words, type_words, verb_words
from trialrun.lsp.results import Token, TokenKind
from trialrun.text import Position, Span

if TYPE_CHECKING:
    from trialrun.lsp.symbols import Mention
    from trialrun.model.node import Node
    from trialrun.parser import Document
    from trialrun.text import Source
    from trialrun.workspace.open_workspace import Live, Part, Reading

Read = Callable[[str], Iterator[Word]]
_OF_POLICY: Final = ("check", "messageExpression")
_NAMED: Final[dict[str, TokenKind]] = {
    "item": "variable",
    "modifier": "variable",
    "modifier group": "variable",
    "upsell": "enumMember",
    "session variable": "variable",
    "session field": "property",
}
"""The names in what customers do and in tables; in conditions the words themselves are told."""


def semantic_tokens(live: Live, path: str) -> tuple[Token, ...]:
    """The words of a text that mean something, in its order; a word over several lines is one in each of them.

    What stands elsewhere, at an anchor, is told there alone. No two of them have a character in common.
    """
    reading = live.reading(path)
    if reading is None:
        return ()
    found = {token for part in reading.parts for token in _of_part(live, reading, part)}
    if os.path.abspath(path) in live.request.profiles.policies.files:
        found.update(_of_policies(reading))
    return tuple(_apart(sorted(found, key=lambda token: (token.range, token.kind))))


def _of_part(live: Live, reading: Reading, part: Part) -> Iterator[Token]:
    for place, text, words_of in _texts(part):
        yield from _tokens(reading, part.document, part.fitted.path(place), list(words_of(text)))
    if part.kind == "Scenario":
        yield from _of_scenario(live, reading, part)


def _tokens(
    reading: Reading, document: Document, steps: Path, words: list[Word], *, at_key: bool = False
) -> Iterator[Token]:
    """Words of one value, or of one key, as tokens."""
    if document.shared(steps) and not at_key:
        return
    ranges = [chars for chars, _ in words]
    spans = [document.key_inside(steps, *one) for one in ranges] if at_key else document.inside_each(steps, ranges)
    whole = document.key_span(steps) if at_key else document.span(steps)
    is_bare = whole is None or whole.end - whole.start == len(_text(document, steps, at_key=at_key))
    if len(set(spans)) < len(spans) or (whole in spans and not is_bare):
        return  # the text cannot be found in the file: each is the whole scalar
    for span, (_, kind) in zip(spans, words, strict=True):
        yield from (Token(line, kind) for line in _lines(reading.source, span))


def _text(document: Document, steps: Path, *, at_key: bool) -> str:
    from trialrun.lint.positions import value_at

    return str(steps[-1] if at_key else value_at(document.value, steps))


def _texts(part: Part) -> Iterator[tuple[Place, str, Read]]:
    """The texts that are schedules, conditions or types, as the file has them."""
    for node in _nodes(part.fitted.node):
        name = type(node).__name__
        if name == "SyncConfig" and node.cron:
            yield node.at("cron"), node.cron, cron_words
        if name == "CelUpsell" and node.conditionExpression:
            yield node.at("conditionExpression"), node.conditionExpression, cel_words
        if name == "SessionSchema":
            for type_, fields in (node.types or {}).items():
                yield from ((Place(node, ("types", type_, field)), text, type_words) for field, text in fields.items())
            for variable, text in (node.variables or {}).items():
                yield Place(node, ("variables", variable)), text, type_words
        if name == "SessionTurn" and node.customer:
            yield node.at("customer"), node.customer, verb_words


def _of_scenario(live: Live, reading: Reading, part: Part) -> Iterator[Token]:
    """The names in what customers do, in tables and in keys, and the conditions that are keys."""
    from trialrun.lsp.symbols import mentions

    found: dict[tuple[Path, bool], list[Mention]] = {}
    for one in mentions(live, reading):
        is_inside = one.chars is not None and one.document == part.document.index
        if is_inside and one.sort in _NAMED and one.steps[: len(part.root)] == part.root:
            found.setdefault((one.steps, one.at_key), []).append(one)
    for (steps, at_key), some in found.items():
        if at_key and steps[-2:-1] == ("parts",):
            yield from _tokens(reading, part.document, steps, list(cel_words(str(steps[-1]))), at_key=True)
        else:
            words = dict.fromkeys((one.chars, _NAMED[one.sort]) for one in some if one.chars)
            yield from _tokens(reading, part.document, steps, list(words), at_key=at_key)


def _of_policies(reading: Reading) -> Iterator[Token]:
    """The expressions of policies."""
    for document in reading.tree.documents:
        if isinstance(document.value, dict):
            for key in _OF_POLICY:
                text = document.value.get(key)
                if isinstance(text, str):
                    yield from _tokens(reading, document, (key,), list(cel_words(text)))


def _apart(tokens: Iterable[Token]) -> Iterator[Token]:
    """Those that begin where the ones before them have ended."""
    end = Position(1, 1)
    for token in tokens:
        if token.range.start >= end:
            yield token
            end = token.range.end


def _nodes(root: Node) -> Iterator[Any]:
    from trialrun.model.node import parts

    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        for name, listed, _ in parts(type(node)):
            value = getattr(node, name)
            waiting.extend(one for one in (value or () if listed else [value]) if one is not None)


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
