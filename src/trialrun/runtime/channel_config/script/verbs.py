"""Verbs of scripts: spellings and argument parsers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.script.scanner import (
    ACTION_END,
    COUNTED,
    JSON,
    ScanError,
    Scanner,
    has_item,
    read_item,
    read_modifier,
    unquote,
)
from trialrun.runtime.channel_config.session.actions import (
    Accept,
    Action,
    Add,
    Decline,
    Finish,
    Remove,
    Say,
    SetQuantity,
    SetState,
    Speak,
)

Report = Callable[[ScanError], None]
ReadVerb = Callable[[Scanner, BrandMenu, Report], Iterator[Action]]
MAX_QUANTITY = 1_000_000
NUMBER = re.compile(r"(\d+)(?:\s*[x×](?=\s)|(?=\s))\s*(?=\S)", re.IGNORECASE)
AMOUNT = re.compile(r"(?:(?:=|to\b|[x×])\s*)?([-+]?\d+)(?=\s|$|;)", re.IGNORECASE)
WITH = re.compile(r"(?:with|w/)(?=\s|$|;)", re.IGNORECASE)
LIST_SEPARATOR = re.compile(r",|(?:and|&)(?=\s|$)", re.IGNORECASE)
THANKS = re.compile(r",?\s*(?:thanks|thank you)(?=\s|$|;)", re.IGNORECASE)
TAG = re.compile(r"[^\s;]+")
STEP = re.compile(r'([^\W\d]\w*)|\[("(?:[^"\\]|\\.)*")\]')
DOT = re.compile(r"\.(?=\w)")
VALUE_SEPARATOR = re.compile(r"\s*=\s*|\s+")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb: its spellings, the first of which `format_actions` uses, how it is read, and what it does, for people."""

    spellings: tuple[str, ...]
    read: ReadVerb
    usage: str
    description: str


def add(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    while True:
        quantity = _quantity(scanner, menu) or 1
        item = _report_errors(lambda: read_item(scanner, menu), report)
        modifiers = _modifiers(scanner, menu, item, report)
        if item:
            yield Add(OrderLineItem(item, quantity, modifiers))
        if not scanner.match(LIST_SEPARATOR):
            return


def _remove(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    quantity = _quantity(scanner, menu)
    yield Remove(_action_name(read_item(scanner, menu), menu), quantity)


def _set_quantity(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    item = read_item(scanner, menu, COUNTED)
    start = scanner.skip()
    match = scanner.match(AMOUNT)
    if match is None:
        raise ScanError(start, scanner.action_end, f"the number is missing; say how many of {item.name}")
    yield SetQuantity(_action_name(item, menu), _parse_quantity(match, least=0))


def _accept(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    takes_first = scanner.at_end or WITH.match(scanner.text, scanner.skip())
    item = None if takes_first else _report_errors(lambda: read_item(scanner, menu), report)
    yield Accept(_action_name(item, menu) if item else None, _modifiers(scanner, menu, item, report))


def _decline(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    scanner.match(THANKS)
    if not scanner.at_end:
        start = scanner.skip()
        scanner.recover()
        raise ScanError(start, scanner.at, "decline takes nothing after it; it always answers the last offer")
    yield Decline()


def _speak(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    from trialrun.values import language_tag

    start = scanner.skip()
    match = None if scanner.at_end else scanner.match(TAG)
    if match is None:
        raise ScanError(start, start, "the language is missing; write its tag, such as es-US")
    if not language_tag.is_valid(match[0]):
        problem = language_tag.check(match[0])[0]
        raise ScanError(start + problem.start, start + problem.end, problem.message)
    yield Speak(match[0])


def say(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    start = scanner.skip()
    text = scanner.read_quoted(ACTION_END)
    if text is None and scanner.text[start : start + 1] == '"':
        raise scanner.quote_error()
    text = scanner.rest() if text is None else text
    if not text.strip():
        raise ScanError(start, scanner.at, "the text is missing; write what the customer says")
    yield Say(text)


def _set(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    path = read_path(scanner)
    start = scanner.at
    has_separator = scanner.text[start : start + 1] == "=" or scanner.text[start : start + 1].isspace()
    match = VALUE_SEPARATOR.match(scanner.text, start)
    scanner.at = match.end() if match and has_separator else start
    if scanner.at_end or not has_separator:
        message = f"the value is missing; write one after {'.'.join(path)}"
        raise ScanError(scanner.at, scanner.action_end, message)
    yield SetState(path, read_value(scanner))


def _finish(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    yield Finish()


VERBS = (
    Verb(("add", "order"), add, "add 2 ITEM with MODIFIER, …", "order something"),
    Verb(("remove", "drop", "delete"), _remove, "remove 1 ITEM", "remove some or all of an item"),
    Verb(("quantity", "qty", "make", "change"), _set_quantity, "quantity ITEM 3", "set the quantity of an item"),
    Verb(("accept", "yes", "take"), _accept, "accept ITEM", "accept the last offer"),
    Verb(("decline", "no"), _decline, "decline", "decline the last offer"),
    Verb(("speak", "language"), _speak, "speak es-US", "switch to a language"),
    Verb(("say",), say, "say the usual, please", "say something"),
    Verb(("set",), _set, "set session.partySize 4", "set a value that the client sends"),
    Verb(("done", "finish", "that's all", "that’s all", "that's it", "that’s it"), _finish, "done", "end the order"),
)
BY_SPELLING = {spelling: verb for verb in VERBS for spelling in verb.spellings}


def _quantity(scanner: Scanner, menu: BrandMenu) -> int | None:
    """Read a number before an item; one that an item of the menu begins with belongs to its name."""
    scanner.skip()
    if has_item(scanner, menu):
        return None
    match = scanner.match(NUMBER)
    return _parse_quantity(match, least=1) if match else None


def _parse_quantity(match: re.Match[str], *, least: int) -> int:
    text = match[1]
    number = int(text) if len(text) <= len(str(MAX_QUANTITY)) else MAX_QUANTITY + 1
    if not least <= number <= MAX_QUANTITY:
        raise ScanError(
            *match.span(1), f"{text[:20]} is not a quantity; write a number from {least} to {MAX_QUANTITY:,}"
        )
    return number


def _modifiers(scanner: Scanner, menu: BrandMenu, item: Item | None, report: Report) -> tuple[Modifier, ...]:
    """Read what is after `with`; what cannot be read is reported, and the others are read on."""
    modifiers: list[Modifier] = []
    if not scanner.match(WITH):
        return ()
    while True:
        modifier = _report_errors(lambda: read_modifier(scanner, menu, item), report)
        modifiers += [modifier] if modifier else []
        if not scanner.match(LIST_SEPARATOR):
            return tuple(modifiers)


def _report_errors(read: Callable[[], Any], report: Report) -> Any:
    try:
        return read()
    except ScanError as error:
        report(error)
        return None


def _action_name(item: Item, menu: BrandMenu) -> str:
    """What a move calls an item: its name; the id of one whose name means another."""
    return item.name if menu.name_index.resolve(item.name) in (item, None) else item.id


def read_path(scanner: Scanner) -> tuple[str, ...]:
    """Read the path of a value of the state: names and quoted keys, as conditions write them."""
    start, steps = scanner.skip(), list[str]()
    while match := STEP.match(scanner.text, scanner.at):
        if not steps and match[1] is None:
            break
        steps.append(match[1] if match[1] is not None else unquote(match, 2))
        scanner.at = match.end()
        if dot := DOT.match(scanner.text, scanner.at):
            scanner.at = dot.end()
    if not steps:
        raise ScanError(start, scanner.action_end, "the path is missing; write one such as session.partySize")
    return tuple(steps)


def read_value(scanner: Scanner) -> Any:
    """Read a value: JSON where it is some, else the text unchanged."""
    start = scanner.at
    try:
        value, end = JSON.raw_decode(scanner.text, start)
        if ACTION_END.match(scanner.text, end):
            scanner.at = end
            return value
    except (ValueError, RecursionError):
        pass
    if scanner.text[start] in '"[{':
        raise ScanError(start, scanner.action_end, "invalid JSON; fix it, or write text without quotes")
    return scanner.rest()
