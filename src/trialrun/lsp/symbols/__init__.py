"""Symbol index of a workspace: where each name is declared and used, and which declaration each use refers to."""

from trialrun.lsp.symbols.index import (
    declarations,
    find_references,
    location_of,
    occurrence_at,
    occurrences,
    rename_set,
)
from trialrun.lsp.symbols.occurrence import NameKind, Occurrence

__all__ = [
    "NameKind",
    "Occurrence",
    "declarations",
    "find_references",
    "location_of",
    "occurrence_at",
    "occurrences",
    "rename_set",
]
