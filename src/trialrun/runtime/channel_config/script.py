"""Session scripts, a line for each turn: parsed with the mistakes of all lines together, and written from actions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier, OrderLineItem
from trialrun.runtime.channel_config.script_scanner import ACTION_END, COUNTED, NameToken, ScanError, Scanner, unquote
from trialrun.runtime.channel_config.session.actions import (
    MAX_QUANTITY,
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
from trialrun.values.suggest import did_you_mean

NUMBER = re.compile(r"(\d+)(?:\s*[x×](?=\s)|(?=\s))\s*(?=\S)", re.IGNORECASE)
AMOUNT = re.compile(r"(?:(?:=|to\b|[x×])\s*)?([-+]?\d+)(?=\s|$|;)", re.IGNORECASE)
WITH = re.compile(r"(?:with|w/)(?=\s|$|;)", re.IGNORECASE)
LIST_SEPARATOR = re.compile(r",|(?:and|&)(?=\s|$)", re.IGNORECASE)
THANKS = re.compile(r",?\s*(?:thanks|thank you)(?=\s|$|;)", re.IGNORECASE)
WORD = re.compile(r"[^\s;]+")
STEP = re.compile(r'([^\W\d]\w*)|\[("(?:[^"\\]|\\.)*")\]')
DOT = re.compile(r"\.(?=\w)")
VALUE_SEPARATOR = re.compile(r"\s*=\s*|\s+")
LINE_BREAK = re.compile(r"\r\n|\n|\r")
SEMICOLON = re.compile(";")
IDENTIFIER = re.compile(r"[^\W\d]\w*")


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


JSON = json.JSONDecoder(parse_constant=_no_number)
"""JSON as its standard has it, which knows no NaN and no Infinity."""


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A turn: the line that it is on, from 1, what is written there without comments, and what it means.

    `columns` are the columns of each move, from 1 in code points, the end exclusive; `names` are the names of items,
    modifiers and groups, in offsets of the line.
    """

    line: int
    text: str
    actions: tuple[Action, ...]
    columns: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    names: tuple[NameToken, ...] = field(default=(), compare=False)

    def mistake_at(self, action: Action, message: str) -> ScriptMistake:
        """Something that is wrong with a move of this line."""
        position = next((index for index, candidate in enumerate(self.actions) if candidate is action), None)
        return ScriptMistake(
            self.line, *((1, len(self.text) + 1) if position is None else self.columns[position]), message
        )


@dataclass(frozen=True, slots=True)
class ScriptMistake:
    """Something in a script that cannot be done: columns from 1 in code points, the end exclusive."""

    line: int
    column: int
    end: int
    message: str


class ScriptError(ValueError):
    """A script that cannot be played: all of its mistakes in order, and the line and column of the first."""

    def __init__(self, mistakes: Sequence[ScriptMistake]) -> None:
        super().__init__(mistakes[0].message)
        self.mistakes = tuple(mistakes)
        self.line, self.column = mistakes[0].line, mistakes[0].column


def parse(text: str, menu: BrandMenu) -> list[ScriptLine]:
    """The turns of a script, or of a line that was typed; empty lines and comments are none. Raises ScriptError."""
    mistakes: list[ScriptMistake] = []
    lines = [_parse_line(number, line, menu, mistakes) for number, line in enumerate(LINE_BREAK.split(text), 1)]
    if mistakes:
        raise ScriptError(mistakes)
    return [line for line in lines if line.actions]


def split_settings(lines: Sequence[ScriptLine]) -> tuple[list[SetState], list[ScriptLine]]:
    """What is set before the first deed, which holds from the welcome on, and the turns."""
    settings: list[SetState] = []
    for index, line in enumerate(lines):
        line_settings = [action for action in line.actions if isinstance(action, SetState)]
        if len(line_settings) < len(line.actions):
            return settings, list(lines[index:])
        settings += line_settings
    return settings, []


def parse_setting(text: str) -> SetState:
    """What `session.partySize=4` sets. Raises ScriptError."""
    scanner = Scanner(text, BrandMenu(), lambda error: None)
    try:
        path = _read_path(scanner)
        if text[scanner.at : scanner.at + 1] != "=":
            raise ScanError(scanner.at, len(text), "the value is missing; write it after =, as in session.partySize=4")
    except ScanError as error:
        raise ScriptError([ScriptMistake(1, error.start + 1, error.end + 1, error.message)]) from None
    value = text[scanner.at + 1 :]
    try:
        return SetState(path, JSON.decode(value))
    except (ValueError, RecursionError):
        return SetState(path, value)


def _parse_line(number: int, text: str, menu: BrandMenu, mistakes: list[ScriptMistake]) -> ScriptLine:
    def report(error: ScanError) -> None:
        mistakes.append(ScriptMistake(number, error.start + 1, max(error.end, error.start) + 1, error.message))

    scanner, actions, places = Scanner(text, menu, report), list[Action](), list[tuple[int, int]]()
    while True:
        start = scanner.skip()
        if not scanner.at_end:
            try:
                # one by one: what comes before a mistake counts
                for action in _parse_actions(scanner):
                    actions.append(action)
            except ScanError as error:
                report(error)
                scanner.recover()
            places += [(start + 1, scanner.at + 1)] * (len(actions) - len(places))
        end = scanner.at
        if not scanner.match(SEMICOLON):
            return ScriptLine(number, text[:end].strip(), tuple(actions), tuple(places), tuple(scanner.names))


def _parse_actions(scanner: Scanner) -> Iterator[Action]:
    start = scanner.skip()
    if scanner.text[start] == '"':
        yield from _say(scanner)
    elif verb := scanner.match(VERB):
        yield from BY_SPELLING[" ".join(verb[0].lower().split())].read(scanner)
    elif NUMBER.match(scanner.text, start) or scanner.has_item():
        yield from _add(scanner)
    else:
        word = WORD.match(scanner.text, start)
        end = word.end() if word else start + 1
        text, verbs = scanner.text[start:end], ", ".join(verb.spellings[0] for verb in VERBS)
        hint = did_you_mean(text.lower(), BY_SPELLING, otherwise=f"there are {verbs}")
        raise ScanError(start, end, f'there is no verb "{text}"{hint}')
    if not scanner.at_end:
        message = "unexpected text after the move; start the next move with a semicolon"
        raise ScanError(scanner.skip(), scanner.action_end, message)


def _add(scanner: Scanner) -> Iterator[Action]:
    while True:
        quantity = _quantity(scanner) or 1
        item = scanner.read_or_report(scanner.read_item)
        modifiers = _modifiers(scanner, item)
        if item:
            yield Add(OrderLineItem(item, quantity, modifiers))
        if not scanner.match(LIST_SEPARATOR):
            return


def _remove(scanner: Scanner) -> Iterator[Action]:
    quantity = _quantity(scanner)
    yield Remove(_action_name(scanner, scanner.read_item()), quantity)


def _set_quantity(scanner: Scanner) -> Iterator[Action]:
    item = scanner.read_item(COUNTED)
    start = scanner.skip()
    match = scanner.match(AMOUNT)
    if match is None:
        raise ScanError(start, scanner.action_end, f"the number is missing; say how many of {item.name}")
    yield SetQuantity(_action_name(scanner, item), _parse_quantity(match, least=0))


def _accept(scanner: Scanner) -> Iterator[Action]:
    takes_first = scanner.at_end or WITH.match(scanner.text, scanner.skip())
    item = None if takes_first else scanner.read_or_report(scanner.read_item)
    yield Accept(_action_name(scanner, item) if item else None, _modifiers(scanner, item))


def _decline(scanner: Scanner) -> Iterator[Action]:
    scanner.match(THANKS)
    if not scanner.at_end:
        start = scanner.skip()
        scanner.recover()
        raise ScanError(start, scanner.at, "decline takes nothing after it; it always answers the last offer")
    yield Decline()


def _speak(scanner: Scanner) -> Iterator[Action]:
    from trialrun.values import language_tag

    start = scanner.skip()
    match = None if scanner.at_end else scanner.match(WORD)
    if match is None:
        raise ScanError(start, start, "the language is missing; write its tag, such as es-US")
    if not language_tag.is_valid(match[0]):
        problem = language_tag.check(match[0])[0]
        raise ScanError(start + problem.start, start + problem.end, problem.message)
    yield Speak(match[0])


def _say(scanner: Scanner) -> Iterator[Action]:
    start = scanner.skip()
    text = scanner.read_quoted(ACTION_END)
    if text is None and scanner.text[start : start + 1] == '"':
        raise scanner.quote_error()
    text = scanner.rest() if text is None else text
    if not text.strip():
        raise ScanError(start, scanner.at, "the text is missing; write what the customer says")
    yield Say(text)


def _set(scanner: Scanner) -> Iterator[Action]:
    path = _read_path(scanner)
    start = scanner.at
    has_separator = scanner.text[start : start + 1] == "=" or scanner.text[start : start + 1].isspace()
    match = VALUE_SEPARATOR.match(scanner.text, start)
    scanner.at = match.end() if match and has_separator else start
    if scanner.at_end or not has_separator:
        message = f"the value is missing; write one after {'.'.join(path)}"
        raise ScanError(scanner.at, scanner.action_end, message)
    yield SetState(path, _read_value(scanner))


def _finish(scanner: Scanner) -> Iterator[Action]:
    yield Finish()


class Verb(NamedTuple):
    """A verb: its spellings, the first of which `format_actions` uses, how it is read, and what it does, for people."""

    spellings: tuple[str, ...]
    read: Callable[[Scanner], Iterator[Action]]
    usage: str
    description: str


VERBS = (
    Verb(("add", "order"), _add, "add 2 ITEM with MODIFIER, …", "order something"),
    Verb(("remove", "drop", "delete"), _remove, "remove 1 ITEM", "remove some or all of an item"),
    Verb(("quantity", "qty", "make", "change"), _set_quantity, "quantity ITEM 3", "set the quantity of an item"),
    Verb(("accept", "yes", "take"), _accept, "accept ITEM", "accept the last offer"),
    Verb(("decline", "no"), _decline, "decline", "decline the last offer"),
    Verb(("speak", "language"), _speak, "speak es-US", "switch to a language"),
    Verb(("say",), _say, "say the usual, please", "say something"),
    Verb(("set",), _set, "set session.partySize 4", "set a value that the client sends"),
    Verb(("done", "finish", "that's all", "that’s all", "that's it", "that’s it"), _finish, "done", "end the order"),
)
BY_SPELLING = {spelling: verb for verb in VERBS for spelling in verb.spellings}
SPELLED = "|".join(
    re.escape(spelling).replace(r"\ ", r"\s+") for spelling in sorted(BY_SPELLING, key=len, reverse=True)
)
VERB = re.compile(rf"(?:{SPELLED})(?=[\s;,\"]|$)", re.IGNORECASE)


def _quantity(scanner: Scanner) -> int | None:
    """Read a number before an item; one that an item of the menu begins with belongs to its name."""
    scanner.skip()
    match = None if scanner.has_item() else scanner.match(NUMBER)
    return _parse_quantity(match, least=1) if match else None


def _parse_quantity(match: re.Match[str], *, least: int) -> int:
    text = match[1]
    number = int(text) if len(text) <= len(str(MAX_QUANTITY)) else MAX_QUANTITY + 1
    if not least <= number <= MAX_QUANTITY:
        message = f"{text[:20]} is not a quantity; write a number from {least} to {MAX_QUANTITY:,}"
        raise ScanError(*match.span(1), message)
    return number


def _modifiers(scanner: Scanner, item: Item | None) -> tuple[Modifier, ...]:
    """Read what is after `with`; what cannot be read is reported, and the others are read on."""
    modifiers: list[Modifier | None] = []
    separator = WITH
    while scanner.match(separator):
        modifiers.append(scanner.read_or_report(lambda: scanner.read_modifier(item)))
        separator = LIST_SEPARATOR
    return tuple(filter(None, modifiers))


def _action_name(scanner: Scanner, item: Item) -> str:
    """What a move calls an item: its name; the id of one whose name means another."""
    return item.name if scanner.menu.name_index.resolve(item.name) in (item, None) else item.id


def _read_path(scanner: Scanner) -> tuple[str, ...]:
    """Read the path of a value of the state: names and quoted keys, as conditions write them."""
    start, steps = scanner.skip(), list[str]()
    while (match := STEP.match(scanner.text, scanner.at)) and (steps or match[1] is not None):
        steps.append(match[1] if match[1] is not None else unquote(match, 2))
        scanner.at = match.end()
        if dot := DOT.match(scanner.text, scanner.at):
            scanner.at = dot.end()
    if not steps:
        raise ScanError(start, scanner.action_end, "the path is missing; write one such as session.partySize")
    return tuple(steps)


def _read_value(scanner: Scanner) -> Any:
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


INVISIBLE = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What cannot be seen in a text, or changes how it is read, is written as an escape."""
_TEXT_OR_INFINITY = re.compile(r'"(?:[^"\\]|\\.)*"|(Infinity)')


class Style(NamedTuple):
    """How names of items and modifiers, and texts, are written."""

    item: Callable[[Item], str]
    modifier: Callable[[Modifier], str]
    text: Callable[[str], str]


def quote(text: str) -> str:
    """A text in quotes; what cannot be seen is an escape."""
    return INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def _in_group(modifier: Modifier) -> str:
    group = modifier.group or modifier.group_id
    return f"{quote(group)}: {quote(modifier.name)}" if group else quote(modifier.name)


PLAIN = Style(lambda item: item.name, lambda modifier: modifier.name, str)
QUOTED = Style(lambda item: quote(item.name), lambda modifier: quote(modifier.name), quote)
GROUPED = Style(QUOTED.item, _in_group, quote)
BY_ID = Style(lambda item: quote(item.id or item.name), lambda modifier: quote(modifier.id or modifier.name), quote)
SAFE = (GROUPED, Style(BY_ID.item, _in_group, quote), BY_ID)
"""The styles in which every name is in quotes."""
STYLES = (PLAIN, Style(PLAIN.item, QUOTED.modifier, str), QUOTED, Style(PLAIN.item, _in_group, str), *SAFE)


def format_actions(actions: Iterable[Action], menu: BrandMenu | None = None) -> str:
    """The line of a script that reads as these moves; names are in quotes where the menu needs them."""
    action_list = list(actions)
    if menu is None:
        return "; ".join(_format(action, GROUPED) for action in action_list)
    line = "; ".join(_format_shortest(action, menu, STYLES) for action in action_list)
    if _parse_back(line, menu) == action_list:
        return line
    return "; ".join(_format_shortest(action, menu, SAFE) for action in action_list)


def _format_shortest(action: Action, menu: BrandMenu, styles: Sequence[Style]) -> str:
    candidates = [_format(action, style) for style in styles]
    return next((candidate for candidate in candidates if _parse_back(candidate, menu) == [action]), candidates[-1])


def _parse_back(text: str, menu: BrandMenu) -> Sequence[Action]:
    """What a line reads as; empty if it would be several."""
    if LINE_BREAK.search(text):
        return []
    try:
        return [action for line in parse(text, menu) for action in line.actions]
    except ScriptError:
        return []


def _format(action: Action, style: Style) -> str:
    match action:
        case Add(ordered):
            count = "" if ordered.quantity == 1 else f"{ordered.quantity} "
            return f"add {count}{style.item(ordered.item)}{_with(ordered.modifiers, style)}"
        case Remove(item, quantity):
            return f"remove {'' if quantity is None else f'{quantity} '}{style.text(item)}"
        case SetQuantity(item, quantity):
            return f"quantity {style.text(item)} {quantity}"
        case Accept(item, modifiers):
            return f"accept{'' if item is None else f' {style.text(item)}'}{_with(modifiers, style)}"
        case Decline():
            return "decline"
        case Speak(language):
            return f"speak {language}"
        case Say(text):
            return f"say {style.text(text)}"
        case SetState(path, value):
            first, *rest = path
            steps = "".join(f".{step}" if IDENTIFIER.fullmatch(step) else f"[{quote(step)}]" for step in rest)
            return f"set {first}{steps} {style.text(value) if isinstance(value, str) else _json(value)}"
        case Finish():
            return "done"


def _with(modifiers: Sequence[Modifier], style: Style) -> str:
    return f" with {', '.join(map(style.modifier, modifiers))}" if modifiers else ""


def _json(value: Any) -> str:
    """A value as JSON, which has no word for an infinite number: one beyond all floats reads as such."""
    text = _TEXT_OR_INFINITY.sub(lambda match: "1e999" if match[1] else match[0], json.dumps(value, ensure_ascii=False))
    return INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
