"""Locations of facts, computed only for findings of rules across files; and an index of ranges of one file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from trialrun.diagnostic import Chars, Range
from trialrun.lint import positions
from trialrun.lint.file_result import Fact
from trialrun.lint.fingerprint import stable_path
from trialrun.text import Position

if TYPE_CHECKING:
    from trialrun.parser import Document, ParsedFile


class RangeIndex:
    """Some ranges of a file, in any order."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        ordered = sorted(ranges)
        ends = [range_.end for range_ in ordered]
        self._starts = [range_.start for range_ in ordered]
        self._last_ends = list(accumulate(ends, max))
        self._first_ends = list(accumulate(reversed(ends), min))[::-1]

    def __bool__(self) -> bool:
        return bool(self._starts)

    def any_encloses(self, here: Range) -> bool:
        """Whether one of the ranges encloses or equals a range."""
        before = bisect_right(self._starts, here.start)
        return before > 0 and here.end <= self._last_ends[before - 1]

    def any_within(self, here: Range) -> bool:
        """Whether one of the ranges is within or equals a range."""
        after = bisect_left(self._starts, here.start)
        return after < len(self._starts) and self._first_ends[after] <= here.end


MAX_FILES = 64
_CAPITAL = re.compile("[A-Z]")


class FactLocations:
    """Computes locations by parsing files again; `bytes_of` returns the bytes of a path, None if it is gone."""

    def __init__(self, bytes_of: Callable[[str], bytes | None]) -> None:
        self._bytes_of = bytes_of
        self._parsed_files: dict[str, ParsedFile | None] = {}
        self._guessed: dict[str, RangeIndex] = {}

    def __call__(self, fact: Fact, chars: Chars | None = None) -> Range:
        """The range of a fact, or of some characters of its text.

        If the file has changed meanwhile, its first character.
        """
        parsed, document = self._parsed(fact.path), self._document(fact)
        if parsed is None or document is None:
            return Range(Position(1, 1), Position(1, 1))
        return positions.range_of(parsed.source, positions.span_of(document, fact.steps, chars=chars))

    def with_file_keys(self, fact: Fact) -> Fact:
        """The fact with the keys of its path as the file spells them, for example in snake_case."""
        document = self._document(fact)
        value, steps = document.value if document else None, list(fact.steps)
        for at, step in enumerate(steps):
            if isinstance(value, dict) and isinstance(step, str) and step not in value:
                spelt = _CAPITAL.sub(r"_\g<0>", step).lower()
                steps[at] = step = spelt if spelt in value else step
            value = positions.find_value(value, (step,))
        return fact if tuple(steps) == fact.steps else replace(fact, steps=tuple(steps))

    def stable_path(self, fact: Fact) -> str:
        """The path of a fact with list items by their keys, which does not change when items are added."""
        document = self._document(fact)
        return stable_path(document.value if document else None, fact.steps)

    def _document(self, fact: Fact) -> Document | None:
        parsed = self._parsed(fact.path)
        if parsed is None:
            return None
        at = bisect_left(parsed.documents, fact.document, key=lambda document: document.index)
        return (
            parsed.documents[at] if at < len(parsed.documents) and parsed.documents[at].index == fact.document else None
        )

    def is_guessed(self, fact: Fact) -> bool:
        """Whether the text of a fact could not be fully parsed, so that its value is a guess."""
        parsed = None if fact.is_complete else self._parsed(fact.path)
        if parsed is None:
            return False
        if fact.path not in self._guessed:
            spans = (error.span for error in parsed.errors if error.guessed)
            self._guessed[fact.path] = RangeIndex(positions.range_of(parsed.source, span) for span in spans)
        guessed = self._guessed[fact.path]
        return bool(guessed) and guessed.any_encloses(self(fact))

    def _parsed(self, path: str) -> ParsedFile | None:
        if path not in self._parsed_files:
            from trialrun.parser import parse  # only findings need places

            if len(self._parsed_files) >= MAX_FILES:
                self._parsed_files.clear()
                self._guessed.clear()
            data = self._bytes_of(path)
            self._parsed_files[path] = None if data is None else parse(data, path)
        return self._parsed_files[path]
