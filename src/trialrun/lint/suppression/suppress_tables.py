"""The `[[suppress]]` tables of the settings, which silence rules also where a file can have no comments."""

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
    """The `[[suppress]]` tables of a settings file: `path` as it is shown, `ranges` where each of them begins.

    `path_of_settings` is a shown path as the globs of the settings see it.
    """

    path: str
    all: tuple[IgnoreTable, ...]
    ranges: tuple[Range, ...]
    path_of_settings: Callable[[str], str]

    def applies_to(self, table: IgnoreTable, path: str) -> bool:
        """Whether a table speaks of a path."""
        return matches([table.path], self.path_of_settings(path))

    def covers(self, table: IgnoreTable, found: Diagnostic) -> bool:
        """Whether a table silences a diagnostic, its rule aside."""
        return is_at_or_below(found.pointer, table.pointer) and self.applies_to(table, found.path)


def table_ranges(text: str, tables: Sequence[IgnoreTable]) -> tuple[Range, ...]:
    """Where each of the tables begins: its header, or the beginning of the file if it has none."""
    found: dict[str, list[Range]] = {"ignore": [], "suppress": []}
    for match in _header.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        indent = len(match[0]) - len(match[0].lstrip(" \t"))
        found[match[1]].append(Range(Position(line, indent + 1), Position(line, len(match[0]) + 1)))
    nowhere = Range(Position(1, 1), Position(1, 1))
    return tuple(next(iter(found[table.key][table.number :]), nowhere) for table in tables)


def names_one_file(table: IgnoreTable) -> bool:
    """Whether the glob of a table is a plain path, so that nothing else can match it but what is below it."""
    return not _wild.search(table.path)
