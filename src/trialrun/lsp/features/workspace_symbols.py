"""Workspace symbols: fuzzy search over the declared names."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from trialrun.lsp.results import WorkspaceSymbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from trialrun.lsp.symbols.occurrence import Occurrence
    from trialrun.workspace.open_workspace import OpenWorkspace

MAX_NAMES = 300
"""Names that are reported at once: a person narrows them down by writing on."""
LONGEST = 2.0
"""Seconds in which texts are read that were not read before; the next question goes on where this one stopped."""


def workspace_symbols(workspace: OpenWorkspace, path: str, query: str) -> tuple[WorkspaceSymbol, ...]:
    """The declared names that have the letters of a query in their order, the nearest ones first."""
    from trialrun.lsp.symbols import location_of

    wanted = "".join(query.lower().split())
    ranked = sorted(
        ((rank, one.text, one.path, index), one)
        for index, one in enumerate(_declared(workspace))
        if (rank := rank_of(_own_name(one), wanted)) is not None
    )
    symbols: list[WorkspaceSymbol] = []
    for _, one in ranked:
        place = location_of(workspace, one) if len(symbols) < MAX_NAMES else None
        if place is not None:
            symbols.append(WorkspaceSymbol(_own_name(one), one.kind, one.scope, place))
    return tuple(symbols)


def rank_of(name: str, wanted: str) -> tuple[int, int] | None:
    """How near a name is to the letters that are wanted, less being nearer; None if it does not have them all."""
    folded = name.lower()
    if folded.startswith(wanted):
        return 0, len(name)
    if (at := folded.find(wanted)) > 0:
        return (1 if not folded[at - 1].isalnum() else 2), len(name)
    start = at = folded.find(wanted[0])
    for letter in wanted[1:]:
        at = folded.find(letter, at + 1) if at >= 0 else at
    return (3, at - start) if at >= 0 else None


def _declared(workspace: OpenWorkspace) -> Iterator[Occurrence]:
    from trialrun.lsp.symbols import occurrences

    end = time.monotonic() + LONGEST
    for file in workspace.workspace_files():
        yield from (
            occurrence
            for occurrence in occurrences(workspace, file)
            if occurrence.declares and occurrence.kind != "bound variable"
        )
        if time.monotonic() > end:
            return


def _own_name(occurrence: Occurrence) -> str:
    """The name without that of the parent before it."""
    start, end = occurrence.chars or (0, len(occurrence.text))
    return occurrence.text[start:end]
