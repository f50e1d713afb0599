"""The small languages inside strings: one module each, standing alone, shared by linter and runtime.

Decisions: docs/decisions/linter.md, docs/decisions/tests.md
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong, or worth saying, about the characters `start` to `end` of a text.

    `start` and `end` count Unicode code points of the text from 0; `end` is exclusive, and equals `start` where
    something is missing between two characters. `replacement`, if there is one clear candidate, is the text to put in
    place of those characters, or of `replaced_range`, where it is more than them. `assumed_text`, characters and a
    text for them, lets a reader go on as if this were right. `is_safe` is false where other programs may read the
    replacement differently from what it replaces.
    """

    code: str
    start: int
    end: int
    message: str
    replacement: str | None = None
    replaced_range: tuple[int, int] | None = None
    assumed_text: tuple[int, int, str] | None = None
    is_safe: bool = True


def shorten(text: str, most: int) -> str:
    """The text, with an ellipsis at its end where it has more than so many characters."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def join_words(words: Sequence[str], last: str = "and", *, most: int | None = None) -> str:
    """Words in a row, with a word before the last one; of more than `most`, the first, and how many more there are."""
    if most is not None and len(words) > most:
        words = [*words[: most - 1], f"{len(words) - most + 1} more"]
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
