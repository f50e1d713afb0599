"""Scanner of a line of a session script, which reads names of items and modifiers by the menu."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, NameIndex, NotOnMenuError

WHITESPACE = re.compile(r"\s*")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
ACTION_END = re.compile(r"\s*(?:$|;)|\s+#|^#|(?<=[\s;])#")
"""Where a move ends: at the line's end, a semicolon or a comment, which follows a space."""
BACKSLASH_MESSAGE = 'after a backslash comes ", \\, n, t, or u and four hexadecimal digits; write \\\\ for a backslash'
AFTER_MODIFIER = re.compile(r"\s*(?:$|[;,])|\s+(?:#|(?:and|&)(?=\s|$))", re.IGNORECASE)
AFTER_ITEM = re.compile(r"\s*(?:$|[;,])|\s+(?:#|(?:and|&|with|w/)(?=\s|$))", re.IGNORECASE)
AFTER_COUNTED = re.compile(r"\s*=|\s+(?:(?:to|x|×)\s*)?[-+]?\d+\s*(?:$|;|\s#)|\s+to(?=\s|$)", re.IGNORECASE)
AFTER_GROUP = re.compile(r"\s*:(?=\s|\")")
FREE_ITEM = re.compile(r"\s*(?:$|[;,])|\s+(?:#|(?:with|w/)(?=\s|$)|(?:and|&)\s+\d)", re.IGNORECASE)
FREE_MODIFIER = re.compile(r"\s*(?:$|[;,])|\s+#")
FREE_COUNTED = re.compile(rf"{AFTER_COUNTED.pattern}|\s*(?:$|;)|\s+#", re.IGNORECASE)
GROUP = re.compile(r"[^:;,\"]*?[^:;,\"\s](?=\s*:[\s\"])")
COLON = re.compile(":")
END = re.compile(r"\s|$|[;,:=]")

Read = TypeVar("Read")
Entry = TypeVar("Entry", Item, Modifier)


class NameSyntax(NamedTuple):
    """What may come after a name: after one that the menu has, and after any other."""

    known: re.Pattern[str]
    free: re.Pattern[str]


ITEM = NameSyntax(AFTER_ITEM, FREE_ITEM)
COUNTED = NameSyntax(AFTER_COUNTED, FREE_COUNTED)
MODIFIER = NameSyntax(AFTER_MODIFIER, FREE_MODIFIER)


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


@dataclass(frozen=True, slots=True)
class NameToken:
    """A name in a line, with its quotes where it has some, and the entry of the menu, or the group, that it means."""

    start: int
    end: int
    entry: Any


class Scanner:
    """A line, how much of it is read, and the names that were read.

    `report` takes the mistakes after which the line is read on. The methods that read raise ScanError.
    """

    def __init__(self, text: str, menu: BrandMenu, report: Callable[[ScanError], None]) -> None:
        self.text, self.menu, self.report = text, menu, report
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
        """Where what begins here ends: at the first stop after its first character, with the spaces before that."""
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

    def read_or_report(self, read: Callable[[], Read]) -> Read | None:
        """What a function reads; None after a mistake, which is reported."""
        try:
            return read()
        except ScanError as error:
            self.report(error)
            return None

    def has_item(self) -> bool:
        """Whether the name or the id of an item of the menu is next; nothing is read."""
        start = self.at
        item = self._read_known(self.menu.name_index, ITEM)
        self.at = start
        return item is not None

    def read_item(self, syntax: NameSyntax = ITEM) -> Item:
        """Read the item whose name or id is next."""
        start = self.skip()
        item = self._read_known(self.menu.name_index, syntax)
        if item is None:
            text = self._read_free(syntax, "say which item")
            try:
                item = self.menu.item(text)
            except NotOnMenuError as error:
                raise ScanError(start, self.at, str(error)) from None
        self.names.append(NameToken(start, self.at, item))
        return item

    def read_modifier(self, item: Item | None) -> Modifier:
        """Read the modifier whose name or id is here, perhaps after its group and a colon."""
        start, group = self.skip(), self._read_group(item)
        name_start = self.skip()
        of_item = self.menu.modifiers_of(item)
        candidates = [modifier for modifier in of_item if group in ("", modifier.group, modifier.group_id)]
        modifier = self._read_known(NameIndex(candidates), MODIFIER)
        if modifier is None:
            text = self._read_free(MODIFIER, "say which modifier")
            try:
                modifier = self.menu.modifier(text, item, group=group)
            except NotOnMenuError as error:
                message, other = str(error), self.menu.name_index.resolve(text) if self.menu.is_declared else None
                if item and other:
                    message = f'"{other.name}" is an item, not a modifier of "{item.name}"; order it after a semicolon'
                raise ScanError(start, self.at, message) from None
        self.names.append(NameToken(name_start, self.at, modifier))
        return modifier

    def _read_group(self, item: Item | None) -> str:
        """Read the name of a group, where one is before a modifier and a colon; else nothing."""
        start = self.skip()
        group = self.read_quoted(AFTER_GROUP)
        if group is None and (match := GROUP.match(self.text, start)):
            group, self.at = match[0], match.end()
        known = {name for modifier in self.menu.modifiers_of(item) for name in (modifier.group, modifier.group_id)}
        if group is None or (self.menu.lists_modifiers and group not in known - {""}):
            self.at = start
            return ""
        self.names.append(NameToken(start, self.at, group))
        self.match(COLON)
        return group

    def _read_known(self, name_index: NameIndex[Entry], syntax: NameSyntax) -> Entry | None:
        start = self.skip()
        quoted = self.read_quoted(syntax.known)
        if quoted is not None:
            entry = name_index.resolve(quoted)
            self.at = self.at if entry else start
            return entry
        for end in self._name_ends(name_index.max_words):
            if syntax.known.match(self.text, end) and (entry := name_index.resolve(self.text[start:end])):
                self.at = end
                return entry
        return None

    def _name_ends(self, most_words: int) -> Iterator[int]:
        """Where a name that begins here may end, the longest first."""
        ends: list[int] = []
        words = 0
        for match in END.finditer(self.text, self.at + 1):
            end = match.start()
            if self.text[end - 1].isspace():
                continue
            words += not match[0] or match[0].isspace()
            ends.append(end)
            if words > most_words:
                break
        return reversed(ends)

    def _read_free(self, syntax: NameSyntax, wanted: str) -> str:
        start = self.skip()
        if syntax.free.match(self.text, start):
            raise ScanError(start, start, f"the name is missing; {wanted}")
        quoted = self.read_quoted(syntax.free)
        if quoted is not None:
            return quoted
        if self.text[start] == '"':
            raise self.quote_error()
        self.at = self.end_of(syntax.free)
        return self.text[start : self.at]
