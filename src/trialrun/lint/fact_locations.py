"""Where a fact of a checked file stands, and what the place is known by: worked out for findings across files."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace

from trialrun.diagnostic import Chars, Range
from trialrun.lint import positions
from trialrun.lint.file_result import Fact
from trialrun.lint.fingerprint import stable_path
from trialrun.lint.range_index import Ranges
from trialrun.parser import Document, Tree, read
from trialrun.text import Position

MOST_TREES = 64
_CAPITAL = re.compile("[A-Z]")


class FactPlaces:
    """Reads again the files whose facts are spoken of; `bytes_of` gives the bytes of a path, None if it is gone."""

    def __init__(self, bytes_of: Callable[[str], bytes | None]) -> None:
        self._bytes_of = bytes_of
        self._trees: dict[str, Tree | None] = {}
        self._guessed: dict[str, Ranges] = {}

    def __call__(self, fact: Fact, chars: Chars | None = None) -> Range:
        """The lines and columns of a fact, or of characters of its text.

        The first character where the file has changed beneath us.
        """
        tree, document = self._tree(fact.path), self._document(fact)
        if tree is None or document is None:
            return Range(Position(1, 1), Position(1, 1))
        return positions.range_of(tree.source, positions.span_at(document, fact.steps, chars=chars))

    def as_written(self, fact: Fact) -> Fact:
        """The fact with the keys of its place as the file spells them: a field may be written in snake_case."""
        document = self._document(fact)
        value, steps = document.value if document else None, list(fact.steps)
        for at, step in enumerate(steps):
            if isinstance(value, dict) and isinstance(step, str) and step not in value:
                spelt = _CAPITAL.sub(r"_\g<0>", step).lower()
                steps[at] = step = spelt if spelt in value else step
            value = positions.value_at(value, (step,))
        return fact if tuple(steps) == fact.steps else replace(fact, steps=tuple(steps))

    def stable_path(self, fact: Fact) -> str:
        """The way to a fact with the items of lists by their keys, which an item more does not change."""
        document = self._document(fact)
        return stable_path(document.value if document else None, fact.steps)

    def _document(self, fact: Fact) -> Document | None:
        tree = self._tree(fact.path)
        if tree is None:
            return None
        at = bisect_left(tree.documents, fact.document, key=lambda one: one.index)
        return tree.documents[at] if at < len(tree.documents) and tree.documents[at].index == fact.document else None

    def is_guessed(self, fact: Fact) -> bool:
        """Whether a fact stands in a text that could not be read as it is written, so that its value is a guess."""
        tree = None if fact.whole else self._tree(fact.path)
        if tree is None:
            return False
        if fact.path not in self._guessed:
            spans = (trouble.span for trouble in tree.troubles if trouble.guessed)
            self._guessed[fact.path] = Ranges(positions.range_of(tree.source, span) for span in spans)
        guessed = self._guessed[fact.path]
        return bool(guessed) and guessed.surround(self(fact))

    def _tree(self, path: str) -> Tree | None:
        if path not in self._trees:
            if len(self._trees) >= MOST_TREES:
                self._trees.clear()
                self._guessed.clear()
            data = self._bytes_of(path)
            self._trees[path] = None if data is None else read(data, path)
        return self._trees[path]
