"""Tokenizers of the languages embedded in texts: cron, CEL, types and session scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from trialrun.diagnostic import Chars
from trialrun.lsp.results import TokenKind

TokenSpan = tuple[Chars, TokenKind]

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

_number = re.compile(r"(?<![\w.-])[0-9]+(?![\w.-])")


def cron_tokens(text: str) -> Iterator[TokenSpan]:
    """The words of a schedule: prefix, zone, numbers, names of months and days, and signs."""
    for match in _cron.finditer(text):
        yield from ((match.span(), kind) for kind in _CRON_KINDS if match.lastgroup == kind)


def cel_tokens(text: str) -> Iterator[TokenSpan]:
    """The words of a condition: its tokens, and the comments between them."""
    from trialrun.values.cel.tokens import tokenize

    end = 0
    before = ""
    tokens = tokenize(text, [])
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


def type_tokens(text: str) -> Iterator[TokenSpan]:
    """The words of a type of the session: built-in ones, names of types, members of an enumeration."""
    from trialrun.lsp.symbols.conditions import type_names
    from trialrun.values.cel.type_syntax import CONSTRUCTORS, SCALARS

    named = {chars for _, chars in type_names(text)}
    for match in re.finditer(r"[A-Za-z_][A-Za-z0-9_-]*|[(),?]", text):
        if match.span() in named:
            yield match.span(), "type"
        elif match[0] in SCALARS or match[0] in CONSTRUCTORS:
            yield match.span(), "keyword"
        else:
            yield match.span(), "operator" if match[0] in "(),?" else "enumMember"


def script_tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[TokenSpan]:
    """What a customer does, in a part of a text: verbs, quantities and what is between moves."""
    from trialrun.runtime.channel_config.script.parse import VERB

    end = len(text) if end is None else end
    at = start
    while at < end:
        stop = text.find(";", at, end)
        stop = end if stop < 0 else stop
        begin = at + len(text[at:stop]) - len(text[at:stop].lstrip())
        verb = VERB.match(text, begin, stop)
        if verb:
            yield verb.span(), "keyword"
        for number in _number.finditer(text, verb.end() if verb else begin, stop):
            yield number.span(), "number"
        if stop < end:
            yield (stop, stop + 1), "operator"
        at = stop + 1
