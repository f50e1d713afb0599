"""The verbs of a script: how each is spelled, and how what stands after it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import Item, MenuOfBrand, Modifier, Ordered
from trialrun.runtime.channel_config.script.item_names import COUNTED, has_item, read_item, read_modifier
from trialrun.runtime.channel_config.script.scanner import JSON, STOP, Cursor, Wrong, unquoted
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Add,
    Decline,
    Finish,
    Move,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)

Report = Callable[[Wrong], None]
Read = Callable[[Cursor, MenuOfBrand, Report], Iterator[Move]]
MOST = 1_000_000
NUMBER = re.compile(r"(\d+)(?:\s*[x×](?=\s)|(?=\s))\s*(?=\S)", re.IGNORECASE)
AMOUNT = re.compile(r"(?:(?:=|to\b|[x×])\s*)?([-+]?\d+)(?=\s|$|;)", re.IGNORECASE)
WITH = re.compile(r"(?:with|w/)(?=\s|$|;)", re.IGNORECASE)
ANOTHER = re.compile(r",|(?:and|&)(?=\s|$)", re.IGNORECASE)
THANKS = re.compile(r",?\s*(?:thanks|thank you)(?=\s|$|;)", re.IGNORECASE)
TAG = re.compile(r"[^\s;]+")
STEP = re.compile(r'([^\W\d]\w*)|\[("(?:[^"\\]|\\.)*")\]')
DOT = re.compile(r"\.(?=\w)")
GIVES = re.compile(r"\s*=\s*|\s+")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: its spellings, the first of which `written` uses, how it is read, and what it does, for people."""

    spellings: tuple[str, ...]
    read: Read
    form: str
    words: str


def add(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    while True:
        quantity = _quantity(cursor, menu) or 1
        item = _reported(lambda: read_item(cursor, menu), report)
        modifiers = _modifiers(cursor, menu, item, report)
        if item:
            yield Add(Ordered(item, quantity, modifiers))
        if not cursor.take(ANOTHER):
            return


def _remove(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    quantity = _quantity(cursor, menu)
    yield Remove(_name(read_item(cursor, menu), menu), quantity)


def _set_quantity(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    item = read_item(cursor, menu, COUNTED)
    start = cursor.skip()
    match = cursor.take(AMOUNT)
    if match is None:
        raise Wrong(start, cursor.move_end, f"there is no number here; say how many of {item.name}")
    yield SetQuantity(_name(item, menu), _counted(match, least=0))


def _accept(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    takes_first = cursor.ended or WITH.match(cursor.text, cursor.skip())
    item = None if takes_first else _reported(lambda: read_item(cursor, menu), report)
    yield Accept(_name(item, menu) if item else None, _modifiers(cursor, menu, item, report))


def _decline(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    cursor.take(THANKS)
    if not cursor.ended:
        start = cursor.skip()
        cursor.recover()
        raise Wrong(start, cursor.at, "decline stands alone; it answers what was offered last")
    yield Decline()


def _speak(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    from trialrun.values import language_tag

    start = cursor.skip()
    match = None if cursor.ended else cursor.take(TAG)
    if match is None:
        raise Wrong(start, start, "there is no language here; write its tag, such as es-US")
    if not language_tag.is_valid(match[0]):
        problem = language_tag.check(match[0])[0]
        raise Wrong(start + problem.start, start + problem.end, problem.message)
    yield Speak(match[0])


def say(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    start = cursor.skip()
    text = cursor.quoted(STOP)
    if text is None and cursor.text[start : start + 1] == '"':
        raise cursor.misquoted()
    text = cursor.rest() if text is None else text
    if not text.strip():
        raise Wrong(start, cursor.at, "there are no words here; write what the customer says")
    yield Say(text)


def _set(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    path = read_path(cursor)
    start = cursor.at
    gives = cursor.text[start : start + 1] == "=" or cursor.text[start : start + 1].isspace()
    match = GIVES.match(cursor.text, start)
    cursor.at = match.end() if match and gives else start
    if cursor.ended or not gives:
        wrong = f"there is no value here; write one after {'.'.join(path)}"
        raise Wrong(cursor.at, cursor.move_end, wrong)
    yield SetState(path, read_value(cursor))


def _finish(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    yield Finish()


VERBS = (
    Verb(("add", "order"), add, "add 2 ITEM with MODIFIER, …", "order something"),
    Verb(("remove", "drop", "delete"), _remove, "remove 1 ITEM", "take some, or all, off the order"),
    Verb(("quantity", "qty", "make", "change"), _set_quantity, "quantity ITEM 3", "have so many of an item"),
    Verb(("accept", "yes", "take"), _accept, "accept ITEM", "take what was offered last"),
    Verb(("decline", "no"), _decline, "decline", "say no to what was offered last"),
    Verb(("speak", "language"), _speak, "speak es-US", "go on in a language"),
    Verb(("say",), say, "say the usual, please", "say something"),
    Verb(("set",), _set, "set session.partySize 4", "set what the client sends"),
    Verb(("done", "finish", "that's all", "that’s all", "that's it", "that’s it"), _finish, "done", "end the order"),
)
BY_SPELLING = {spelling: verb for verb in VERBS for spelling in verb.spellings}


def _quantity(cursor: Cursor, menu: MenuOfBrand) -> int | None:
    """Read a number before an item; one that an item of the menu begins with belongs to its name."""
    cursor.skip()
    if has_item(cursor, menu):
        return None
    match = cursor.take(NUMBER)
    return _counted(match, least=1) if match else None


def _counted(match: re.Match[str], *, least: int) -> int:
    text = match[1]
    number = int(text) if len(text) <= len(str(MOST)) else MOST + 1
    if not least <= number <= MOST:
        raise Wrong(*match.span(1), f"{text[:20]} is no quantity; write a number from {least} to {MOST:,}")
    return number


def _modifiers(cursor: Cursor, menu: MenuOfBrand, item: Item | None, report: Report) -> tuple[Modifier, ...]:
    """Read what stands after `with`; what cannot be read is reported, and the others are read on."""
    found: list[Modifier] = []
    if not cursor.take(WITH):
        return ()
    while True:
        modifier = _reported(lambda: read_modifier(cursor, menu, item), report)
        found += [modifier] if modifier else []
        if not cursor.take(ANOTHER):
            return tuple(found)


def _reported(read: Callable[[], Any], report: Report) -> Any:
    try:
        return read()
    except Wrong as wrong:
        report(wrong)
        return None


def _name(item: Item, menu: MenuOfBrand) -> str:
    """What a move calls an item: its name; the id of one whose name means another."""
    return item.name if menu.spellings.meant(item.name) in (item, None) else item.id


def read_path(cursor: Cursor) -> tuple[str, ...]:
    """Read the path of a value of the state: names and quoted keys, as conditions write them."""
    start, steps = cursor.skip(), list[str]()
    while match := STEP.match(cursor.text, cursor.at):
        if not steps and match[1] is None:
            break
        steps.append(match[1] if match[1] is not None else unquoted(match, 2))
        cursor.at = match.end()
        if dot := DOT.match(cursor.text, cursor.at):
            cursor.at = dot.end()
    if not steps:
        raise Wrong(start, cursor.move_end, "there is no path here; write one such as session.partySize")
    return tuple(steps)


def read_value(cursor: Cursor) -> Any:
    """Read a value: JSON where it is some, else the text as it stands."""
    start = cursor.at
    try:
        value, end = JSON.raw_decode(cursor.text, start)
        if STOP.match(cursor.text, end):
            cursor.at = end
            return value
    except (ValueError, RecursionError):
        pass
    if cursor.text[start] in '"[{':
        raise Wrong(start, cursor.move_end, "this is not JSON; mend it, or write a text without quotes")
    return cursor.rest()
