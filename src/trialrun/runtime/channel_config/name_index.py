"""Index of menu names for typed text; ignores case and spaces if the match is unique."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Generic, Protocol, TypeVar
from unicodedata import normalize


class MenuEntry(Protocol):
    """An item or modifier of a menu; `id` is empty if it has none."""

    @property
    def name(self) -> str:
        """The name on the menu."""

    @property
    def other_name(self) -> str:
        """A second name on the menu, empty if it has none."""

    @property
    def semantic_name(self) -> str:
        """The semantic name, empty if it has none."""

    @property
    def id(self) -> str:
        """The id on the menu."""


Entry = TypeVar("Entry", bound=MenuEntry)


class NameIndex(Generic[Entry]):
    """The entries of a menu, or of a part of it, by the texts that a person may type."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._exact: dict[str, Entry] = {}
        self._folded: dict[str, Entry | None] = {}
        for text in (_name, _other_name, _semantic_name, _id):
            self._add((text(entry), entry) for entry in entries)
        self.max_words = max((len(text.split()) for text in self._exact), default=0)
        """The number of words in the longest name."""

    def resolve(self, text: str) -> Entry | None:
        """The entry with this name or id: exact, otherwise ignoring case and spaces."""
        return self._exact.get(normalize("NFC", text)) or self._folded.get(fold_name(text))

    def _add(self, entries: Iterable[tuple[str, Entry]]) -> None:
        for text, entry in entries:
            if text:
                self._exact.setdefault(normalize("NFC", text), entry)
                previous = self._folded.setdefault(fold_name(text), entry)
                if previous is not None and previous.name != entry.name:
                    self._folded[fold_name(text)] = None


def _name(entry: MenuEntry) -> str:
    return entry.name


def _other_name(entry: MenuEntry) -> str:
    return entry.other_name


def _semantic_name(entry: MenuEntry) -> str:
    return entry.semantic_name


def _id(entry: MenuEntry) -> str:
    return entry.id


@lru_cache(maxsize=16384)
def fold_name(text: str) -> str:
    """A text in lower case, with single spaces, in NFC."""
    return normalize("NFC", " ".join(normalize("NFC", text).casefold().split()))
