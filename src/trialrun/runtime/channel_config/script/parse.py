"""Scripts read: every line is a turn, and all that is wrong in any of them is told at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.model.suggest import nearest
from trialrun.runtime.channel_config.menu import MenuOfBrand
from trialrun.runtime.channel_config.script.item_names import has_item
from trialrun.runtime.channel_config.script.line import Mistake, ScriptError, ScriptLine
from trialrun.runtime.channel_config.script.scanner import JSON, Cursor, Wrong
from trialrun.runtime.channel_config.script.verbs import (
    BY_SPELLING,
    NUMBER,
    VERBS,
    Report,
    add,
    read_path,
    say,
)
from trialrun.runtime.channel_config.session.actions import Move, SetState

LINE_BREAK = re.compile(r"\r\n|\n|\r")
SPELLED = "|".join(re.escape(one).replace(r"\ ", r"\s+") for one in sorted(BY_SPELLING, key=len, reverse=True))
VERB = re.compile(rf"(?:{SPELLED})(?=[\s;,\"]|$)", re.IGNORECASE)
WORD = re.compile(r"[^\s;]+")
SEMICOLON = re.compile(";")


def parse(text: str, menu: MenuOfBrand) -> list[ScriptLine]:
    """The turns of a script, or of a line that was typed; empty lines and comments are none. Raises ScriptError."""
    mistakes: list[Mistake] = []
    lines = [_line(number, line, menu, mistakes) for number, line in enumerate(LINE_BREAK.split(text), 1)]
    if mistakes:
        raise ScriptError(mistakes)
    return [line for line in lines if line.moves]


def divided(lines: Sequence[ScriptLine]) -> tuple[list[SetState], list[ScriptLine]]:
    """What is set before the first deed, which holds from the welcome on, and the turns."""
    settings: list[SetState] = []
    for index, line in enumerate(lines):
        set_here = [move for move in line.moves if isinstance(move, SetState)]
        if len(set_here) < len(line.moves):
            return settings, list(lines[index:])
        settings += set_here
    return settings, []


def path_and_value(text: str) -> SetState:
    """What `session.partySize=4` sets. Raises ScriptError."""
    cursor = Cursor(text)
    try:
        path = read_path(cursor)
        if cursor.text[cursor.at : cursor.at + 1] != "=":
            raise Wrong(cursor.at, len(text), "there is no value; write it after =, as in session.partySize=4")
        return SetState(path, _json_or_text(text[cursor.at + 1 :]))
    except Wrong as wrong:
        raise ScriptError([Mistake(1, wrong.start + 1, wrong.end + 1, wrong.message)]) from None


def _json_or_text(text: str) -> Any:
    try:
        return JSON.decode(text)
    except (ValueError, RecursionError):
        return text


def _line(number: int, text: str, menu: MenuOfBrand, mistakes: list[Mistake]) -> ScriptLine:
    def report(wrong: Wrong) -> None:
        mistakes.append(Mistake(number, wrong.start + 1, max(wrong.end, wrong.start) + 1, wrong.message))

    cursor, moves, places = Cursor(text), list[Move](), list[tuple[int, int]]()
    while True:
        start = cursor.skip()
        if not cursor.ended:
            moves += _moves(cursor, menu, report)
            places += [(start + 1, cursor.at + 1)] * (len(moves) - len(places))
        end = cursor.at
        if not cursor.take(SEMICOLON):
            return ScriptLine(number, text[:end].strip(), tuple(moves), tuple(places), tuple(cursor.named))


def _moves(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    """The moves up to the next semicolon."""
    try:
        yield from _read(cursor, menu, report)
        if not cursor.ended:
            start = cursor.skip()
            raise Wrong(start, cursor.move_end, "nothing more stands here; a semicolon begins the next move")
    except Wrong as wrong:
        report(wrong)
        cursor.recover()


def _read(cursor: Cursor, menu: MenuOfBrand, report: Report) -> Iterator[Move]:
    start = cursor.skip()
    if cursor.text[start] == '"':
        return say(cursor, menu, report)
    if verb := cursor.take(VERB):
        return BY_SPELLING[" ".join(verb[0].lower().split())].read(cursor, menu, report)
    if NUMBER.match(cursor.text, start) or has_item(cursor, menu):
        return add(cursor, menu, report)
    word = WORD.match(cursor.text, start)
    end = word.end() if word else start + 1
    raise Wrong(start, end, _no_verb(cursor.text[start:end]))


def _no_verb(word: str) -> str:
    near = nearest(word.lower(), BY_SPELLING, close=0.6)
    hint = f'did you mean "{near}"?' if near else f"there are {', '.join(verb.spellings[0] for verb in VERBS)}"
    return f'there is no verb "{word}"; {hint}'
