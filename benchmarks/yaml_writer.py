"""Values as YAML in the many ways that people write it; reading the text gives the same values back."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.random_source import Dice
from benchmarks.text_pool import COMMENTS

AMBIGUOUS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"))
FLOW_PLAIN = re.compile(r"[^\W\d_][\w ./()+-]*\Z")
BLOCK_PLAIN = re.compile(r"[^\W\d_][^\n#\t]*\Z")
SCHEDULE = re.compile(r"[0-9][0-9 ,/*-]* \*[A-Z0-9 ,/*-]*\Z")


@dataclass(frozen=True)
class Raw:
    """A scalar that is written as it stands; `value` is what was meant."""

    text: str
    value: Any


@dataclass(frozen=True)
class Twice:
    """A value whose key is written twice."""

    value: Any


@dataclass
class Hand:
    """The habits of one author: indentation, quotes, flow or block, comments; `merge` uses anchors and merge keys."""

    dice: Dice
    sequence_indent: int = 2
    quote: str = '"'
    comments: float = 0.0
    flow: float = 0.5
    blocks: float = 0.5
    merge: bool = False
    anchors: int = field(default=0, init=False)

    def anchor(self) -> str:
        """The name of a new anchor."""
        self.anchors += 1
        return f"shared_{self.anchors}"


def a_hand(dice: Dice, *, merge: bool) -> Hand:
    """An author, drawn."""
    return Hand(
        dice,
        sequence_indent=dice.pick((0, 2)),
        quote=dice.pick(('"', "'")),
        comments=dice.pick((0.0, 0.0, 0.02, 0.06)),
        flow=dice.pick((0.0, 0.0, 0.5, 1.0)),
        blocks=dice.pick((0.0, 0.5, 1.0)),
        merge=merge,
    )


def document(value: Any, hand: Hand) -> str:
    """One document, without a marker before or after it."""
    lines = _sequence(value, hand, 0) if isinstance(value, list) else _mapping(value, hand, 0)
    return "\n".join(lines) + "\n"


def _mapping(mapping: dict[str, Any], hand: Hand, indent: int, merged: str = "") -> Iterator[str]:
    if merged:
        yield f"{' ' * indent}<<: *{merged}"
    first = not merged
    for key, value in mapping.items():
        if not first and hand.comments and hand.dice.chance(hand.comments):
            yield f"{' ' * indent}# {hand.dice.pick(COMMENTS)}"
        first = False
        if isinstance(value, Twice):
            yield from _entry(key, value.value, hand, indent)
            value = value.value
        yield from _entry(key, value, hand, indent)


def _entry(key: str, value: Any, hand: Hand, indent: int) -> Iterator[str]:
    head = f"{' ' * indent}{_key(key)}:"
    if isinstance(value, dict) and not _fits_flow(value, hand, 2):
        yield head
        yield from _mapping(value, hand, indent + 2)
    elif isinstance(value, list) and not _fits_flow(value, hand, 6):
        yield head
        yield from _sequence(value, hand, indent + hand.sequence_indent)
    elif isinstance(value, (dict, list)):
        yield f"{head} {_flow(value, hand)}"
    else:
        yield from _scalar_entry(head, value, hand, indent + 2)


def _key(key: str) -> str:
    return key if FLOW_PLAIN.match(key) and key.lower() not in AMBIGUOUS else json.dumps(key, ensure_ascii=False)


def _sequence(items: list[Any], hand: Hand, indent: int) -> Iterator[str]:
    anchor = ""
    for number, item in enumerate(items):
        if not isinstance(item, dict) or not item or (number and not anchor and _fits_flow(item, hand, 2)):
            yield from _scalar_entry(f"{' ' * indent}-", item, hand, indent + 2)
            continue
        if anchor and _shares(items[0], item):
            rest = {key: value for key, value in item.items() if items[0].get(key) != value}
            yield from _item(_mapping(rest, hand, indent + 2, anchor), indent)
            continue
        if number == 0 and hand.merge and any(_shares(item, other) for other in items[1:]):
            anchor = hand.anchor()
            yield f"{' ' * indent}- &{anchor}"
            yield from _mapping(item, hand, indent + 2)
            continue
        yield from _item(_mapping(item, hand, indent + 2), indent)


def _item(lines: Iterator[str], indent: int) -> Iterator[str]:
    yield f"{' ' * indent}- {next(lines)[indent + 2 :]}"
    yield from lines


def _shares(base: Any, other: Any) -> bool:
    """Whether `other` can be written as `base` with changes: it has every key, and at least one equal value."""
    both = isinstance(base, dict) and isinstance(other, dict)
    return both and set(base) <= set(other) and any(other[key] == value for key, value in base.items())


def _fits_flow(value: Any, hand: Hand, most: int) -> bool:
    if not value:
        return True
    if not hand.flow or len(value) > most:
        return False
    items = value.values() if isinstance(value, dict) else value
    if not all(isinstance(item, (bool, int, float, str)) and len(str(item)) < 60 for item in items):
        return False
    return sum(len(str(item)) for item in items) < 90 and hand.dice.chance(hand.flow)


def _flow(value: Any, hand: Hand) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_key(key)}: {_scalar(item, hand, FLOW_PLAIN)}" for key, item in value.items()) + "}"
    return "[" + ", ".join(_scalar(item, hand, FLOW_PLAIN) for item in value) + "]"


def _scalar_entry(head: str, value: Any, hand: Hand, indent: int) -> Iterator[str]:
    if isinstance(value, (dict, list)):
        yield f"{head} {_flow(value, hand)}"
    elif isinstance(value, str) and "\n" in value:
        yield f"{head} {'|' if value.endswith(chr(10)) else '|-'}"
        yield from (f"{' ' * indent}{line}".rstrip() for line in value.removesuffix("\n").split("\n"))
    elif isinstance(value, str) and len(value) > 70 and " " in value and hand.blocks and hand.dice.chance(hand.blocks):
        yield f"{head} >-"
        width = max(40, 100 - indent)
        yield from (
            f"{' ' * indent}{line}"
            for line in textwrap.wrap(value, width, break_long_words=False, break_on_hyphens=False)
        )
    else:
        yield f"{head} {_scalar(value, hand, BLOCK_PLAIN)}".rstrip() + _remark(value, hand)


def _remark(value: Any, hand: Hand) -> str:
    short = hand.comments and not isinstance(value, Raw) and len(str(value)) < 30
    return f"  # {hand.dice.pick(COMMENTS)}" if short and hand.dice.chance(hand.comments) else ""


def _scalar(value: Any, hand: Hand, plain: re.Pattern[str]) -> str:
    if isinstance(value, Raw):
        return value.text
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    if _is_plain(value, plain):
        return value
    if hand.quote == "'" and "'" not in value:
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False)


def _is_plain(value: str, plain: re.Pattern[str]) -> bool:
    if value.lower() in AMBIGUOUS or value.endswith((":", " ")) or ": " in value:
        return False
    return bool(plain.match(value)) or (plain is BLOCK_PLAIN and bool(SCHEDULE.match(value)))
