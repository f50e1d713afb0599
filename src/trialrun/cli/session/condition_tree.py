"""A condition as a tree: each part below its parent, with its value."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from trialrun.cli.session.writer import MIN_TEXT_WIDTH, TextWriter, escape_text
from trialrun.outputs.session import json_state
from trialrun.report.color import Style
from trialrun.report.format_value import truncate
from trialrun.report.terminal_width import width as width_of
from trialrun.report.wrap import wrap_text

if TYPE_CHECKING:
    from trialrun.values.cel import Subexpression

INDENT_STEP = 2
VALUE_WIDTH = 7
"""Width of true, false or error with the spaces after it."""
MAX_VALUE_LENGTH = 60
STYLES: Mapping[bool, Style] = {True: "clean", False: "gutter"}


def condition_tree(parts: Sequence[Subexpression], sheet: TextWriter, *, begin: int) -> Iterator[str]:
    """The lines of the parts of a condition, outer parts first, indented by `begin` spaces.

    A value that occurs several times is shown only once, and a list literal is not repeated as a value.
    """
    around: list[Subexpression] = []
    known: set[str] = set()
    for part in parts:
        while around and not (around[-1].start <= part.start and part.end <= around[-1].end):
            around.pop()
        if part.text not in known and not _is_literal_collection(part, parts):
            yield from _part(part, sheet, begin + INDENT_STEP * len(around))
        if part.error is None and not isinstance(part.value, bool):
            known.add(part.text)
        around.append(part)


def _is_literal_collection(part: Subexpression, parts: Sequence[Subexpression]) -> bool:
    """Whether a part is a list or map literal."""
    return part.text[0] in "[{" and not any(
        part.start < subexpression.start and subexpression.end <= part.end for subexpression in parts
    )


def _part(part: Subexpression, sheet: TextWriter, begin: int) -> Iterator[str]:
    text = " ".join(part.text.split())
    if part.error is not None:
        yield from _value_lines("error", "error", text, sheet, begin)
        yield from _indent_lines(part.error, sheet, begin + VALUE_WIDTH, "error")
    elif isinstance(part.value, bool):
        yield from _value_lines("true" if part.value else "false", STYLES[part.value], text, sheet, begin)
    else:
        room = max(sheet.width - begin - 2, MIN_TEXT_WIDTH)
        value = truncate(format_value(part.value), min(room, MAX_VALUE_LENGTH))
        yield from _indent_lines(f"{text} = {value}", sheet, begin, None)


def _value_lines(word: str, style: Style, text: str, sheet: TextWriter, begin: int) -> Iterator[str]:
    room = max(sheet.width - begin - VALUE_WIDTH, MIN_TEXT_WIDTH)
    for number, line in enumerate(_lines(text, first=room, rest=room)):
        head = " " * VALUE_WIDTH if number else sheet.paint(word, style) + " " * (VALUE_WIDTH - len(word))
        yield f"{' ' * begin}{head}{line}\n"


def _indent_lines(text: str, sheet: TextWriter, begin: int, style: Style | None) -> Iterator[str]:
    room = max(sheet.width - begin, MIN_TEXT_WIDTH)
    for number, line in enumerate(_lines(text, first=room, rest=room - INDENT_STEP)):
        yield f"{' ' * (begin + INDENT_STEP * (number > 0))}{sheet.paint_text(line, style)}\n"


def _lines(text: str, *, first: int, rest: int) -> Iterator[str]:
    """The lines of an expression; words that are too long break before a dot, or else anywhere."""
    for number, line in enumerate(wrap_text(escape_text(text), first=first, rest=rest)):
        room = rest if number else first
        while width_of(line) > room:
            kept = truncate(line, room)[:-1]
            at = kept.rfind(".", 1)
            at = at if at > 0 else len(kept)
            yield line[:at]
            line = line[at:]
        yield line


def format_value(value: Any) -> str:
    """A value of the state on one line; items are shown by their names and quantities."""
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "displayName" in one for one in value):
        return f"[{', '.join(map(_format_item, value))}]"
    return json.dumps(json_state(value), ensure_ascii=False)


def _format_item(item: Mapping[str, Any]) -> str:
    return f"{item['quantity']} {item['displayName']}" if "quantity" in item else str(item["displayName"])
