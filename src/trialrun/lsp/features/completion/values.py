"""The values that a field may have: enums, booleans, zones, languages, conditions, and names of the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.answer import Completion
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.inside import in_cron, languages, zones
from trialrun.lsp.features.completion.meaning import Meaning
from trialrun.lsp.features.completion.names import declared
from trialrun.lsp.features.completion.writing import Option, written
from trialrun.model.kinds import KINDS
from trialrun.model.node import UNSPECIFIED

if TYPE_CHECKING:
    from trialrun.workspace.live import Live

ZONES = frozenset(["timeZone"])
LANGUAGES = frozenset(["languageCode", "defaultLanguageCode", "language"])


def values(live: Live, path: str, cursor: Cursor, found: Meaning, *, dash: str) -> Iterator[Completion]:
    """What may stand as the value at the cursor; `dash` makes it the item of a list."""
    if len(cursor.steps) and cursor.steps[-1] == (found.root, "kind"):
        yield from written(cursor, _kinds(found))
    elif found.of and found.of[-1].field == "conditionExpression":
        from trialrun.lsp.features.completion.conditions import in_condition

        yield from in_condition(cursor, live.types(path))
    elif found.of and found.of[-1].field == "cron":
        yield from in_cron(cursor)
    elif found.of:
        yield from written(cursor, _options(live, cursor, found), dash=dash)


def _kinds(found: Meaning) -> Iterator[Option]:
    if found.root.get("apiVersion") is None:
        yield from (Option(kind, "value", "a resource" if kind in KINDS[:2] else "a companion") for kind in KINDS)


def _options(live: Live, cursor: Cursor, found: Meaning) -> Iterator[Option]:
    shape = found.shape
    if shape.enum:
        yield from (Option(value, "value") for value in shape.enum if not value.endswith(UNSPECIFIED))
    elif shape.scalar is bool:
        yield from (Option(value, "value") for value in (True, False))
    elif found.of[-1].field in ZONES:
        yield from zones(cursor.before)
    elif found.of[-1].field in LANGUAGES:
        yield from languages(cursor, found.root)
    elif shape.scalar is str:
        yield from declared(live, found)
