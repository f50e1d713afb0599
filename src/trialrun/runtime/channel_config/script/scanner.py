"""Scanner of a script line."""

from __future__ import annotations

import json
import re
from typing import Any

from trialrun.lazy_dataclass import dataclass

WHITESPACE = re.compile(r"\s*")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
ACTION_END = re.compile(r"\s*(?:$|;)|\s+#|^#|(?<=[\s;])#")
"""Where a move ends: at the line's end, a semicolon or a comment, which follows a space."""
BACKSLASH_MESSAGE = 'after a backslash comes ", \\, n, t, or u and four hexadecimal digits; write \\\\ for a backslash'


class ScanError(Exception):
    """What is from `start` to `end` of a line cannot be read."""

    def __init__(self, start: int, end: int, message: str) -> None:
        super().__init__(message)
        self.start, self.end, self.message = start, end, message


def unquote(match: re.Match[str], group: int) -> str:
    """What a group of a match, a text in quotes, stands for. Raises ScanError."""
    try:
        return str(json.loads(match[group], strict=False))
    except ValueError:
        raise ScanError(*match.span(group), BACKSLASH_MESSAGE) from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


JSON = json.JSONDecoder(parse_constant=_no_number)
"""JSON as its standard has it, which knows no NaN and no Infinity."""


@dataclass(frozen=True, slots=True)
class NameToken:
    """A name in a line, with its quotes where it has some, and the entry of the menu, or the group, that it means."""

    start: int
    end: int
    entry: Any


class Scanner:
    """A line, how much of it is read, and the names that were read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.names: list[NameToken] = []

    def skip(self) -> int:
        """Pass over spaces; where that leads to."""
        match = WHITESPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at
        return self.at

    @property
    def at_end(self) -> bool:
        """Whether nothing of the move is left."""
        return ACTION_END.match(self.text, self.at) is not None

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Read what fits a pattern here, after spaces; nothing of it is read where it does not fit."""
        start = self.at
        match = pattern.match(self.text, self.skip())
        self.at = match.end() if match else start
        return match

    def end_of(self, stop: re.Pattern[str]) -> int:
        """Where what begins here ends: at the first stop after its first character.

        A stop takes the spaces before it, so it begins at none but the first of them.
        """
        for position in range(self.at + 1, len(self.text)):
            is_inside_whitespace = self.text[position].isspace() and self.text[position - 1].isspace()
            if not is_inside_whitespace and stop.match(self.text, position):
                return position
        return len(self.text)

    @property
    def action_end(self) -> int:
        """Where the move that is read ends."""
        return self.at if self.at_end else self.end_of(ACTION_END)

    def rest(self) -> str:
        """Read the rest of the move as it is written."""
        start = self.skip()
        self.at = self.action_end
        return self.text[start : self.at]

    def read_quoted(self, after: re.Pattern[str]) -> str | None:
        """Read a text in quotes, where one is here that goes before what may come after it."""
        match = QUOTED.match(self.text, self.skip())
        if match is None or not after.match(self.text, match.end()):
            return None
        self.at = match.end()
        return unquote(match, 0)

    def quote_error(self) -> ScanError:
        """What is wrong with the quotes that begin here."""
        start = self.at
        match = QUOTED.match(self.text, start)
        self.recover()
        if match:
            return ScanError(match.end(), self.at, "text after the closing quote; put all of it in quotes, or none")
        self.at = len(self.text)
        return ScanError(start, len(self.text.rstrip()), 'the quotes are not closed; write " at their end')

    def recover(self) -> None:
        """Go on to where the move ends, past what is in quotes."""
        while not self.at_end and self.at < len(self.text):
            quote = QUOTED.match(self.text, self.at)
            self.at = quote.end() if quote else self.at + 1
            if self.text[self.at - 1].isspace():
                self.skip()
