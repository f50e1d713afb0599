"""Parser of session scripts; reports the errors of all lines together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.runtime.channel_config.menu import BrandMenu
from trialrun.runtime.channel_config.script.item_names import has_item
from trialrun.runtime.channel_config.script.line import ScriptError, ScriptLine, ScriptMistake
from trialrun.runtime.channel_config.script.scanner import JSON, ScanError, Scanner
from trialrun.runtime.channel_config.script.verbs import (
    BY_SPELLING,
    NUMBER,
    VERBS,
    Report,
    add,
    read_path,
    say,
)
from trialrun.runtime.channel_config.session.actions import Action, SetState
from trialrun.values.suggest import did_you_mean

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
