"""The variables and fields that a session keeps itself and finds by their names, so that they cannot be renamed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from trialrun.lsp.symbols.context import Ground

if TYPE_CHECKING:
    from trialrun.lsp.symbols.occurrence import Mention
    from trialrun.values.cel import Schema
    from trialrun.workspace.open_workspace import Live

_LISTS: Final = ("items", "modifierGroups", "modifiers")
"""The lists of an order, each in the elements of the one before it."""


def kept_by_session(live: Live, mention: Mention) -> str | None:
    """What of its state the session itself calls by a name; None where it does not."""
    from trialrun.runtime.channel_config.session.cel_state import KEPT

    if mention.sort == "session variable":
        return "the order" if mention.text == "order" else "the session" if mention.text == "session" else None
    if mention.sort != "session field":
        return None
    types = Ground(live, mention.path).types
    for variable, fields in KEPT.items():
        root = types.roots.get(variable)
        if root and root.name in mention.within and mention.text in fields:
            return f"{variable}.{mention.text}"
    return _of_order(types, mention)


def _of_order(types: Schema, mention: Mention) -> str | None:
    """The path of a field in a line of the order, which the session fills."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    here, shipped, path = types.roots.get("order"), DEFAULT_SCHEMA.roots["order"], "order"
    for name in _LISTS:
        listed = types.fields.get(here.name, {}).get(name) if here else None
        if listed is None or not listed.parameters:
            return None
        here, shipped = listed.parameters[0], DEFAULT_SCHEMA.fields[shipped.name][name].parameters[0]
        path = f"{path}.{name}"
        if here.name in mention.within and mention.text in DEFAULT_SCHEMA.fields[shipped.name]:
            return f"{path}[…].{mention.text}"
    return None
