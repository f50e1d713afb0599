"""The values that a field may have: enums, booleans, zones, languages, conditions, and names of the workspace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.compatibility import fits, knows
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.edits import Option, written
from trialrun.lsp.features.completion.embedded_languages import languages, zones
from trialrun.lsp.features.completion.expected_type import Meaning
from trialrun.lsp.features.completion.free_text import of_text
from trialrun.lsp.features.completion.names import declared
from trialrun.lsp.features.completion.names.brand_names import languages as spoken
from trialrun.lsp.features.completion.schedules import in_schedule
from trialrun.lsp.results import Completion
from trialrun.model.kinds import KINDS, RESOURCES, model_of
from trialrun.model.node import UNSPECIFIED

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import Live

ZONES = frozenset(["timeZone"])
LANGUAGES = frozenset(["languageCode", "defaultLanguageCode", "language"])


def values(live: Live, path: str, cursor: Cursor, found: Meaning, *, lead: str) -> Iterator[Completion]:
    """What may stand as the value at the cursor; `lead` is what has to stand before one."""
    if len(cursor.steps) and cursor.steps[-1] == (found.root, "kind"):
        yield from written(cursor, _kinds(found), lead=lead)
    elif found.of and found.of[-1].field == "conditionExpression" and cursor.is_json and cursor.scalar.style == "plain":
        return
    elif found.of and found.of[-1].field == "conditionExpression":
        from trialrun.lint.rule_support.cel_conditions import enabled_extensions
        from trialrun.lsp.features.completion.cel_items import in_condition

        options = live.request.profiles.of(path).option_values
        yield from in_condition(cursor, live.types(path), enabled_extensions(options))
    elif found.of and found.of[-1].field == "cron":
        yield from in_schedule(cursor)
    elif found.of:
        yield from written(cursor, _options(live, cursor, found), lead=lead)


def _kinds(found: Meaning) -> Iterator[Option]:
    """The kinds that have most of what the document has already."""
    if found.root.get("apiVersion") is not None:
        return
    entries = [entry for entry in found.root.entries if entry.key.text != "kind"]
    models = {kind: model_of(kind) for kind in KINDS}
    known = {kind: sum(knows(of, [one.key.text]) + fits(of, one) for one in entries) for kind, of in models.items()}
    for kind in (kind for kind in KINDS if known[kind] == max(known.values())):
        yield Option(kind, "value", "a resource" if kind in RESOURCES else "a companion", ("kind", kind))


def _options(live: Live, cursor: Cursor, found: Meaning) -> Iterator[Option]:
    shape, owner = found.shape, found.of[-1]
    if shape.enum:
        title = f"{owner.model.__name__}.{owner.field}"
        yield from (_member(title, value) for value in shape.enum if not value.endswith(UNSPECIFIED))
    elif shape.scalar is bool:
        yield from (Option(value, "value") for value in (True, False))
    elif owner.field in ZONES:
        yield from zones(cursor.before)
    elif owner.field in LANGUAGES:
        yield from languages(cursor, found.root, spoken(live))
    elif shape.scalar is str or shape.entity_id:
        yield from declared(live, found)
        yield from of_text(live, cursor, found)


def _member(title: str, value: str) -> Option:
    from trialrun.lsp.describe.enum_docs import words_of

    about = ("enum", title, value) if words_of(title, value) else ()
    return Option(value, "value", "", about)
