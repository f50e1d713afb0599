"""Sentences broken into lines of a given number of cells."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.report.terminal_width import is_plain_ascii, measure_cells, width


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
