"""A condition as a tree: every part of it below the part that it belongs to, with its value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.cli.session.writer import LEAST, Sheet, safe
from trialrun.outputs.session import plain
from trialrun.report.color import Style
from trialrun.report.format_value import cut
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrapped

if TYPE_CHECKING:
    from trialrun.values.cel import Part

STEP = 2
VALUE = 7
"""The cells of true, false or error, and the blanks after it."""
LONGEST = 60
STYLES: Mapping[bool, Style] = {True: "clean", False: "gutter"}


def tree(parts: Sequence[Part], sheet: Sheet, *, begin: int) -> Iterator[str]:
    """The lines of a condition's parts, outer parts first, `begin` blanks to the right.

    A value that stands in several places is shown at the first, and a list that is written out is not shown again.
    """
    around: list[Part] = []
    known: set[str] = set()
    for part in parts:
        while around and not (around[-1].start <= part.start and part.end <= around[-1].end):
            around.pop()
        if part.text not in known and not _is_written_out(part, parts):
            yield from _part(part, sheet, begin + STEP * len(around))
        if part.error is None and not isinstance(part.value, bool):
            known.add(part.text)
        around.append(part)


def _is_written_out(part: Part, parts: Sequence[Part]) -> bool:
    """Whether a part is a list or a map of literals."""
    return part.text[0] in "[{" and not any(part.start < one.start and one.end <= part.end for one in parts)


def _part(part: Part, sheet: Sheet, begin: int) -> Iterator[str]:
    text = " ".join(part.text.split())
    if part.error is not None:
        yield from _valued("error", "error", text, sheet, begin)
        yield from _indented(part.error, sheet, begin + VALUE, "error")
    elif isinstance(part.value, bool):
        yield from _valued("true" if part.value else "false", STYLES[part.value], text, sheet, begin)
    else:
        room = max(sheet.width - begin - 2, LEAST)
        value = cut(shown(part.value), min(room, LONGEST))
        yield from _indented(f"{text} = {value}", sheet, begin, None)


def _valued(word: str, style: Style, text: str, sheet: Sheet, begin: int) -> Iterator[str]:
    room = max(sheet.width - begin - VALUE, LEAST)
    for number, line in enumerate(_lines(text, first=room, rest=room)):
        head = " " * VALUE if number else sheet.paint(word, style) + " " * (VALUE - len(word))
        yield f"{' ' * begin}{head}{line}\n"


def _indented(text: str, sheet: Sheet, begin: int, style: Style | None) -> Iterator[str]:
    room = max(sheet.width - begin, LEAST)
    for number, line in enumerate(_lines(text, first=room, rest=room - STEP)):
        yield f"{' ' * (begin + STEP * (number > 0))}{sheet.painted(line, style)}\n"


def _lines(text: str, *, first: int, rest: int) -> Iterator[str]:
    """The lines of an expression; one of its words that is too long breaks before a dot, or else anywhere."""
    for number, line in enumerate(wrapped(safe(text), first=first, rest=rest)):
        room = rest if number else first
        while width_of(line) > room:
            kept = cut(line, room)[:-1]
            at = kept.rfind(".", 1)
            at = at if at > 0 else len(kept)
            yield line[:at]
            line = line[at:]
        yield line


def shown(value: Any) -> str:
    """A value of the state on one line; a list of items by their names and quantities."""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "displayName" in one for one in value):
        return f"[{', '.join(map(_item, value))}]"
    return json.dumps(plain(value), ensure_ascii=False)


def _item(item: Mapping[str, Any]) -> str:
    return f"{item['quantity']} {item['displayName']}" if "quantity" in item else str(item["displayName"])
