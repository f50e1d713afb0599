"""The flow collections of simple YAML: lists in brackets and mappings in braces, on one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from trialrun.parser.fast_path_scalars import DOUBLE_QUOTED, SINGLE_QUOTED, Unsimple, plain_value, unquoted
from trialrun.parser.scalars import AMBIGUOUS_WORDS, FIRST_OF_NUMBER, WORDS

_NOTEWORTHY_KEYS: Final = AMBIGUOUS_WORDS | {"", "<<"}
_LONGEST_KEY: Final = 128
_DEEPEST: Final = 8

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


def flow_collection(written: str) -> Any:
    """A list or a mapping, with or without a comment behind it. Raises `Unsimple`.

    Those of plain and quoted texts alone are taken apart by whole-line searches, the others token by token.
    """
    flat = _flat(written)
    if flat is not None:
        return flat
    tokens = iter(_tokens(written))
    value = _value(next(tokens), tokens, 0)
    if any(next(tokens, _NO_TOKEN)):
        raise Unsimple
    return value


def _flat(written: str) -> Any:
    """The collection if all its values are texts and certainly so; None otherwise."""
    if _is_list_of_words(written):
        items = written[1:-1].split(", ")
        return items if WORDS.keys().isdisjoint(items) else None
    if written == "{}":
        return {}
    if not _is_flat_mapping(written):
        return None
    pairs = _pairs(written)
    mapping = {key: unquoted(quoted) if quoted else plain for key, quoted, plain in pairs}
    plain_ones = [plain for _, quoted, plain in pairs if not quoted]
    is_certain = len(mapping) == len(pairs) and _NOTEWORTHY_KEYS.isdisjoint(mapping)
    return mapping if is_certain and WORDS.keys().isdisjoint(plain_ones) else None


def _value(token: Token, tokens: Iterator[Token], depth: int) -> Any:
    sign, quoted, plain, colon, _ = token
    if colon:
        raise Unsimple
    if plain:
        return plain_value(plain.rstrip(" "))
    if quoted:
        return unquoted(quoted)
    if depth == _DEEPEST or sign not in ("[", "{"):
        raise Unsimple
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
            raise Unsimple
        token = next(tokens, _NO_TOKEN)


def _mapping(tokens: Iterator[Token], depth: int) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    token = next(tokens, _NO_TOKEN)
    if token[0] == "}":
        return mapping
    while True:
        key = _key(token)
        if key in mapping:
            raise Unsimple
        mapping[key] = _value(next(tokens, _NO_TOKEN), tokens, depth)
        sign = next(tokens, _NO_TOKEN)[0]
        if sign == "}":
            return mapping
        if sign != ",":
            raise Unsimple
        token = next(tokens, _NO_TOKEN)


def _key(token: Token) -> str:
    _, quoted, plain, colon, _ = token
    key = unquoted(quoted) if quoted else plain
    if not colon or len(key) > _LONGEST_KEY or key[-1:] == " ":
        raise Unsimple
    if key in _NOTEWORTHY_KEYS or key[0] in FIRST_OF_NUMBER:
        raise Unsimple
    return key
