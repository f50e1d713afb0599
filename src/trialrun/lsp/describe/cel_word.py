"""A word of a condition that has mistakes, by what stands before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.describe.condition import Typed, does, type_paragraphs
from trialrun.values.cel.tokens import Token, read_tokens
from trialrun.values.cel.type_syntax import type_text

if TYPE_CHECKING:
    from trialrun.values.cel import Schema
    from trialrun.values.problem import Problem


def word_at(text: str, at: int, schema: Schema) -> Typed | None:
    """What is known of the name or the operator at a character; None where nothing is."""
    problems: list[Problem] = []
    tokens = read_tokens(text, problems)
    index = next((place for place, one in enumerate(tokens) if one.start <= at < one.end), None)
    if index is None:
        return None
    token = tokens[index]
    if token.kind == "operator":
        return _told(token.start, token.end, *does("? :" if token.text in ("?", ":") else token.text))
    if token.kind != "name":
        return None
    if tokens[index + 1 : index + 2] and tokens[index + 1].text == "(":
        return _told(token.start, token.end, *_function(tokens, index))
    return _name(text, tokens, index, schema)


def _function(tokens: list[Token], index: int) -> tuple[str, ...]:
    """The function that is called here, in its namespace where there is one."""
    name = tokens[index].text
    spaced = f"{tokens[index - 2].text}.{name}" if index >= 2 and tokens[index - 1].text == "." else name
    return tuple(does(spaced)) or tuple(does(name))


def _name(text: str, tokens: list[Token], index: int, schema: Schema) -> Typed | None:
    """A variable or a field, whose type follows from what stands before it alone."""
    from trialrun.lsp.features.completion.cel_scope import Condition

    start = index
    while start >= 2 and tokens[start - 1].text == "." and tokens[start - 2].kind == "name":
        start -= 2
    of = Condition(tokens[: index + 1], schema).type_before(index + 1)
    if of is None:
        return _told(tokens[index].start, tokens[index].end, *does(tokens[index].text))
    first, last = tokens[start].start, tokens[index].end
    return Typed(first, last, tuple(type_paragraphs(text[first:last], type_text(of), schema)), is_word=True)


def _told(start: int, end: int, *paragraphs: str) -> Typed | None:
    return Typed(start, end, paragraphs) if paragraphs else None
