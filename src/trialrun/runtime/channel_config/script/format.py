"""Formats actions as script lines: the inverse of `parse`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import BrandMenu, Item, Modifier
from trialrun.runtime.channel_config.script.line import ScriptError
from trialrun.runtime.channel_config.script.parse import LINE_BREAK, parse
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
