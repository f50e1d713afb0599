"""The values that a field may have: enums, booleans, zones, languages, conditions, and names of the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.answer import Completion
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.meaning import Meaning
from trialrun.lsp.features.completion.writing import Option, written
from trialrun.model.kinds import KINDS
from trialrun.model.node import UNSPECIFIED

if TYPE_CHECKING:
    from trialrun.workspace.live import Live


def values(live: Live, path: str, cursor: Cursor, found: Meaning, *, dash: str) -> Iterator[Completion]:
    """What may stand as the value at the cursor; `dash` makes it the item of a list."""
    if len(cursor.steps) and cursor.steps[-1] == (found.root, "kind"):
        yield from written(cursor, _kinds(found))
    elif found.of:
        yield from written(cursor, _options(live, path, cursor, found), dash=dash)


def _kinds(found: Meaning) -> Iterator[Option]:
    if found.root.get("apiVersion") is None:
        yield from (Option(kind, "value", "a resource" if kind in KINDS[:2] else "a companion") for kind in KINDS)


def _options(live: Live, path: str, cursor: Cursor, found: Meaning) -> Iterator[Option]:
    shape = found.shape
    if shape.enum:
        yield from (Option(value, "value") for value in shape.enum if not value.endswith(UNSPECIFIED))
    elif shape.scalar is bool:
        yield from (Option(value, "value") for value in (True, False))
