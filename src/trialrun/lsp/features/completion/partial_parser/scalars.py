"""Plain, quoted and block scalars; an open one ends before a line that is not indented below it."""

from __future__ import annotations

import re

from trialrun.lsp.features.completion.partial_parser.reader import Reader
from trialrun.lsp.features.completion.partial_tree import Scalar, Style

KEY = re.compile(
    r"""(?:"((?:\\.|[^"\\\n])*)"|'((?:''|[^'\n])*)'|((?:-(?=\S)|[^\s#"'\[\]{}&*!|>%@,-])[^\n#]*?))"""
    r"[ \t]*:(?=[ \t\r\n]|\Z)"
)
STRUCTURE = re.compile(r"""-[ \t\r\n]|["']?\w+["']?[ \t]*:(?=[ \t\r\n]|\Z)""")
_PLAIN = re.compile(r"(?:[^\s#]|(?<!\s)#|[ \t]+(?![ \t#\r\n]|\Z))*")
_QUOTED = {'"': re.compile(r'(?:\\[\s\S]|[^"\\])*'), "'": re.compile(r"(?:''|[^'])*")}
_MAX_INDENTATION = 500


def is_first(reader: Reader, start: int, end: int) -> bool:
    """Whether only dashes are before a scalar on its line; computed only for the scalar with the mark."""
    if not reader.has_mark(start, end):
        return False
    line = max(reader.text.rfind("\n", 0, start) + 1, start - _MAX_INDENTATION)
    return not reader.text[line:start].strip(" \t-")


def key(match: re.Match[str]) -> Scalar:
    """The key of a match of `KEY`."""
    double, single, plain_text = match.groups()
    if plain_text is not None:
        return Scalar(plain_text, match.start(3), match.end(3), "plain", is_first=True)
    if double is not None:
        return Scalar(double, match.start(1), match.end(1), "double", is_first=True)
    return Scalar(single, match.start(2), match.end(2), "single", is_first=True)


def plain(reader: Reader, above: int) -> Scalar:
    """A plain scalar, with its continuation lines, which are indented more than the column `above`."""
    start = reader.at
    reader.take(_PLAIN)
    end = reader.at
    while _continues(reader, above):
        reader.take(_PLAIN)
        end = reader.at
    if end == start:
        reader.skip_line()
    return Scalar(reader.text[start:end], start, end, "plain", is_first(reader, start, end))


def _continues(reader: Reader, above: int) -> bool:
    """Whether the next line continues a plain scalar."""
    column, is_new = reader.peek()
    return column > above and is_new and not reader.matches(STRUCTURE)


def block(reader: Reader, above: int) -> Scalar:
    """The lines of a block scalar."""
    reader.skip_line()
    start = end = reader.at
    while reader.at < len(reader.text):
        indentation, is_empty = reader.indentation(reader.at)
        if not is_empty and indentation <= above:
            break
        reader.skip_line()
        end = end if is_empty else reader.at
    return Scalar(reader.text[start:end], start, end, "block")


def read_quoted(reader: Reader, above: int) -> Scalar:
    """A quoted scalar; an unclosed one ends with its line, or before a line that is not indented enough."""
    quote, start = reader.letter, reader.at + 1
    match = _QUOTED[quote].match(reader.text, start)
    assert match is not None
    end = _reach(reader, start, match.end(), above)
    reader.at = end + 1 if reader.text[end : end + 1] == quote else end
    style: Style = "double" if quote == '"' else "single"
    return Scalar(reader.text[start:end], start, end, style, is_first(reader, start - 1, end))


def _reach(reader: Reader, start: int, end: int, above: int) -> int:
    """The end of an unclosed scalar: at the latest before a line that is not indented enough."""
    line = reader.text.find("\n", start, end)
    while line >= 0:
        indentation, is_empty = reader.indentation(line + 1)
        if line + 1 < len(reader.text) and not is_empty and indentation <= above:
            return line
        line = reader.text.find("\n", line + 1, end)
    return end
