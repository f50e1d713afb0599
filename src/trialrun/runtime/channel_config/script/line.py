"""Script lines and script errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.script.scanner import NameToken
from trialrun.runtime.channel_config.session.actions import Action


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """A turn: the line that it is on, from 1, what is written there without comments, and what it means.

    `columns` are the columns of each move, from 1 in code points, the end exclusive; `names` are the names of items,
    modifiers and groups, in offsets of the line.
    """

    line: int
    text: str
    actions: tuple[Action, ...]
    columns: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    names: tuple[NameToken, ...] = field(default=(), compare=False)

    def mistake_at(self, action: Action, message: str) -> ScriptMistake:
        """Something that is wrong with a move of this line."""
        position = next((index for index, candidate in enumerate(self.actions) if candidate is action), None)
        return ScriptMistake(
            self.line, *((1, len(self.text) + 1) if position is None else self.columns[position]), message
        )


@dataclass(frozen=True, slots=True)
class ScriptMistake:
    """Something in a script that cannot be done: columns from 1 in code points, the end exclusive."""

    line: int
    column: int
    end: int
    message: str


class ScriptError(ValueError):
    """A script that cannot be played: all of its mistakes in order, and the line and column of the first."""

    def __init__(self, mistakes: Sequence[ScriptMistake]) -> None:
        super().__init__(mistakes[0].message)
        self.mistakes = tuple(mistakes)
        self.line, self.column = mistakes[0].line, mistakes[0].column
