"""Writes lines that start with a label."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.report.color import Paint, Style
from trialrun.report.terminal_width import escape_controls
from trialrun.report.wrap import wrap_text

INDENT = 2
LABEL_WIDTH = 8
HANGING_INDENT = 4
MIN_TEXT_WIDTH = 20


@dataclass(frozen=True, slots=True)
class TextWriter:
    """Wraps lines to a width, with or without colors."""

    width: int
    paint: Paint

    def labelled_lines(self, label: str, text: str, style: Style | None = None, *, depth: int = 0) -> Iterator[str]:
        """A text next to its label, or below the previous one without a label; indented by `depth` more spaces."""
        begin = INDENT + LABEL_WIDTH + depth
        room = max(self.width - begin, MIN_TEXT_WIDTH)
        for number, line in enumerate(wrap_text(escape_text(text), first=room, rest=room)):
            head = f"{' ' * INDENT}{self.paint(f'{label:<{LABEL_WIDTH}}', 'help')}" if label and number == 0 else ""
            yield f"{head or ' ' * (INDENT + LABEL_WIDTH)}{' ' * depth}{self.paint_text(line, style)}".rstrip() + "\n"

    def title(self, word: str, text: str) -> Iterator[str]:
        """The title line of a section."""
        begin = len(word) + 2
        first, *others = wrap_text(
            escape_text(text), first=max(self.width - begin, MIN_TEXT_WIDTH), rest=self.width - HANGING_INDENT
        )
        yield f"{self.paint(word, 'rule')}  {first}".rstrip() + "\n"
        yield from (f"{' ' * HANGING_INDENT}{line}\n" for line in others)

    def paint_text(self, text: str, style: Style | None) -> str:
        """A text in a style; unchanged without one."""
        return self.paint(text, style) if style else text


def escape_text(text: str) -> str:
    """A text with terminal control characters escaped, and its line breaks kept."""
    return "\n".join(map(escape_controls, text.split("\n")))
