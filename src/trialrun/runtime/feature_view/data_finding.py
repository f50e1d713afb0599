"""What a dry run tells beside its result: findings in the data, and checks that it could not make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DataFinding:
    """Something that is wrong with rows, or that was decided about them, or why a check of them was not made.

    Examples are shown as texts.
    """

    code: str
    message: str
    examples: Sequence[str] = ()


class CannotSync(Exception):
    """A view cannot be synced as it is declared; the message says what is wrong, then what to do.

    `steps` lead to the part of the view's document that is to blame, where one is.
    """

    def __init__(self, message: str, *, steps: Sequence[str | int] = ()) -> None:
        super().__init__(message)
        self.steps = tuple(steps)
