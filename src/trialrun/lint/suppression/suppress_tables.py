"""The `[[suppress]]` tables of the settings, which also work for files that cannot contain comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from trialrun.diagnostic import Diagnostic, Range
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings import IgnoreTable
from trialrun.lint.settings.globs import matches
from trialrun.lint.suppression.suppression import is_at_or_below
from trialrun.text import Position

_header = re.compile(
    r"^[ \t]*\[\[[ \t]*(?:tool[ \t]*\.[ \t]*trialrun[ \t]*\.[ \t]*)?(ignore|suppress)[ \t]*\]\]", re.MULTILINE
)
_wild = re.compile(r"[*?]")


@dataclass(frozen=True)
class SuppressTables:
    """The `[[suppress]]` tables of a settings file: `path` as displayed, `ranges` of their headers.

    `path_of_settings` converts a displayed path to one that the globs of the settings match.
    """

    path: str
    all: tuple[IgnoreTable, ...]
    ranges: tuple[Range, ...]
    path_of_settings: Callable[[str], str]

    def applies_to(self, table: IgnoreTable, path: str) -> bool:
        """Whether a table applies to a path."""
        return matches([table.path], self.path_of_settings(path))

    def covers(self, table: IgnoreTable, diagnostic: Diagnostic) -> bool:
        """Whether a table covers a diagnostic, apart from its rule."""
        return is_at_or_below(diagnostic.pointer, table.pointer) and self.applies_to(table, diagnostic.path)


def table_ranges(text: str, tables: Sequence[IgnoreTable]) -> tuple[Range, ...]:
    """The ranges of the headers of the tables; the start of the file if there is none."""
    found: dict[str, list[Range]] = {"ignore": [], "suppress": []}
    for match in _header.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        indent = len(match[0]) - len(match[0].lstrip(" \t"))
        found[match[1]].append(Range(Position(line, indent + 1), Position(line, len(match[0]) + 1)))
    nowhere = Range(Position(1, 1), Position(1, 1))
    return tuple(next(iter(found[table.key][table.number :]), nowhere) for table in tables)


def names_one_file(table: IgnoreTable) -> bool:
    """Whether the glob of a table is a plain path, which can only match that path and what is below it."""
    return not _wild.search(table.path)
