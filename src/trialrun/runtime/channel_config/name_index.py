"""Names of a menu as people type them: capitals and the number of blanks do not matter where one entry alone fits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar
from unicodedata import normalize

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.menu import Item, Modifier

Entry = TypeVar("Entry", "Item", "Modifier")


class Spellings(Generic[Entry]):
    """The entries of a menu, or of a part of it, by what a person may type for them."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._exact: dict[str, Entry] = {}
        self._folded: dict[str, Entry | None] = {}
        for texts in ([one.name for one in entries], [one.id for one in entries]):
            self._take(zip(texts, entries, strict=True))
        self.most_words = max((len(text.split()) for text in self._exact), default=0)
        """The words of the longest name."""

    def meant(self, text: str) -> Entry | None:
        """The entry that a text is the name or the id of: letter for letter, else but for capitals and blanks."""
        return self._exact.get(normalize("NFC", text)) or self._folded.get(folded(text))

    def _take(self, named: Iterable[tuple[str, Entry]]) -> None:
        for text, one in named:
            if text:
                self._exact.setdefault(normalize("NFC", text), one)
                known = self._folded.setdefault(folded(text), one)
                if known is not None and known.name != one.name:
                    self._folded[folded(text)] = None


@lru_cache(maxsize=16384)
def folded(text: str) -> str:
    """A text without its capitals, with one blank between its words, in composed characters."""
    return normalize("NFC", " ".join(normalize("NFC", text).casefold().split()))
