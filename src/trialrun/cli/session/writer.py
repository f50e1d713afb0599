"""What a session is written on: lines that begin with a word for what they tell."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.report.color import Paint, Style
from trialrun.report.terminal_width import visible
from trialrun.report.wrap import wrapped

INDENT = 2
LABEL = 8
HANGING = 4
LEAST = 20


@dataclass(frozen=True, slots=True)
class Sheet:
    """Lines of a width, in colours or without."""

    width: int
    paint: Paint

    def told(self, label: str, text: str, style: Style | None = None, *, depth: int = 0) -> Iterator[str]:
        """A text beside its label, or below the one before without a label; `depth` blanks further to the right."""
        begin = INDENT + LABEL + depth
        room = max(self.width - begin, LEAST)
        for number, line in enumerate(wrapped(safe(text), first=room, rest=room)):
            head = f"{' ' * INDENT}{self.paint(f'{label:<{LABEL}}', 'help')}" if label and number == 0 else ""
            yield f"{head or ' ' * (INDENT + LABEL)}{' ' * depth}{self.painted(line, style)}".rstrip() + "\n"

    def title(self, word: str, text: str) -> Iterator[str]:
        """The first line of a part: its word and what it is about."""
        begin = len(word) + 2
        first, *others = wrapped(safe(text), first=max(self.width - begin, LEAST), rest=self.width - HANGING)
        yield f"{self.paint(word, 'rule')}  {first}".rstrip() + "\n"
        yield from (f"{' ' * HANGING}{line}\n" for line in others)

    def painted(self, text: str, style: Style | None) -> str:
        """A text in a style, as it is without one."""
        return self.paint(text, style) if style else text


def safe(text: str) -> str:
    """A text that cannot command a terminal, with its line breaks."""
    return "\n".join(map(visible, text.split("\n")))
