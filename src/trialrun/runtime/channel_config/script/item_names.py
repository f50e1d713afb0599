"""Reads item and modifier names in a script line: the longest name of the menu, or quoted text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, NameIndex, NotOnMenuError
from trialrun.runtime.channel_config.script.scanner import NameToken, ScanError, Scanner

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
