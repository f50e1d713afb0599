"""Names of items and modifiers in a line: the longest name of the menu that stands there, or what is in quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import Item, MenuOfBrand, Modifier, NotOnMenu
from trialrun.runtime.channel_config.name_index import Spellings
from trialrun.runtime.channel_config.script.scanner import Cursor, Named, Wrong

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
class Sort:
    """What may come after a name: after one that the menu has, and after any other."""

    known: re.Pattern[str]
    free: re.Pattern[str]


ITEM = Sort(AFTER_ITEM, FREE_ITEM)
COUNTED = Sort(AFTER_COUNTED, FREE_COUNTED)
MODIFIER = Sort(AFTER_MODIFIER, FREE_MODIFIER)


def read_item(cursor: Cursor, menu: MenuOfBrand, sort: Sort = ITEM) -> Item:
    """The item whose name or id stands here. Raises Wrong."""
    start = cursor.skip()
    found = _item(cursor, menu, sort)
    cursor.named.append(Named(start, cursor.at, found))
    return found


def _item(cursor: Cursor, menu: MenuOfBrand, sort: Sort) -> Item:
    start = cursor.at
    found = _known(cursor, menu.spellings, sort)
    if found:
        return found
    text = _free(cursor, sort, "say which item")
    try:
        return menu.item(text)
    except NotOnMenu as error:
        raise Wrong(start, cursor.at, str(error)) from None


def has_item(cursor: Cursor, menu: MenuOfBrand, sort: Sort = ITEM) -> bool:
    """Whether the name or the id of an item of the menu stands here; nothing is read."""
    start = cursor.at
    found = _known(cursor, menu.spellings, sort)
    cursor.at = start
    return found is not None


def read_modifier(cursor: Cursor, menu: MenuOfBrand, item: Item | None) -> Modifier:
    """The modifier whose name or id stands here, perhaps after its group and a colon. Raises Wrong."""
    start, group = cursor.skip(), _group(cursor, menu, item)
    named = cursor.skip()
    found = _modifier(cursor, menu, item, start, group)
    cursor.named.append(Named(named, cursor.at, found))
    return found


def _modifier(cursor: Cursor, menu: MenuOfBrand, item: Item | None, start: int, group: str) -> Modifier:
    taken = [one for one in menu.modifiers_of(item) if group in ("", one.group, one.group_id)]
    found = _known(cursor, Spellings(taken), MODIFIER)
    if found:
        return found
    text = _free(cursor, MODIFIER, "say which modifier")
    try:
        return menu.modifier(text, item, group=group)
    except NotOnMenu as error:
        raise Wrong(start, cursor.at, _not_taken(text, item, menu) or str(error)) from None


def _not_taken(text: str, item: Item | None, menu: MenuOfBrand) -> str | None:
    """What is said of an item that stands where its modifiers are listed."""
    other = menu.spellings.meant(text) if menu.is_declared else None
    if other is None or item is None:
        return None
    return f'"{other.name}" is an item, not a modifier of "{item.name}"; order it after a semicolon'


def _known(cursor: Cursor, spellings: Spellings[Entry], sort: Sort) -> Entry | None:
    """Read the entry that is named here, in quotes or by the longest name that fits."""
    start = cursor.skip()
    quoted = cursor.quoted(sort.known)
    if quoted is not None:
        found = spellings.meant(quoted)
        cursor.at = cursor.at if found else start
        return found
    for end in _ends(cursor, spellings.most_words, sort.known):
        if found := spellings.meant(cursor.text[start:end]):
            cursor.at = end
            return found
    return None


def _ends(cursor: Cursor, most_words: int, after: re.Pattern[str]) -> Iterator[int]:
    """Where a name that begins here may end, the longest first."""
    ends: list[int] = []
    words = 0
    for match in END.finditer(cursor.text, cursor.at + 1):
        end = match.start()
        if cursor.text[end - 1].isspace():
            continue
        words += not match[0] or match[0].isspace()
        ends.append(end)
        if words > most_words:
            break
    yield from (end for end in reversed(ends) if after.match(cursor.text, end))


def _free(cursor: Cursor, sort: Sort, wanted: str) -> str:
    """Read a name that the menu does not have."""
    start = cursor.skip()
    if sort.free.match(cursor.text, start):
        raise Wrong(start, start, f"there is nothing here; {wanted}")
    quoted = cursor.quoted(sort.free)
    if quoted is not None:
        return quoted
    if cursor.text[start] == '"':
        raise cursor.misquoted()
    cursor.at = cursor.end_of(sort.free)
    return cursor.text[start : cursor.at]


def _group(cursor: Cursor, menu: MenuOfBrand, item: Item | None) -> str:
    """Read the name of a group, where one stands before a modifier and a colon; else nothing."""
    start = cursor.skip()
    quoted = cursor.quoted(AFTER_GROUP)
    if quoted is None and (match := GROUP.match(cursor.text, start)):
        quoted, cursor.at = match[0], match.end()
    known = [name for one in menu.modifiers_of(item) for name in (one.group, one.group_id) if name]
    if quoted is None or (menu.says_modifiers and quoted not in known):
        cursor.at = start
        return ""
    cursor.named.append(Named(start, cursor.at, quoted))
    cursor.take(re.compile(":"))
    return quoted
