"""Values of a field: enums, booleans, time zones, languages, conditions, and declared names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.compatibility import accepts_entry, has_fields
from trialrun.lsp.features.completion.cursor import Cursor
from trialrun.lsp.features.completion.edits import Candidate, value_completions
from trialrun.lsp.features.completion.embedded_languages import languages, zones
from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.free_text import free_text_candidates
from trialrun.lsp.features.completion.names import declared_names
from trialrun.lsp.features.completion.names.brand_names import languages as spoken
from trialrun.lsp.features.completion.schedules import schedule_completions
from trialrun.lsp.results import Completion
from trialrun.model.kinds import KINDS, RESOURCES, model_of
from trialrun.model.node import UNSPECIFIED

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def values(
    workspace: OpenWorkspace, path: str, cursor: Cursor, found: ExpectedType, *, lead: str
) -> Iterator[Completion]:
    """The values for the cursor position; `lead` is text to insert before one."""
    if len(cursor.steps) and cursor.steps[-1] == (found.root, "kind"):
        yield from value_completions(cursor, _kinds(found), lead=lead)
    elif found.text_format == "cel-condition" and cursor.is_json and cursor.scalar.style == "plain":
        return
    elif found.text_format == "cel-condition":
        from trialrun.lint.rule_support.cel_conditions import enabled_extensions
        from trialrun.lsp.features.completion.cel_items import condition_completions

        options = workspace.request.profiles.of(path).option_values
        yield from condition_completions(cursor, workspace.session_types(path), enabled_extensions(options))
    elif found.text_format == "cron":
        yield from schedule_completions(cursor)
    elif found.of:
        yield from value_completions(cursor, _options(workspace, cursor, found), lead=lead)


def _kinds(found: ExpectedType) -> Iterator[Candidate]:
    """The kinds that share the most fields with the document."""
    if found.root.get("apiVersion") is not None:
        return
    entries = [entry for entry in found.root.entries if entry.key.text != "kind"]
    models = {kind: model_of(kind) for kind in KINDS}
    known = {
        kind: sum(has_fields(of, [entry.key.text]) + accepts_entry(of, entry) for entry in entries)
        for kind, of in models.items()
    }
    for kind in (kind for kind in KINDS if known[kind] == max(known.values())):
        yield Candidate(kind, "value", "a resource" if kind in RESOURCES else "a companion", ("kind", kind))


def _options(workspace: OpenWorkspace, cursor: Cursor, found: ExpectedType) -> Iterator[Candidate]:
    shape, owner = found.shape, found.of[-1]
    if shape.enum:
        title = f"{owner.model.__name__}.{owner.field}"
        yield from (_member(title, value) for value in shape.enum if not value.endswith(UNSPECIFIED))
    elif shape.scalar is bool:
        yield from (Candidate(value, "value") for value in (True, False))
    elif found.text_format == "time-zone":
        yield from zones(cursor.before)
    elif found.text_format == "language-tag":
        yield from languages(cursor, found.root, spoken(workspace))
    elif shape.scalar is str or shape.entity_id:
        yield from declared_names(workspace, found)
        yield from free_text_candidates(workspace, cursor, found)


def _member(title: str, value: str) -> Candidate:
    from trialrun.lsp.describe.enum_docs import enum_description

    data = ("enum", title, value) if enum_description(title, value) else ()
    return Candidate(value, "value", "", data)
