"""Scanner of a script line, and the names of items and modifiers in it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, NameIndex, NotOnMenuError

WHITESPACE = re.compile(r"\s*")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
ACTION_END = re.compile(r"\s*(?:$|;)|\s+#|^#|(?<=[\s;])#")
"""Where a move ends: at the line's end, a semicolon or a comment, which follows a space."""
BACKSLASH_MESSAGE = 'after a backslash comes ", \\, n, t, or u and four hexadecimal digits; write \\\\ for a backslash'


class ScanError(Exception):
    """What is from `start` to `end` of a line cannot be read."""

    def __init__(self, start: int, end: int, message: str) -> None:
        super().__init__(message)
        self.start, self.end, self.message = start, end, message


def unquote(match: re.Match[str], group: int) -> str:
    """What a group of a match, a text in quotes, stands for. Raises ScanError."""
    try:
        return str(json.loads(match[group], strict=False))
    except ValueError:
        raise ScanError(*match.span(group), BACKSLASH_MESSAGE) from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


JSON = json.JSONDecoder(parse_constant=_no_number)
"""JSON as its standard has it, which knows no NaN and no Infinity."""


@dataclass(frozen=True, slots=True)
class NameToken:
    """A name in a line, with its quotes where it has some, and the entry of the menu, or the group, that it means."""

    start: int
    end: int
    entry: Any


class Scanner:
    """A line, how much of it is read, and the names that were read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.names: list[NameToken] = []

    def skip(self) -> int:
        """Pass over spaces; where that leads to."""
        match = WHITESPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    @property
    def at_end(self) -> bool:
        """Whether nothing of the move is left."""
        return ACTION_END.match(self.text, self.at) is not None

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what fits a pattern here, after spaces; nothing of it is read where it does not fit."""
        start = self.at
        match = pattern.match(self.text, self.skip())
        self.at = match.end() if match else start
        return match

    def end_of(self, stop: re.Pattern[str]) -> int:
        """Where what begins here ends: at the first stop after its first character.

        A stop takes the spaces before it, so it begins at none but the first of them.
        """
        for position in range(self.at + 1, len(self.text)):
            is_inside_whitespace = self.text[position].isspace() and self.text[position - 1].isspace()
            if not is_inside_whitespace and stop.match(self.text, position):
                return position
        return len(self.text)

    @property
    def action_end(self) -> int:
        """Where the move that is read ends."""
        return self.at if self.at_end else self.end_of(ACTION_END)

    def rest(self) -> str:
        """Read the rest of the move as it is written."""
        start = self.skip()
        self.at = self.action_end
        return self.text[start : self.at]

    def read_quoted(self, after: re.Pattern[str]) -> str | None:
        """Read a text in quotes, where one is here that goes before what may come after it."""
        match = QUOTED.match(self.text, self.skip())
        if match is None or not after.match(self.text, match.end()):
            return None
        self.at = match.end()
        return unquote(match, 0)

    def quote_error(self) -> ScanError:
        """What is wrong with the quotes that begin here."""
        start = self.at
        match = QUOTED.match(self.text, start)
        self.recover()
        if match:
            return ScanError(match.end(), self.at, "text after the closing quote; put all of it in quotes, or none")
        self.at = len(self.text)
        return ScanError(start, len(self.text.rstrip()), 'the quotes are not closed; write " at their end')

    def recover(self) -> None:
        """Go on to where the move ends, past what is in quotes."""
        while not self.at_end and self.at < len(self.text):
            quote = QUOTED.match(self.text, self.at)
            self.at = quote.end() if quote else self.at + 1
            if self.text[self.at - 1].isspace():
                self.skip()


Entry = TypeVar("Entry", Item, Modifier)
AFTER_MODIFIER = re.compile(r"\s*(?:$|[;,])|\s+(?:#|(?:and|&)(?=\s|$))", re.IGNORECASE)
AFTER_ITEM = re.compile(r"\s*(?:$|[;,])|\s+(?:#|(?:and|&|with|w/)(?=\s|$))", re.IGNORECASE)
AFTER_COUNTED = re.compile(r"\s*=|\s+(?:(?:to|x|×)\s*)?[-+]?\d+\s*(?:$|;|\s#)|\s+to(?=\s|$)", re.IGNORECASE)
AFTER_GROUP = re.compile(r"\s*:(?=\s|\")")
FREE_ITEM = re.compile(r"\s*(?:$|[;,])|\s+(?:#|(?:with|w/)(?=\s|$)|(?:and|&)\s+\d)", re.IGNORECASE)
FREE_MODIFIER = re.compile(r"\s*(?:$|[;,])|\s+#")
FREE_COUNTED = re.compile(rf"{AFTER_COUNTED.pattern}|\s*(?:$|;)|\s+#", re.IGNORECASE)
GROUP = re.compile(r"[^:;,\"]*?[^:;,\"\s](?=\s*:[\s\"])")
END = re.compile(r"\s|$|[;,:=]")


@dataclass(frozen=True, slots=True)
class NameSyntax:
    """What may come after a name: after one that the menu has, and after any other."""

    known: re.Pattern[str]
    free: re.Pattern[str]


ITEM = NameSyntax(AFTER_ITEM, FREE_ITEM)
COUNTED = NameSyntax(AFTER_COUNTED, FREE_COUNTED)
MODIFIER = NameSyntax(AFTER_MODIFIER, FREE_MODIFIER)


def read_item(scanner: Scanner, menu: BrandMenu, syntax: NameSyntax = ITEM) -> Item:
    """Read the item whose name or id is next. Raises ScanError."""
    start = scanner.skip()
    item = _read_item_name(scanner, menu, syntax)
    scanner.names.append(NameToken(start, scanner.at, item))
    return item


def _read_item_name(scanner: Scanner, menu: BrandMenu, syntax: NameSyntax) -> Item:
    start = scanner.at
    item = _read_known(scanner, menu.name_index, syntax)
    if item:
        return item
    text = _read_free(scanner, syntax, "say which item")
    try:
        return menu.item(text)
    except NotOnMenuError as error:
        raise ScanError(start, scanner.at, str(error)) from None


def has_item(scanner: Scanner, menu: BrandMenu, syntax: NameSyntax = ITEM) -> bool:
    """Whether the name or the id of an item of the menu is next; nothing is read."""
    start = scanner.at
    item = _read_known(scanner, menu.name_index, syntax)
    scanner.at = start
    return item is not None


def read_modifier(scanner: Scanner, menu: BrandMenu, item: Item | None) -> Modifier:
    """The modifier whose name or id is here, perhaps after its group and a colon. Raises ScanError."""
    start, group = scanner.skip(), _read_group(scanner, menu, item)
    name_start = scanner.skip()
    modifier = _read_modifier_name(scanner, menu, item, start, group)
    scanner.names.append(NameToken(name_start, scanner.at, modifier))
    return modifier


def _read_modifier_name(scanner: Scanner, menu: BrandMenu, item: Item | None, start: int, group: str) -> Modifier:
    candidates = [modifier for modifier in menu.modifiers_of(item) if group in ("", modifier.group, modifier.group_id)]
    modifier = _read_known(scanner, NameIndex(candidates), MODIFIER)
    if modifier:
        return modifier
    text = _read_free(scanner, MODIFIER, "say which modifier")
    try:
        return menu.modifier(text, item, group=group)
    except NotOnMenuError as error:
        raise ScanError(start, scanner.at, _item_as_modifier_message(text, item, menu) or str(error)) from None


def _item_as_modifier_message(text: str, item: Item | None, menu: BrandMenu) -> str | None:
    """The message for an item in the place of a modifier."""
    other_item = menu.name_index.resolve(text) if menu.is_declared else None
    if other_item is None or item is None:
        return None
    return f'"{other_item.name}" is an item, not a modifier of "{item.name}"; order it after a semicolon'


def _read_known(scanner: Scanner, name_index: NameIndex[Entry], syntax: NameSyntax) -> Entry | None:
    """Read the entry that is named here, in quotes or by the longest name that fits."""
    start = scanner.skip()
    quoted = scanner.read_quoted(syntax.known)
    if quoted is not None:
        entry = name_index.resolve(quoted)
        scanner.at = scanner.at if entry else start
        return entry
    for end in _name_ends(scanner, name_index.max_words, syntax.known):
        if entry := name_index.resolve(scanner.text[start:end]):
            scanner.at = end
            return entry
    return None


def _name_ends(scanner: Scanner, most_words: int, after: re.Pattern[str]) -> Iterator[int]:
    """Where a name that begins here may end, the longest first."""
    ends: list[int] = []
    words = 0
    for match in END.finditer(scanner.text, scanner.at + 1):
        end = match.start()
        if scanner.text[end - 1].isspace():
            continue
        words += not match[0] or match[0].isspace()
        ends.append(end)
        if words > most_words:
            break
    yield from (end for end in reversed(ends) if after.match(scanner.text, end))


def _read_free(scanner: Scanner, syntax: NameSyntax, wanted: str) -> str:
    """Read a name that the menu does not have."""
    start = scanner.skip()
    if syntax.free.match(scanner.text, start):
        raise ScanError(start, start, f"the name is missing; {wanted}")
    quoted = scanner.read_quoted(syntax.free)
    if quoted is not None:
        return quoted
    if scanner.text[start] == '"':
        raise scanner.quote_error()
    scanner.at = scanner.end_of(syntax.free)
    return scanner.text[start : scanner.at]


def _read_group(scanner: Scanner, menu: BrandMenu, item: Item | None) -> str:
    """Read the name of a group, where one is before a modifier and a colon; else nothing."""
    start = scanner.skip()
    quoted = scanner.read_quoted(AFTER_GROUP)
    if quoted is None and (match := GROUP.match(scanner.text, start)):
        quoted, scanner.at = match[0], match.end()
    group_names = [name for modifier in menu.modifiers_of(item) for name in (modifier.group, modifier.group_id) if name]
    if quoted is None or (menu.lists_modifiers and quoted not in group_names):
        scanner.at = start
        return ""
    scanner.names.append(NameToken(start, scanner.at, quoted))
    scanner.match(re.compile(":"))
    return quoted
