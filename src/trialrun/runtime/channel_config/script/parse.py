"""Parser of session scripts, which reports the errors of all lines together, and scripts written from actions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier
from trialrun.runtime.channel_config.script.scanner import JSON, NameToken, ScanError, Scanner, has_item
from trialrun.runtime.channel_config.script.verbs import BY_SPELLING, NUMBER, VERBS, Report, add, read_path, say
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
from trialrun.values.suggest import did_you_mean


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


LINE_BREAK = re.compile(r"\r\n|\n|\r")
SPELLED = "|".join(
    re.escape(spelling).replace(r"\ ", r"\s+") for spelling in sorted(BY_SPELLING, key=len, reverse=True)
)
VERB = re.compile(rf"(?:{SPELLED})(?=[\s;,\"]|$)", re.IGNORECASE)
WORD = re.compile(r"[^\s;]+")
SEMICOLON = re.compile(";")


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
    scanner = Scanner(text)
    try:
        path = read_path(scanner)
        if scanner.text[scanner.at : scanner.at + 1] != "=":
            raise ScanError(scanner.at, len(text), "the value is missing; write it after =, as in session.partySize=4")
        return SetState(path, _json_or_text(text[scanner.at + 1 :]))
    except ScanError as error:
        raise ScriptError([ScriptMistake(1, error.start + 1, error.end + 1, error.message)]) from None


def _json_or_text(text: str) -> Any:
    try:
        return JSON.decode(text)
    except (ValueError, RecursionError):
        return text


def _parse_line(number: int, text: str, menu: BrandMenu, mistakes: list[ScriptMistake]) -> ScriptLine:
    def report(error: ScanError) -> None:
        mistakes.append(ScriptMistake(number, error.start + 1, max(error.end, error.start) + 1, error.message))

    scanner, actions, places = Scanner(text), list[Action](), list[tuple[int, int]]()
    while True:
        start = scanner.skip()
        if not scanner.at_end:
            actions += _parse_actions(scanner, menu, report)
            places += [(start + 1, scanner.at + 1)] * (len(actions) - len(places))
        end = scanner.at
        if not scanner.match(SEMICOLON):
            return ScriptLine(number, text[:end].strip(), tuple(actions), tuple(places), tuple(scanner.names))


def _parse_actions(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    """The moves up to the next semicolon."""
    try:
        yield from _parse_action(scanner, menu, report)
        if not scanner.at_end:
            start = scanner.skip()
            raise ScanError(
                start, scanner.action_end, "unexpected text after the move; start the next move with a semicolon"
            )
    except ScanError as error:
        report(error)
        scanner.recover()


def _parse_action(scanner: Scanner, menu: BrandMenu, report: Report) -> Iterator[Action]:
    start = scanner.skip()
    if scanner.text[start] == '"':
        return say(scanner, menu, report)
    if verb := scanner.match(VERB):
        return BY_SPELLING[" ".join(verb[0].lower().split())].read(scanner, menu, report)
    if NUMBER.match(scanner.text, start) or has_item(scanner, menu):
        return add(scanner, menu, report)
    word = WORD.match(scanner.text, start)
    end = word.end() if word else start + 1
    raise ScanError(start, end, _unknown_verb_message(scanner.text[start:end]))


def _unknown_verb_message(word: str) -> str:
    hint = did_you_mean(
        word.lower(), BY_SPELLING, otherwise=f"there are {', '.join(verb.spellings[0] for verb in VERBS)}"
    )
    return f'there is no verb "{word}"{hint}'


INVISIBLE = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What cannot be seen in a text, or changes how it is read, is written as an escape."""
_TEXT_OR_INFINITY = re.compile(r'"(?:[^"\\]|\\.)*"|(Infinity)')
IDENTIFIER = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Style:
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
    """The line of a script that reads as these moves.

    Names are in quotes where the menu needs them; all do without one.
    """
    action_list = list(actions)
    if menu is None:
        return "; ".join(_format(action, GROUPED) for action in action_list)
    line = "; ".join(_format_shortest(action, menu, STYLES) for action in action_list)
    if _parse_back(line, menu) == action_list:
        return line
    return "; ".join(_format_shortest(action, menu, SAFE) for action in action_list)


def _format_shortest(action: Action, menu: BrandMenu, styles: Sequence[Style]) -> str:
    """The plainest way of these to write a move that reads as it."""
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
            return f"set {_path(path)} {style.text(value) if isinstance(value, str) else _json(value)}"
        case Finish():
            return "done"


def _with(modifiers: Sequence[Modifier], style: Style) -> str:
    return f" with {', '.join(map(style.modifier, modifiers))}" if modifiers else ""


def _path(path: Sequence[str]) -> str:
    first, *rest = path
    return first + "".join(f".{step}" if IDENTIFIER.fullmatch(step) else f"[{quote(step)}]" for step in rest)


def _json(value: Any) -> str:
    """A value as JSON, which has no word for an infinite number: one beyond all floats reads as such."""
    text = _TEXT_OR_INFINITY.sub(lambda match: "1e999" if match[1] else match[0], json.dumps(value, ensure_ascii=False))
    return INVISIBLE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
