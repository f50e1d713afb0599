"""Flow collections of the fast path: lists in brackets and mappings in braces, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from trialrun.parser.fast_path_scalars import (
    DOUBLE_QUOTED,
    MAX_KNOWN_LENGTH,
    SINGLE_QUOTED,
    NotSimple,
    plain_value,
    unquote,
)
from trialrun.parser.scalars import AMBIGUOUS_WORDS, NUMBER_STARTS, WORDS

_NOTEWORTHY_KEYS: Final = AMBIGUOUS_WORDS | {"", "<<"}
_MAX_KEY_LENGTH: Final = 128
_MAX_DEPTH: Final = 8

_QUOTED: Final = f"{SINGLE_QUOTED}|{DOUBLE_QUOTED}"
_WORD: Final = r"""[^\n !-@\[-^`{-~][^\n"\#,:?\[\]{}]*+(?<!\ )"""
_KEY: Final = r"[A-Za-z_][A-Za-z0-9_]{0,127}+"
_PAIR: Final = rf"{_KEY}:\ (?:{_QUOTED}|{_WORD})"
_is_list_of_words = re.compile(rf"\[{_WORD}(?:,\ {_WORD})*+\]\Z").match
_is_flat_mapping = re.compile(rf"\{{{_PAIR}(?:,\ {_PAIR})*+\}}\Z").match
_pairs = re.compile(rf"({_KEY}):\ (?:({_QUOTED})|({_WORD}))").findall

_START: Final = r"""(?:[^\n !"\#%&'*,\-:=>?@\[\]`{|}]|-(?=[A-Za-z0-9]))"""
_REST: Final = r"""[^\n"\#,:?\[\]{}]*+"""
_PLAIN: Final = rf"{_START}{_REST}(?::(?=[A-Za-z0-9/]){_REST})*+"
_tokens = re.compile(rf"[ ]*+(?:([\[\]{{}},])|(?:({_QUOTED})|({_PLAIN}))(:[ ])?|(?<=[ ])\#.*|(.))").findall

Token = tuple[str, str, str, str, str]
"""One of a flow collection's marks, a quoted text, a plain one; whether a colon follows; what is none of these."""

_NO_TOKEN: Final[Token] = ("", "", "", "", "")


def flow_collection(text: str) -> Any:
    """A list or a mapping, with or without a comment behind it. Raises `NotSimple`.

    Those of plain and quoted texts alone are split by whole-line searches, the others token by token.
    """
    flat = _known_flat_collection(text) if len(text) <= MAX_KNOWN_LENGTH else _flat_collection(text)
    if flat is not None:
        return flat.copy()
    tokens = iter(_tokens(text))
    value = _value(next(tokens), tokens, 0)
    if any(next(tokens, _NO_TOKEN)):
        raise NotSimple
    return value


@lru_cache(maxsize=1024)
def _known_flat_collection(text: str) -> list[str] | dict[str, str] | None:
    return _flat_collection(text)


def _flat_collection(text: str) -> list[str] | dict[str, str] | None:
    """The collection if all its values are texts and certainly so; None otherwise."""
    if _is_list_of_words(text):
        items = text[1:-1].split(", ")
        return items if WORDS.keys().isdisjoint(items) else None
    if text == "{}":
        return {}
    if not _is_flat_mapping(text):
        return None
    pairs = _pairs(text)
    mapping = {key: unquote(quoted) if quoted else plain for key, quoted, plain in pairs}
    plain_ones = [plain for _, quoted, plain in pairs if not quoted]
    is_certain = len(mapping) == len(pairs) and _NOTEWORTHY_KEYS.isdisjoint(mapping)
    return mapping if is_certain and WORDS.keys().isdisjoint(plain_ones) else None


def _value(token: Token, tokens: Iterator[Token], depth: int) -> Any:
    sign, quoted, plain, colon, _ = token
    if colon:
        raise NotSimple
    if plain:
        return plain_value(plain.rstrip(" "))
    if quoted:
        return unquote(quoted)
    if depth == _MAX_DEPTH or sign not in ("[", "{"):
        raise NotSimple
    return _list(tokens, depth + 1) if sign == "[" else _mapping(tokens, depth + 1)


def _list(tokens: Iterator[Token], depth: int) -> list[Any]:
    items: list[Any] = []
    token = next(tokens, _NO_TOKEN)
    if token[0] == "]":
        return items
    while True:
        items.append(_value(token, tokens, depth))
        sign = next(tokens, _NO_TOKEN)[0]
        if sign == "]":
            return items
        if sign != ",":
            raise NotSimple
        token = next(tokens, _NO_TOKEN)


def _mapping(tokens: Iterator[Token], depth: int) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    token = next(tokens, _NO_TOKEN)
    if token[0] == "}":
        return mapping
    while True:
        key = _key(token)
        if key in mapping:
            raise NotSimple
        mapping[key] = _value(next(tokens, _NO_TOKEN), tokens, depth)
        sign = next(tokens, _NO_TOKEN)[0]
        if sign == "}":
            return mapping
        if sign != ",":
            raise NotSimple
        token = next(tokens, _NO_TOKEN)


def _key(token: Token) -> str:
    _, quoted, plain, colon, _ = token
    key = unquote(quoted) if quoted else plain
    if not colon or len(key) > _MAX_KEY_LENGTH or key[-1:] == " ":
        raise NotSimple
    if key in _NOTEWORTHY_KEYS or key[0] in NUMBER_STARTS:
        raise NotSimple
    return key
