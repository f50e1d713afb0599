"""The values that the fast path knows with certainty: plain, quoted and block scalars, and collections on one line.

Of anchors, aliases and merge keys, a merge key is only accepted with one alias, to a mapping. As in `compose`, its keys
are added when the mapping is complete, here at the end of the document: a mapping is merged before the next one that
may name it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

from trialrun.parser.nodes import MAX_NODES
from trialrun.parser.scalars import AMBIGUOUS, AMBIGUOUS_WORDS, NUMBER_STARTS, WORDS, decimal, parse_number

SINGLE_QUOTED: Final = r"'[^'\n]*+(?>(?:''[^'\n]*+)*)'"
DOUBLE_QUOTED: Final = r'"[^"\\\n]*+(?>(?:\\["\\/nt][^"\\\n]*+)*)"'
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "n": "\n", "t": "\t"}
MERGE_KEY: Final = "<<"
_HEADERS: Final = ("|", "|-", ">", ">-")

_plain = re.compile(
    r"""
    (?:[^\n !"\#%&'*,\-:=>?@\[\]`{|}]|-(?=[^\n -]))          # no indicator
    [^\n:\#]*+(?>(?:(?::(?![ \n]|\Z)|(?<!\ )\#)[^\n:\#]*+)*)\Z  # no colon before a space, no comment
    """,
    re.VERBOSE,
).match
_quoted = re.compile(rf"({SINGLE_QUOTED}|{DOUBLE_QUOTED})(?: *| +#.*)\Z").match
_escape = re.compile(r"\\(.)").sub
_fold = re.compile(r"(?<=[^\n])\n(\n*)").sub


MAX_KNOWN_LENGTH: Final = 80
"""The longest texts whose values are kept, as many are in the files of a workspace again and again."""


class NotSimple(Exception):
    """The text is not certain to be parsed as it looks."""


def plain_scalar(text: str) -> Any:
    """The value of a plain scalar, with or without a comment behind it."""
    comment = text.find(" #")
    plain = (text if comment < 0 else text[:comment]).rstrip(" ")
    if not _plain(plain):
        raise NotSimple
    return plain_value(plain)


def plain_value(text: str) -> Any:
    """The value of a plain scalar on which all parsers agree."""
    if text in WORDS:
        value = WORDS[text]
        if value is AMBIGUOUS:
            raise NotSimple
        return value
    if text[0] not in NUMBER_STARTS:
        return text
    if decimal(text):
        return int(text)
    reading = parse_number(text)
    if reading.yaml_1_1 is not None:
        raise NotSimple
    return reading.value


def quoted_scalar(text: str) -> str:
    """The text of a quoted scalar, with or without a comment behind it."""
    match = _quoted(text)
    if match is None:
        raise NotSimple
    return unquote(match[1])


def unquote(quoted: str) -> str:
    """The text between quotes, with the escapes of its kind resolved."""
    inner = quoted[1:-1]
    if quoted[0] == "'":
        return inner.replace("''", "'")
    return _escape(lambda match: _ESCAPES[match[1]], inner) if "\\" in inner else inner


def block_scalar(text: str, column: int) -> str:
    """A literal or folded scalar from its header and its lines, which are indented more than `column`."""
    header, _, body = text.partition("\n")
    if header not in _HEADERS or not body:
        raise NotSimple
    lines = _dedent(body.split("\n"), column)
    scalar = _fold_lines(lines) if header[0] == ">" else "\n".join(lines).rstrip("\n")
    return scalar if header[-1] == "-" else scalar + "\n"


def _dedent(lines: list[str], column: int) -> list[str]:
    """The lines from the column on where the first one with a text begins."""
    first = lines[0] if lines[0].strip(" ") else next((line for line in lines if line.strip(" ")), "")
    indent = len(first) - len(first.lstrip(" "))
    if indent <= column:
        raise NotSimple
    margin = " " * indent
    for line in lines:
        if not line.startswith(margin) if line.strip(" ") else len(line) > indent:
            raise NotSimple
    return [line[indent:] for line in lines]


def _fold_lines(lines: list[str]) -> str:
    """One text of the lines; none of them may begin with a space."""
    if "" not in lines:
        if any(line[0] == " " for line in lines):
            raise NotSimple
        return " ".join(lines)
    if any(line.startswith(" ") for line in lines):
        raise NotSimple
    return _fold(lambda match: match[1] or " ", "\n".join(lines).rstrip("\n"))


_NOTEWORTHY_KEYS: Final = AMBIGUOUS_WORDS | {"", "<<"}
_MAX_KEY_LENGTH: Final = 128
_MAX_DEPTH: Final = 8

_QUOTED: Final = f"{SINGLE_QUOTED}|{DOUBLE_QUOTED}"
_WORD: Final = r"""[^\n !-@\[-^`{-~][^\n"\#,:?\[\]{}]*+(?<!\ )"""
_KEY: Final = r"[A-Za-z_][A-Za-z0-9_]{0,127}+"
_PAIR: Final = rf"{_KEY}:\ (?:{_QUOTED}|{_WORD})"
_is_list_of_words = re.compile(rf"\[{_WORD}(?>(?:,\ {_WORD})*)\]\Z").match
_is_flat_mapping = re.compile(rf"\{{{_PAIR}(?>(?:,\ {_PAIR})*)\}}\Z").match
_pairs = re.compile(rf"({_KEY}):\ (?:({_QUOTED})|({_WORD}))").findall

_START: Final = r"""(?:[^\n !"\#%&'*,\-:=>?@\[\]`{|}]|-(?=[A-Za-z0-9]))"""
_REST: Final = r"""[^\n"\#,:?\[\]{}]*+"""
_PLAIN: Final = rf"{_START}{_REST}(?>(?::(?=[A-Za-z0-9/]){_REST})*)"
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


Around = list[tuple[Any, int]]
_anchor = re.compile(r"&([A-Za-z0-9_-]+)(?: ++|\Z)").match
_alias = re.compile(r"\*([A-Za-z0-9_-]+)(?: *| +#.*)\Z").match
_NO_VALUE: Final = frozenset("|>&*")
"""A value behind an anchor that begins so is a block scalar, whose lines were not read with it, or an error."""


class Aliases:
    """The anchors of a document, and the values that aliases and merge keys take from them."""

    def __init__(self) -> None:
        self.anchors: dict[str, Any] = {}
        self._uses: list[Any] = []
        self._merges: list[tuple[Any, int | None]] = []

    def anchor(self, text: str) -> tuple[str, str]:
        """The name of an anchor, and the value behind it on the line. Raises `NotSimple`."""
        match = _anchor(text)
        if match is None:
            raise NotSimple
        name, rest = match[1], text[match.end() :]
        if rest and rest[0] in _NO_VALUE:
            raise NotSimple
        self.anchors[name] = None
        return name, "" if rest[:1] == "#" else rest

    def alias(self, text: str, current: Any, around: Around) -> Any:
        """The value that an alias names, which must be complete. Raises `NotSimple`."""
        match = _alias(text)
        if match is None or match[1] not in self.anchors:
            raise NotSimple
        value = self.anchors[match[1]]
        if value is not None and (value is current or any(value is outer for outer, _ in around)):
            raise NotSimple
        self._uses.append(value)
        return value

    def merge_later(self, value: Any, current: Any, *, is_item: bool) -> None:
        """Note that a mapping merges another: the current one, or that of the list item to come."""
        if type(value) is not dict:
            raise NotSimple
        self._merges.append((current, len(current) if is_item else None))

    def finish(self, size: int) -> None:
        """Merge what is to be merged, and refuse a document that may be too large with every alias written out.

        `size` is the number of characters: at most half as many are nodes.
        """
        from trialrun.parser.compose import expanded_size, merge  # imported here, since few files have anchors

        nodes = size // 2
        for holder, index in self._merges:
            mapping = holder if index is None else holder[index]
            nodes += merge(mapping, [mapping.pop(MERGE_KEY)], MAX_NODES - nodes)
            if nodes > MAX_NODES:
                raise NotSimple
        weights: dict[int, int] = {}
        for value in self._uses:
            nodes += expanded_size(value, weights)
            if nodes > MAX_NODES:
                raise NotSimple
