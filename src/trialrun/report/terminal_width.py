"""Width of text in terminal cells, its lines, and escaping of characters that could control the terminal."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TextIO
from unicodedata import category, east_asian_width

from trialrun.report.color import PALETTE

TAB = "    "
"""Replacement of tabs in a code frame: a fixed number of spaces, independent of the gutter."""

UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f]"  # control characters: ESC, CR, C1 sequences
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # what changes the direction of writing
    "|[\u2028\u2029]"  # line breaks for some terminals, not for YAML
    "|[\xad\u180e\u200b\u2060-\u2065\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\uffff]"  # what is not seen
    "|[\ud800-\udfff]"  # lone surrogates, which no encoding can write
    "|[\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff]"  # nor this: format and tag characters
    "|(?<![^\x00-\x7f])[\u200c\u200d]"  # joiners have their place between letters and in emoji, none after ASCII
    "|(?<=#)#(?=[\\w.-]*\\[)"  # ##[error] and ##vso[…], which CI systems carry out wherever they appear in a log
)
OF_LINES = re.compile(f"\n|\x1b\\[(?:{'|'.join(('0', *PALETTE.values()))})m|{UNSAFE.pattern}")
"""What is looked at in lines: their breaks and the colours of ours, which may stay, and what is unsafe."""
COMMAND_LINE = re.compile(r"^((?:[^\S\n]|\x1b\[[\d;]*m)*):(?=:\w)", re.MULTILINE)
"""A line that CI systems may take for a workflow command, `::error::…`; leading spaces are ignored."""
SHORT_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
JOINER = "\u200d"
EMOJI_STYLE = "\ufe0f"
EMOJI_STYLE_BASES = "#*0123456789‼⁉ℹ"  # besides symbols, what turns into a picture before EMOJI_STYLE


class CellLayout(NamedTuple):
    """The layout of a text: for every code point its output, and its cells from `left` to `right`.

    The code points of a cluster (a letter with accents, an emoji sequence) have the same cells; the output is at the
    first.
    """

    texts: Sequence[str]
    left: Sequence[int]
    right: Sequence[int]

    @property
    def width(self) -> int:
        """The width of the whole text."""
        return self.right[-1] if self.right else 0


def terminal_columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    """The width of the terminal: COLUMNS if set, else that of the terminal, else 80."""
    columns = environ.get("COLUMNS", "")
    if columns.isdecimal() and len(columns) < 10 and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def escape_controls(text: str) -> str:
    """The text with every character escaped that could control a terminal or be invisible."""
    return text if is_plain_ascii(text) else UNSAFE.sub(lambda match: _escape(match[0]), text)


def escape_lines(text: str, *, with_colors: bool) -> str:
    """Lines for a terminal or the log of a CI system: no character controls it, and no line is a command to it."""

    def escaped(match: re.Match[str]) -> str:
        found = match[0]
        return found if found == "\n" or (with_colors and len(found) > 1) else _escape(found[0]) + found[1:]

    return disarm_ci_commands(OF_LINES.sub(escaped, text))


def disarm_ci_commands(text: str) -> str:
    """The text with every line broken up that would be a CI workflow command, such as `::error::`."""
    return COMMAND_LINE.sub(r"\1\\x3a", text) if "::" in text else text


def width(text: str) -> int:
    """The width of a text, with escapes for unsafe characters and spaces for tabs."""
    return len(text) if is_plain_ascii(text) else sum(cells for _, _, cells in _clusters(text))


def measure_cells(text: str) -> CellLayout:
    """Compute the cells of every code point of a line."""
    if is_plain_ascii(text):
        return CellLayout(text, range(len(text)), range(1, len(text) + 1))
    drawn_cells: list[str] = []
    left_edges: list[int] = []
    right: list[int] = []
    start = 0
    for drawn, length, cells in _clusters(text):
        drawn_cells += [drawn] + [""] * (length - 1)
        left_edges += [start] * length
        start += cells
        right += [start] * length
    return CellLayout(drawn_cells, left_edges, right)


def is_plain_ascii(text: str) -> bool:
    """Whether every code point is printable ASCII, and no CI command is contained."""
    return text.isascii() and text.isprintable() and "##" not in text


def _escape(character: str) -> str:
    number = ord(character)
    if number <= 0xFF:
        return SHORT_ESCAPES.get(character, f"\\x{number:02x}")
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def _clusters(text: str) -> Iterator[tuple[str, int, int]]:
    """Every cluster: its output, its number of code points, and its width."""
    position = 0
    for match in UNSAFE.finditer(text):
        yield from _safe_clusters(text[position : match.start()])
        drawn = TAB if match[0] == "\t" else _escape(match[0])
        yield drawn, 1, len(drawn)
        position = match.end()
    yield from _safe_clusters(text[position:])


def _safe_clusters(text: str) -> Iterator[tuple[str, int, int]]:
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and _joins_cluster(text[end], text[start:end]):
            continue
        cluster = text[start:end]
        cells = _code_point_width(cluster[0])
        if cells == 0:  # an accent without a letter would be combined with the gutter
            cluster = "".join(map(_escape, cluster))
            cells = len(cluster)
        elif EMOJI_STYLE in cluster and _takes_emoji_style(cluster[0]):
            cells = 2
        yield cluster, end - start, cells
        start = end


def _code_point_width(character: str) -> int:
    """The width of a single code point (UAX 11); 0 if it combines with the previous one."""
    if character < "\u0300":
        return 1
    if category(character) in ("Mn", "Me") or character in "\u200c\u200d":
        return 0
    if "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7ff":  # the rest of a Hangul syllable
        return 0
    return 2 if east_asian_width(character) in "WF" else 1


def _joins_cluster(character: str, cluster: str) -> bool:
    """Whether a code point belongs to the previous cluster (UAX 29, as far as terminals support it)."""
    if _code_point_width(character) == 0:
        return True
    if category(cluster[0]) != "So":
        return False
    return cluster[-1] == JOINER or "\U0001f3fb" <= character <= "\U0001f3ff"


def _takes_emoji_style(character: str) -> bool:
    """Whether EMOJI_STYLE turns a code point into a picture of two cells."""
    return category(character) in ("So", "Sm") or character in EMOJI_STYLE_BASES


def wrap_text(text: str, *, first: int, rest: int) -> list[str]:
    """The lines of a text, the first of at most `first` cells and the others of at most `rest`.

    Lines break at spaces, and in words with East Asian characters or emoji anywhere; any other word that is too long
    stays whole, so that addresses and paths can be copied. A line break of the text is kept. The first line is empty
    where the first word fits only into a later one.
    """
    lines: list[str] = []
    for paragraph in text.split("\n"):
        lines.extend(_fill(paragraph, first=rest if lines else first, rest=rest))
    return lines


def _fill(text: str, *, first: int, rest: int) -> Iterator[str]:
    if text.isascii() and width(text) <= first:  # most are short enough to stay whole
        yield text.lstrip(" ").rstrip()
        return
    plain = is_plain_ascii(text)
    cells = len if plain else width  # of most texts the characters are the cells, and no word of theirs is measured
    line, room = "", first
    for word in text.split(" "):
        for nth, piece in enumerate((word,) if plain else _pieces(word, rest)):
            blank = " " if line and nth == 0 else ""
            if (line or room < rest) and cells(line + blank + piece) > room:
                yield line.rstrip()
                line, blank, room = "", "", rest
            line += blank + piece
    yield line.rstrip()


def _pieces(word: str, room: int) -> Iterator[str]:
    """The word whole, or cluster by cluster where it is too long and written without spaces."""
    cells = measure_cells(word)
    if cells.width <= room or word.isascii():
        yield word
        return
    breakable = any(right - left == 2 for left, right in zip(cells.left, cells.right, strict=True))
    yield from (drawn for drawn in cells.texts if drawn) if breakable else (word,)
