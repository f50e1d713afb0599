"""Semantic tokens: the tokens of schedules, conditions, types and scripts inside scalars and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Path, Range, SymbolicLocation
from trialrun.lsp.embedded_tokens import TokenSpan, cel_tokens, cron_tokens, script_tokens, type_tokens
from trialrun.lsp.results import Token, TokenKind
from trialrun.model.node import TextFormat, texts_of_format
from trialrun.text import Position, Span
from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.lsp.symbols import Occurrence
    from trialrun.model.node import Node
    from trialrun.parser import Document
    from trialrun.text import Source
    from trialrun.workspace.open_workspace import OpenWorkspace, ResourceInFile, WorkspaceFile

Tokenize = Callable[[str], Iterator[TokenSpan]]
_TOKENIZERS: Final[dict[TextFormat, Tokenize]] = {
    "cron": cron_tokens,
    "cel-condition": cel_tokens,
    "cel-type": type_tokens,
    "session-script": script_tokens,
}
_NAMED: Final[dict[str, TokenKind]] = {
    "item": "variable",
    "modifier": "variable",
    "modifier group": "variable",
    "daypart": "variable",
    "upsell": "enumMember",
    "session variable": "variable",
    "session field": "property",
}
"""The names in what customers do and in tables; in conditions the words themselves are shown."""


def semantic_tokens(workspace: OpenWorkspace, path: str) -> tuple[Token, ...]:
    """The words of a text that mean something, in its order; a word over several lines is one in each of them.

    What is elsewhere, at an anchor, is told there alone. No two of them have a character in common.
    """
    file = workspace.workspace_file(path)
    if file is None:
        return ()
    tokens = {token for part in file.resources for token in _of_part(workspace, file, part)}
    if absolute_path(path) in workspace.request.profiles.policies.files:
        tokens.update(_of_policies(file))
    return tuple(_apart(sorted(tokens, key=lambda token: (token.range, token.kind))))


def _of_part(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Token]:
    for place, text, words_of in _texts(part):
        yield from _tokens(file, part.document, part.model.path(place), list(words_of(text)))
    if part.kind == "Scenario":
        yield from _of_scenario(workspace, file, part)


def _tokens(
    file: WorkspaceFile, document: Document, steps: Path, words: list[TokenSpan], *, at_key: bool = False
) -> Iterator[Token]:
    """Words of one value, or of one key, as tokens."""
    if document.is_aliased(steps) and not at_key:
        return
    ranges = [chars for chars, _ in words]
    spans = (
        [document.key_text_span(steps, *range_) for range_ in ranges]
        if at_key
        else document.scalar_spans(steps, ranges)
    )
    whole = document.key_span(steps) if at_key else document.span(steps)
    is_bare = whole is None or whole.end - whole.start == len(_text(document, steps, at_key=at_key))
    if len(set(spans)) < len(spans) or (whole in spans and not is_bare):
        return  # the text cannot be found in the file: each is the whole scalar
    for span, (_, kind) in zip(spans, words, strict=True):
        yield from (Token(line, kind) for line in _lines(file.source, span))


def _text(document: Document, steps: Path, *, at_key: bool) -> str:
    from trialrun.lint.positions import find_value

    return str(steps[-1] if at_key else find_value(document.value, steps))


def _texts(part: ResourceInFile) -> Iterator[tuple[SymbolicLocation, str, Tokenize]]:
    """The texts that are schedules, conditions or types, as the file has them."""
    for node in _nodes(part.model.node):
        for text_format, tokenize in _TOKENIZERS.items():
            for steps, text in texts_of_format(node, text_format):
                if text:
                    yield node.location(*steps), text, tokenize


def _of_scenario(workspace: OpenWorkspace, file: WorkspaceFile, part: ResourceInFile) -> Iterator[Token]:
    """The names in what customers do, in tables and in keys, and the conditions that are keys."""
    from trialrun.lsp.symbols import occurrences

    found: dict[tuple[Path, bool], list[Occurrence]] = {}
    for occurrence in occurrences(workspace, file):
        is_inside = occurrence.chars is not None and occurrence.document == part.document.index
        if is_inside and occurrence.kind in _NAMED and occurrence.steps[: len(part.root)] == part.root:
            found.setdefault((occurrence.steps, occurrence.at_key), []).append(occurrence)
    for (steps, at_key), some in found.items():
        if at_key and steps[-2:-1] == ("parts",):
            yield from _tokens(file, part.document, steps, list(cel_tokens(str(steps[-1]))), at_key=True)
        else:
            words = dict.fromkeys(
                (occurrence.chars, _NAMED[occurrence.kind]) for occurrence in some if occurrence.chars
            )
            yield from _tokens(file, part.document, steps, list(words), at_key=at_key)


def _of_policies(file: WorkspaceFile) -> Iterator[Token]:
    """The expressions of policies."""
    from trialrun.lint.policy.policy_document import KEYS

    expressions = [key for key, policy_key in KEYS.items() if policy_key.cel_type is not None]
    for document in file.parsed.documents:
        if isinstance(document.value, dict):
            for key in expressions:
                text = document.value.get(key)
                if isinstance(text, str):
                    yield from _tokens(file, document, (key,), list(cel_tokens(text)))


def _apart(tokens: Iterable[Token]) -> Iterator[Token]:
    """Those that begin where the ones before them have ended."""
    end = Position(1, 1)
    for token in tokens:
        if token.range.start >= end:
            yield token
            end = token.range.end


def _nodes(root: Node) -> Iterator[Any]:
    from trialrun.model.node import message_fields

    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        for name, listed, _ in message_fields(type(node)):
            value = getattr(node, name)
            waiting.extend(child for child in (value or () if listed else [value]) if child is not None)


def _lines(source: Source, span: Span) -> Iterator[Range]:
    """A span line by line, without the spaces that the lines begin and end with."""
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
