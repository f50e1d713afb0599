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
    workspace: OpenWorkspace, path: str, cursor: Cursor, expected_type: ExpectedType, *, lead: str
) -> Iterator[Completion]:
    """The values for the cursor position; `lead` is text to insert before one."""
    if len(cursor.steps) and cursor.steps[-1] == (expected_type.root, "kind"):
        yield from value_completions(cursor, _kinds(expected_type), lead=lead)
    elif expected_type.text_format == "cel-condition" and cursor.is_json and cursor.scalar.style == "plain":
        return
    elif expected_type.text_format == "cel-condition":
        from trialrun.lint.rule_support.cel_conditions import enabled_extensions
        from trialrun.lsp.features.completion.cel_items import condition_completions

        options = workspace.request.profiles.of(path).option_values
        yield from condition_completions(cursor, workspace.session_types(path), enabled_extensions(options))
    elif expected_type.text_format == "cron":
        yield from schedule_completions(cursor)
    elif expected_type.of:
        yield from value_completions(cursor, _options(workspace, cursor, expected_type), lead=lead)


def _kinds(expected_type: ExpectedType) -> Iterator[Candidate]:
    """The kinds that share the most fields with the document."""
    if expected_type.root.get("apiVersion") is not None:
        return
    entries = [entry for entry in expected_type.root.entries if entry.key.text != "kind"]
    models = {kind: model_of(kind) for kind in KINDS}
    known = {
        kind: sum(has_fields(of, [entry.key.text]) + accepts_entry(of, entry) for entry in entries)
        for kind, of in models.items()
    }
    for kind in (kind for kind in KINDS if known[kind] == max(known.values())):
        yield Candidate(kind, "value", "a resource" if kind in RESOURCES else "a companion", ("kind", kind))


def _options(workspace: OpenWorkspace, cursor: Cursor, expected_type: ExpectedType) -> Iterator[Candidate]:
    shape, owner = expected_type.shape, expected_type.of[-1]
    if shape.enum:
        title = f"{owner.model.__name__}.{owner.field}"
        yield from (_member(title, value) for value in shape.enum if not value.endswith(UNSPECIFIED))
    elif shape.scalar is bool:
        yield from (Candidate(value, "value") for value in (True, False))
    elif expected_type.text_format == "time-zone":
        yield from zones(cursor.before)
    elif expected_type.text_format == "language-tag":
        yield from languages(cursor, expected_type.root, spoken(workspace))
    elif shape.scalar is str or shape.entity_id:
        yield from declared_names(workspace, expected_type)
        yield from free_text_candidates(workspace, cursor, expected_type)


def _member(title: str, value: str) -> Candidate:
    from trialrun.lsp.describe.enum_docs import enum_description

    data = ("enum", title, value) if enum_description(title, value) else ()
    return Candidate(value, "value", "", data)
