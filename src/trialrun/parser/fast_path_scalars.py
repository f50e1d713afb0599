"""The scalars of simple YAML: plain ones that may be numbers, quoted ones on one line, and block scalars."""

from __future__ import annotations

import re
from typing import Any, Final

from trialrun.parser.scalars import AMBIGUOUS, FIRST_OF_NUMBER, WORDS, decimal, read_number

SINGLE_QUOTED: Final = r"'[^'\n]*+(?:''[^'\n]*+)*+'"
DOUBLE_QUOTED: Final = r'"[^"\\\n]*+(?:\\["\\/nt][^"\\\n]*+)*+"'
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "n": "\n", "t": "\t"}
_HEADERS: Final = ("|", "|-", ">", ">-")

_plain = re.compile(
    r"""
    (?:[^\n !"\#%&'*,\-:=>?@\[\]`{|}]|-(?=[^\n -]))          # no indicator
    [^\n:\#]*+(?:(?::(?![ \n]|\Z)|(?<!\ )\#)[^\n:\#]*+)*+\Z  # no colon before a blank, no comment
    """,
    re.VERBOSE,
).match
_quoted = re.compile(rf"({SINGLE_QUOTED}|{DOUBLE_QUOTED})(?: *| +#.*)\Z").match
_escape = re.compile(r"\\(.)").sub
_fold = re.compile(r"(?<=[^\n])\n(\n*)").sub


class Unsimple(Exception):
    """What is not certain to be read as it looks."""


def plain_scalar(written: str) -> Any:
    """The value of a plain scalar, with or without a comment behind it."""
    comment = written.find(" #")
    text = (written if comment < 0 else written[:comment]).rstrip(" ")
    if not _plain(text):
        raise Unsimple
    return plain_value(text)


def plain_value(text: str) -> Any:
    """What the text of a plain scalar means, where every reader agrees on it."""
    if text in WORDS:
        value = WORDS[text]
        if value is AMBIGUOUS:
            raise Unsimple
        return value
    if text[0] not in FIRST_OF_NUMBER:
        return text
    if decimal(text):
        return int(text)
    reading = read_number(text)
    if reading.elsewhere is not None:
        raise Unsimple
    return reading.value


def quoted_scalar(written: str) -> str:
    """The text of a quoted scalar, with or without a comment behind it."""
    match = _quoted(written)
    if match is None:
        raise Unsimple
    return unquoted(match[1])


def unquoted(quoted: str) -> str:
    """The text between quotes, with the escapes of its kind resolved."""
    inner = quoted[1:-1]
    if quoted[0] == "'":
        return inner.replace("''", "'")
    return _escape(lambda match: _ESCAPES[match[1]], inner) if "\\" in inner else inner


def block_scalar(written: str, column: int) -> str:
    """A literal or folded scalar from its header and its lines, which stand further in than `column`."""
    header, _, body = written.partition("\n")
    if header not in _HEADERS or not body:
        raise Unsimple
    lines = _without_indentation(body.split("\n"), column)
    text = _folded(lines) if header[0] == ">" else "\n".join(lines).rstrip("\n")
    return text if header[-1] == "-" else text + "\n"


def _without_indentation(lines: list[str], column: int) -> list[str]:
    """The lines from the column on where the first one with a text begins."""
    first = lines[0] if lines[0].strip(" ") else next((line for line in lines if line.strip(" ")), "")
    indent = len(first) - len(first.lstrip(" "))
    if indent <= column:
        raise Unsimple
    margin = " " * indent
    for line in lines:
        if not line.startswith(margin) if line.strip(" ") else len(line) > indent:
            raise Unsimple
    return [line[indent:] for line in lines]


def _folded(lines: list[str]) -> str:
    """One text of the lines; none of them may begin with a blank."""
    if "" not in lines:
        if any(line[0] == " " for line in lines):
            raise Unsimple
        return " ".join(lines)
    if any(line.startswith(" ") for line in lines):
        raise Unsimple
    return _fold(lambda match: match[1] or " ", "\n".join(lines).rstrip("\n"))
