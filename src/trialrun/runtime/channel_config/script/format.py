"""Scripts written: the inverse of `parse`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.menu import Item, MenuOfBrand, Modifier
from trialrun.runtime.channel_config.script.line import ScriptError
from trialrun.runtime.channel_config.script.parse import LINE_BREAK, parse
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

UNSEEN = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What cannot be seen in a text, or changes how it is read, is written as an escape."""
STEP = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Style:
    """How names of items and modifiers, and texts, are written."""

    item: Callable[[Item], str]
    modifier: Callable[[Modifier], str]
    text: Callable[[str], str]


def quoted(text: str) -> str:
    """A text in quotes; what cannot be seen is an escape."""
    return UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def _in_group(modifier: Modifier) -> str:
    group = modifier.group or modifier.group_id
    return f"{quoted(group)}: {quoted(modifier.name)}" if group else quoted(modifier.name)


PLAIN = Style(lambda item: item.name, lambda modifier: modifier.name, str)
QUOTED = Style(lambda item: quoted(item.name), lambda modifier: quoted(modifier.name), quoted)
GROUPED = Style(QUOTED.item, _in_group, quoted)
BY_ID = Style(lambda item: quoted(item.id or item.name), lambda modifier: quoted(modifier.id or modifier.name), quoted)
SAFE = (GROUPED, Style(BY_ID.item, _in_group, quoted), BY_ID)
"""The styles in which every name is in quotes."""
STYLES = (PLAIN, Style(PLAIN.item, QUOTED.modifier, str), QUOTED, Style(PLAIN.item, _in_group, str), *SAFE)


def written(moves: Iterable[Move], menu: MenuOfBrand | None = None) -> str:
    """The line of a script that reads as these moves.

    Names stand in quotes where the menu needs them; all do without one.
    """
    listed = list(moves)
    if menu is None:
        return "; ".join(_styled(move, GROUPED) for move in listed)
    line = "; ".join(_written(move, menu, STYLES) for move in listed)
    if _reads(line, menu) == listed:
        return line
    return "; ".join(_written(move, menu, SAFE) for move in listed)


def _written(move: Move, menu: MenuOfBrand, styles: Sequence[Style]) -> str:
    """The plainest way of these to write a move that reads as it."""
    ways = [_styled(move, style) for style in styles]
    return next((way for way in ways if _reads(way, menu) == [move]), ways[-1])


def _reads(text: str, menu: MenuOfBrand) -> Sequence[Move]:
    """What a line reads as; nothing where it would be several."""
    if LINE_BREAK.search(text):
        return []
    try:
        return [move for line in parse(text, menu) for move in line.moves]
    except ScriptError:
        return []


def _styled(move: Move, style: Style) -> str:
    match move:
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
    first, *others = path
    return first + "".join(f".{one}" if STEP.fullmatch(one) else f"[{quoted(one)}]" for one in others)


def _json(value: Any) -> str:
    return UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))
