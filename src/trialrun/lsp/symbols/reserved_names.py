"""Session variables and fields that the runtime accesses by name, which cannot be renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trialrun.lsp.symbols.context import ResolutionContext

if TYPE_CHECKING:
    from trialrun.lsp.symbols.occurrence import Occurrence
    from trialrun.values.cel import Schema
    from trialrun.workspace.open_workspace import OpenWorkspace

_LISTS: Final = ("items", "modifierGroups", "modifiers")
"""The lists of an order, each in the elements of the one before it."""


def reserved_by_session(workspace: OpenWorkspace, occurrence: Occurrence) -> str | None:
    """What of its state the session itself calls by a name; None where it does not."""
    from trialrun.runtime.channel_config.session.cel_state import SESSION_FIELDS

    if occurrence.kind == "session variable":
        return "the order" if occurrence.text == "order" else "the session" if occurrence.text == "session" else None
    if occurrence.kind != "session field":
        return None
    types = ResolutionContext(workspace, occurrence.path).types
    for variable, fields in SESSION_FIELDS.items():
        root = types.roots.get(variable)
        if root and root.name in occurrence.within and occurrence.text in fields:
            return f"{variable}.{occurrence.text}"
    return _of_order(types, occurrence)


def _of_order(types: Schema, occurrence: Occurrence) -> str | None:
    """The path of a field in a line of the order, which the session fills."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    here, shipped, path = types.roots.get("order"), DEFAULT_SCHEMA.roots["order"], "order"
    for name in _LISTS:
        listed = types.fields.get(here.name, {}).get(name) if here else None
        if listed is None or not listed.parameters:
            return None
        here, shipped = listed.parameters[0], DEFAULT_SCHEMA.fields[shipped.name][name].parameters[0]
        path = f"{path}.{name}"
        if here.name in occurrence.within and occurrence.text in DEFAULT_SCHEMA.fields[shipped.name]:
            return f"{path}[…].{occurrence.text}"
    return None
