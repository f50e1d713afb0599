"""The fast path for common YAML, without libyaml: one regular expression over the lines, one flat loop over them.

Its results are certain. Anything else, and anything that needs a warning, is left to libyaml: tags, tabs, scalars
over several lines, ambiguous words, repeated keys, unusual merge keys, and every error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Final

from trialrun.parser.document import ComposedDocument
from trialrun.parser.fast_path_values import (
    MAX_KNOWN_LENGTH,
    MERGE_KEY,
    Aliases,
    NotSimple,
    block_scalar,
    flow_collection,
    plain_scalar,
    quoted_scalar,
)
from trialrun.parser.nodes import MAX_DEPTH, MAX_DOCUMENTS, MAX_NODES

_MAX_DEPTH: Final = MAX_DEPTH - 10
_LINE_BREAKS_1_1: Final = ("\x85", "\u2028", "\u2029", "\ufeff")

# Groups are atomic, (?>(...)?), and never possessive: before 3.11.5, Python loses its place behind a possessive group
# in which something looked ahead.
_lines = re.compile(
    r"""
    ([ ]*+)                                          # the indentation
    (?>(-(?:[ ]++|(?=\n)))?)                         # an item of a list
    (?>(?:                                           # a key that is not a boolean to any reader
      (?!(?:[yY](?:es|ES)|[nN][oO]|[oO](?:[nN]|ff|FF)):)
      ([A-Za-z_][A-Za-z0-9_./-]{0,127}+|<<(?=:[ ]++\*)):(?:[ ]++|(?=\n))
    )?)
    (?:
      (?![tTfFnNyYoO~][A-Za-z]{0,4}+\n)              # a plain text that is no word of the schema, and nothing in it
      ([^\n !"\#%&'*,\-.0-9:=>?@\[\]`{|}+]           # ends a plain scalar
       [^\n:\#]*+(?>(?:(?::(?![ \n])|(?<!\ )\#)[^\n:\#]*+)*))(?<!\ )
    | (0|[1-9][0-9]{0,17}+)                          # a usual number
    | ([|>]-?+(?>(?:\n\1\ [^\n]*+|\n[ ]*+(?=\n))*)   # a block scalar, with all lines further in
      | [^\n]*+)                                      # anything else
    )\n
    """,
    re.VERBOSE,
).findall
_marker = re.compile(r"^---[ ]*(?:(?<=[ ])#[^\n]*)?\n", re.MULTILINE).finditer
_prologue = re.compile(r"(?>(?:[ ]*(?:#[^\n]*)?\n)*)[ ]*+").match


known_plain_scalar = lru_cache(maxsize=1024)(plain_scalar)


def parse_fast(text: str) -> list[ComposedDocument] | None:
    """The documents of a text in which every line is of the simplest kinds and nothing needs a warning; None otherwise.

    The text is one that was decoded, so there is nothing in it that is not printable.
    """
    if not _looks_simple(text):
        return None
    try:
        if "\r" not in text:
            return list(_documents(text))
        return list(_with_carriage_returns(_without_carriage_returns(text)))
    except NotSimple:
        return None


def _looks_simple(text: str) -> bool:
    """Whether it is worth trying: searches for single characters cost next to nothing, and avoid a late failure.

    No text of this length holds more keys and items than a document may have.
    """
    if len(text) >= 2 * MAX_NODES or "\t" in text or not text:
        return False
    if not text.isascii() and any(character in text for character in _LINE_BREAKS_1_1):
        return False
    return text[-1] == "\n" or not ("|" in text or ">" in text)


def _without_carriage_returns(text: str) -> str:
    """The text with line feeds alone, where every line break has a carriage return as well."""
    if not text.count("\r") == text.count("\n") == text.count("\r\n"):
        raise NotSimple
    return text.replace("\r", "")


def _with_carriage_returns(text: str) -> Iterator[ComposedDocument]:
    """The documents with offsets as if every line feed had a carriage return before it."""
    at = returns = 0
    for document in _documents(text):
        start = document.start + returns + text.count("\n", at, document.start)
        returns += text.count("\n", at, document.end)
        at = document.end
        yield ComposedDocument(document.value, start, document.end + returns, document.needs_second_look)


def _documents(text: str) -> Iterator[ComposedDocument]:
    """Every document between markers; a text that ends in a comment has none after its last one."""
    size = len(text)
    whole = text if text[-1] == "\n" else text + "\n"
    markers = [*_marker(whole)] if "\n---" in whole or whole.startswith("---") else []
    if len(markers) >= MAX_DOCUMENTS:
        raise NotSimple
    first_end = markers[0].start() if markers else size
    value = parse_document(whole[:first_end] if markers else whole)
    if value is not None:
        prologue = _prologue(whole)
        yield ComposedDocument(value, prologue.end() if prologue else 0, first_end, False)
    for marker, following in zip_longest(markers, markers[1:]):
        content = whole[marker.end() : following.start()] if following else whole[marker.end() :]
        yield ComposedDocument(parse_document(content), marker.start(), following.start() if following else size, False)


def parse_document(text: str) -> Any:
    """The mapping or list that the lines of one document make; None when they are empty. Raises `NotSimple`.

    One flat loop, and everything usual inside it: a function for each line takes half as long again. `current` is
    the collection that the last line was in, at `level`: twice its column, and one more for a list, which may be
    at the column of its key. An empty value is None until a deeper line opens a collection instead, `slot`.
    """
    root: list[Any] = [None]
    current: Any = root
    slot: Any = 0
    level, is_open = -1, True
    around: list[tuple[Any, int]] = []
    aliases: Aliases | None = None
    anchor: str | None = None
    for indent, dash, key, plain, number, rest in _lines(text):
        if dash:
            own_level = 2 * len(indent) + 1
        elif key:
            own_level = 2 * len(indent)
        elif plain or number or (rest and rest[0] != "#"):
            raise NotSimple
        else:
            continue
        if own_level != level:
            if own_level > level:
                if not is_open or len(around) > _MAX_DEPTH:
                    raise NotSimple
                opened: Any = [] if dash else {}
                current[slot] = opened
                if anchor is not None and aliases is not None:
                    aliases.anchors[anchor] = opened
                around.append((current, level))
                current, level = opened, own_level
            else:
                while level > own_level:
                    current, level = around.pop()
                if level != own_level:
                    raise NotSimple
        is_open, anchor = False, None
        if plain:
            value: Any = plain
        elif number:
            value = int(number)
        elif not rest or rest[0] == "#":
            value, is_open = None, True
        elif rest[0] == "*":
            if aliases is None:
                raise NotSimple
            value = aliases.alias(rest, current, around)
            if key == MERGE_KEY:
                aliases.merge_later(value, current, is_item=bool(dash))
        elif rest[0] == "&":
            aliases = aliases or Aliases()
            anchor, text_behind = aliases.anchor(rest)
            value = aliases.anchors[anchor] = _parse_value(text_behind, 0) if text_behind else None
            is_open = not text_behind
        else:
            value = _parse_value(rest, len(indent) + len(dash) if key else len(indent))
        if not key:
            current.append(value)
            slot = -1
            continue
        if dash:
            entry: dict[str, Any] = {}
            current.append(entry)
            around.append((current, level))
            current, level = entry, 2 * (len(indent) + len(dash))
        elif key in current:
            raise NotSimple
        current[key] = value
        slot = key
    if aliases is not None:
        aliases.finish(len(text))
    return root[0]


def _parse_value(text: str, column: int) -> Any:
    """The value on a line after its key or dash, with the lines of a block scalar below it.

    `column` is that of the key or dash.
    """
    first = text[0]
    if first in "'\"":
        return quoted_scalar(text)
    if first in "[{":
        return flow_collection(text)
    if first in "|>":
        return block_scalar(text, column)
    return known_plain_scalar(text) if len(text) <= MAX_KNOWN_LENGTH else plain_scalar(text)
