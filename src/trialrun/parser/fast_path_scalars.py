"""Scalars of the fast path: plain ones that may be numbers, quoted ones on one line, and block scalars."""

from __future__ import annotations

import re
from typing import Any, Final

from trialrun.parser.scalars import AMBIGUOUS, NUMBER_STARTS, WORDS, decimal, parse_number

SINGLE_QUOTED: Final = r"'[^'\n]*+(?:''[^'\n]*+)*+'"
DOUBLE_QUOTED: Final = r'"[^"\\\n]*+(?:\\["\\/nt][^"\\\n]*+)*+"'
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "n": "\n", "t": "\t"}
MERGE_KEY: Final = "<<"
_HEADERS: Final = ("|", "|-", ">", ">-")

_plain = re.compile(
    r"""
    (?:[^\n !"\#%&'*,\-:=>?@\[\]`{|}]|-(?=[^\n -]))          # no indicator
    [^\n:\#]*+(?:(?::(?![ \n]|\Z)|(?<!\ )\#)[^\n:\#]*+)*+\Z  # no colon before a space, no comment
    """,
    re.VERBOSE,
).match
_quoted = re.compile(rf"({SINGLE_QUOTED}|{DOUBLE_QUOTED})(?: *| +#.*)\Z").match
_escape = re.compile(r"\\(.)").sub
_fold = re.compile(r"(?<=[^\n])\n(\n*)").sub


MAX_KNOWN_LENGTH: Final = 80
"""The longest texts whose values are kept, as many are in the files of a workspace again and again."""


class NotSimple(Exception):
    """The text is not certain to be parsed as it looks."""


def plain_scalar(text: str) -> Any:
    """The value of a plain scalar, with or without a comment behind it."""
    comment = text.find(" #")
    plain = (text if comment < 0 else text[:comment]).rstrip(" ")
    if not _plain(plain):
        raise NotSimple
    return plain_value(plain)


def plain_value(text: str) -> Any:
    """The value of a plain scalar on which all parsers agree."""
    if text in WORDS:
        value = WORDS[text]
        if value is AMBIGUOUS:
            raise NotSimple
        return value
    if text[0] not in NUMBER_STARTS:
        return text
    if decimal(text):
        return int(text)
    reading = parse_number(text)
    if reading.yaml_1_1 is not None:
        raise NotSimple
    return reading.value


def quoted_scalar(text: str) -> str:
    """The text of a quoted scalar, with or without a comment behind it."""
    match = _quoted(text)
    if match is None:
        raise NotSimple
    return unquote(match[1])


def unquote(quoted: str) -> str:
    """The text between quotes, with the escapes of its kind resolved."""
    inner = quoted[1:-1]
    if quoted[0] == "'":
        return inner.replace("''", "'")
    return _escape(lambda match: _ESCAPES[match[1]], inner) if "\\" in inner else inner


def block_scalar(text: str, column: int) -> str:
    """A literal or folded scalar from its header and its lines, which are indented more than `column`."""
    header, _, body = text.partition("\n")
    if header not in _HEADERS or not body:
        raise NotSimple
    lines = _dedent(body.split("\n"), column)
    scalar = _fold_lines(lines) if header[0] == ">" else "\n".join(lines).rstrip("\n")
    return scalar if header[-1] == "-" else scalar + "\n"


def _dedent(lines: list[str], column: int) -> list[str]:
    """The lines from the column on where the first one with a text begins."""
    first = lines[0] if lines[0].strip(" ") else next((line for line in lines if line.strip(" ")), "")
    indent = len(first) - len(first.lstrip(" "))
    if indent <= column:
        raise NotSimple
    margin = " " * indent
    for line in lines:
        if not line.startswith(margin) if line.strip(" ") else len(line) > indent:
            raise NotSimple
    return [line[indent:] for line in lines]


def _fold_lines(lines: list[str]) -> str:
    """One text of the lines; none of them may begin with a space."""
    if "" not in lines:
        if any(line[0] == " " for line in lines):
            raise NotSimple
        return " ".join(lines)
    if any(line.startswith(" ") for line in lines):
        raise NotSimple
    return _fold(lambda match: match[1] or " ", "\n".join(lines).rstrip("\n"))
