"""Columns and features in scenarios: keys of given rows, of served values, and filters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import SymbolicLocation
from trialrun.lsp.symbols.conditions import EmbeddedName
from trialrun.lsp.symbols.session_references import LocatedName

if TYPE_CHECKING:
    from trialrun.diagnostic import Chars
    from trialrun.lsp.symbols.context import ResolutionContext
    from trialrun.lsp.symbols.occurrence import NameKind

_cell = re.compile(r"(?:[^|\\\r\n]|\\.)+")


def given_source_names(source: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    """The columns of given rows: keys of mappings, or the first line of a table."""
    if not source.uri:
        return
    for index, row in enumerate(source.rows or ()):
        for key in row:
            yield LocatedName(
                _word("column", key, (0, len(key)), (source.uri,)), SymbolicLocation(source, ("rows", index)), key
            )
    for name, chars in _header(source.table or ""):
        yield LocatedName(_word("column", name, chars, (source.uri,), in_cell=True), source.location("table"))


def step_names(step: Any, context: ResolutionContext) -> Iterator[LocatedName]:
    """The features, or the columns, of the view that a step is about."""
    found = context.served(step.view)
    if found is None:
        return
    kind, within = found
    expected = getattr(step.expect, "served", None) or getattr(step.expect, "neighbors", None) or ()
    for holder in [*expected, *([step] if getattr(step, "values", None) else [])]:
        for key in holder.values or {}:
            yield LocatedName(_word(kind, key, (0, len(key)), within), holder.location("values"), key)
    for one in [*(getattr(step, "stringFilters", None) or ()), *(getattr(step, "numericFilters", None) or ())]:
        if one.column:
            yield LocatedName(_word(kind, one.column, (0, len(one.column)), within), one.location("column"))


def _word(kind: NameKind, name: str, chars: Chars, within: tuple[str, ...], *, in_cell: bool = False) -> EmbeddedName:
    return EmbeddedName(kind, name, chars, within=within, embeddings=("cell",) if in_cell else ())


def _header(table: str) -> Iterator[tuple[str, Chars]]:
    """The names in the first line of a table that has something."""
    line = re.search(r"[^\r\n]*\S[^\r\n]*", table)
    for cell in _cell.finditer(table, *line.span()) if line else ():
        name = cell[0].strip()
        start = cell.start() + len(cell[0]) - len(cell[0].lstrip())
        if name:
            yield name.replace("\\|", "|"), (start, start + len(name))
