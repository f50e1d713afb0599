"""Ways in which people break files, line by line; each draws where."""

from __future__ import annotations

import re
from collections.abc import Callable

from benchmarks.random_source import Dice

Breaker = Callable[[str, Dice], str]

_key = re.compile(r"^( *(?:- +)*)([A-Za-z_]\w*):(?=[ \r\n]|$)")
_value = re.compile(r"(:[ ]+)([^\s#&*|>\[{\"'][^#\r\n]*?)(?=[ ]*(?:#|\r|\n|$))")
SERVICE_FIELDS = ("createTime", "updateTime", "kvStoreMetadata", "state", "configApplicationRules", "satisfiesPzs")
SERVICE_VALUES = (
    ' "2026-05-01T08:00:00Z"', " 2026-05-01T08:00:00Z", "", " ACTIVE", " true", " {readAppProfile: serving}",
    "\n{indent}  readAppProfile: serving", " []", "\n{indent}- rule: summer", " |- # noted\n{indent}  text",
)  # fmt: skip
SLIPS = (
    "5/15 * * * *", "@daily", "CRON_TZ=US/Eastern 0 3 * * 7", "0 9 * * * Europe/Berlin", "iw", "EN-us", "no", "012",
    '"true"', "1", "2.0", "TONE_UNSPECIFIED", "DISTANCE_MEASURE_TYPE_UNSPECIFIED", "!order.closed", "!x", "null", "",
    "[a, a]", "[]", "{}", "{a: b}", "|- # kept\n{indent}    5", "&a b", "*a", "'it''s'", "2026-01-02", "1_000",
)  # fmt: skip


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True) or [""]


def _some_line(lines: list[str], dice: Dice) -> int:
    return dice.number(0, len(lines) - 1)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" "))]


def indent_line(text: str, dice: Dice) -> str:
    """One line, or several, further in or out."""
    lines = _lines(text)
    at, by = _some_line(lines, dice), dice.pick((-4, -2, -2, -1, 1, 2, 2, 4))
    for number in range(at, min(at + dice.pick((1, 1, 2, 5)), len(lines))):
        line = lines[number]
        lines[number] = " " * by + line if by > 0 else line[min(-by, len(_indent(line))) :]
    return "".join(lines)


def repeat_line(text: str, dice: Dice) -> str:
    """One line, or several, twice."""
    lines = _lines(text)
    at, count = _some_line(lines, dice), dice.pick((1, 1, 2, 4))
    return "".join([*lines[: at + count], *lines[at : at + count], *lines[at + count :]])


def move_lines(text: str, dice: Dice) -> str:
    """Lines that end up elsewhere."""
    lines = _lines(text)
    at, count = _some_line(lines, dice), dice.pick((1, 2, 3))
    moved = lines[at : at + count]
    del lines[at : at + count]
    to = dice.number(0, len(lines))
    return "".join([*lines[:to], *moved, *lines[to:]])


def drop_line(text: str, dice: Dice) -> str:
    """A line that is lost."""
    lines = _lines(text)
    del lines[_some_line(lines, dice)]
    return "".join(lines)


def drop_sign(text: str, dice: Dice) -> str:
    """A sign that is lost, such as a colon or a quote."""
    signs = [at for at, sign in enumerate(text) if sign in ":\"'[]{},-"]
    if not signs:
        return text
    at = dice.pick(signs)
    return text[:at] + text[at + 1 :]


def comment_line(text: str, dice: Dice) -> str:
    """Comments at ends of lines, and on lines of their own."""
    lines = _lines(text)
    for _ in range(dice.number(1, 8)):
        at, word = _some_line(lines, dice), f"# remark {dice.number(1000, 9999)}"
        body = lines[at].rstrip("\r\n")
        if dice.chance(0.5):
            lines[at] = f"{body}  {word}{lines[at][len(body) :]}"
        else:
            lines.insert(at, f"{_indent(lines[at])}{word}\n")
    return "".join(lines)


def service_field(text: str, dice: Dice) -> str:
    """A field that only the service sets, somewhere; lines below it may become its own."""
    lines = _lines(text)
    at = _some_line(lines, dice)
    indent = dice.pick(("", "", "", _indent(lines[at])))
    name, value = dice.pick(SERVICE_FIELDS), dice.pick(SERVICE_VALUES).replace("{indent}", indent)
    lines.insert(at, f"{indent}{name}:{value}\n")
    return "".join(lines)


def other_value(text: str, dice: Dice) -> str:
    """Another value in place of a plain one."""
    found = list(_value.finditer(text))
    if not found:
        return text
    match = dice.pick(found)
    line = text[text.rfind("\n", 0, match.start()) + 1 :]
    slip = dice.pick(SLIPS).replace("{indent}", _indent(line))
    return text[: match.start(2)] + slip + text[match.end(2) :]


def other_key(text: str, dice: Dice) -> str:
    """A key in its other spelling, or in one that is wrong."""
    lines = _lines(text)
    keyed = [at for at, line in enumerate(lines) if _key.match(line)]
    if not keyed:
        return text
    at = dice.pick(keyed)
    snake = dice.chance(0.7)

    def spelled(match: re.Match[str]) -> str:
        key = match[2]
        other = re.sub("[A-Z]", lambda sign: f"_{sign[0].lower()}", key) if snake else key[:-1]
        return f"{match[1]}{other}:"

    lines[at] = _key.sub(spelled, lines[at])
    return "".join(lines)


def list_as_scalar(text: str, dice: Dice) -> str:
    """The first item of a list in brackets alone, or repeated."""
    found = list(re.finditer(r"\[([^\[\]{},\r\n]+)((?:,[^\[\]{}\r\n]*)?)\]", text))
    if not found:
        return text
    match = dice.pick(found)
    new = match[1] if dice.chance(0.5) else f"[{match[1]}, {match[1]}{match[2]}]"
    return text[: match.start()] + new + text[match.end() :]


def other_breaks(text: str, dice: Dice) -> str:
    """Other line breaks, or none at the end."""
    if dice.chance(0.3):
        return text.rstrip("\r\n")
    return text.replace("\r\n", "\n").replace("\n", dice.pick(("\r\n", "\r\n", "\r")))


def merge_conflict(text: str, dice: Dice) -> str:
    """A merge conflict around some lines."""
    lines = _lines(text)
    at = _some_line(lines, dice)
    ours = lines[at : at + dice.pick((1, 2))]
    theirs = [line.replace("a", "o", 1) for line in ours]
    conflict = ["<<<<<<< HEAD\n", *ours, "=======\n", *theirs, ">>>>>>> main\n"]
    return "".join([*lines[:at], *conflict, *lines[at + len(ours) :]])


BREAKERS: tuple[Breaker, ...] = (
    indent_line, indent_line, repeat_line, repeat_line, move_lines, drop_line, drop_sign, comment_line, comment_line,
    service_field, service_field, other_value, other_value, other_value, other_key, list_as_scalar, other_breaks,
    merge_conflict,
)  # fmt: skip
