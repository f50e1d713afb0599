"""What the client says that it can do, as far as it matters here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from trialrun.lazy_dataclass import dataclass

Refreshed = str
"""What a client can be told to ask for again: inlay_hint, code_lens, semantic_tokens or diagnostics."""


@dataclass(frozen=True, slots=True)
class Client:
    """`refreshes` are the things that the client asks for again when it is told to; all others are abilities."""

    refreshes: frozenset[Refreshed]
    pulls: bool
    links: bool
    versions: bool
    confirms: bool
    creates_files: bool
    has_tab_stops: bool
    shows_disabled: bool
    nests_symbols: bool
    shows_documents: bool
    shows_progress: bool
    has_settings: bool
    watches_settings: bool
    watches_files: bool


def client_of(able: types.ClientCapabilities) -> Client:
    """What a client is able to.

    One counts as asking for findings where it can also be told to ask again, when another file changed them.
    """
    kinds = ("inlay_hint", "code_lens", "semantic_tokens", "diagnostics")
    refreshes = frozenset(kind for kind in kinds if _has(able, "workspace", kind, "refresh_support"))
    asks = able.text_document is not None and able.text_document.diagnostic is not None
    return Client(
        refreshes=refreshes,
        pulls=asks and "diagnostics" in refreshes,
        links=_has(able, "text_document", "publish_diagnostics", "code_description_support")
        or _has(able, "text_document", "diagnostic", "code_description_support"),
        versions=_has(able, "workspace", "workspace_edit", "document_changes"),
        creates_files=_has(able, "workspace", "workspace_edit", "document_changes")
        and types.ResourceOperationKind.Create in _listed(able, "workspace", "workspace_edit", "resource_operations"),
        has_tab_stops=_has(able, "workspace", "workspace_edit", "document_changes")
        and _has(able, "workspace", "workspace_edit", "snippet_edit_support"),
        shows_disabled=_has(able, "text_document", "code_action", "disabled_support"),
        confirms=_has(able, "workspace", "workspace_edit", "document_changes")
        and _is_named(able, "workspace", "workspace_edit", "change_annotation_support"),
        nests_symbols=_has(able, "text_document", "document_symbol", "hierarchical_document_symbol_support"),
        shows_documents=_has(able, "window", "show_document", "support"),
        shows_progress=_has(able, "window", "work_done_progress"),
        has_settings=_has(able, "workspace", "configuration"),
        watches_settings=_has(able, "workspace", "did_change_configuration", "dynamic_registration"),
        watches_files=_has(able, "workspace", "did_change_watched_files", "dynamic_registration"),
    )


def _has(able: Any, *names: str) -> bool:
    """Whether an ability that is nested in others is there."""
    for name in names:
        able = getattr(able, name, None)
    return bool(able)


def _is_named(able: Any, *names: str) -> bool:
    """Whether an ability is named, whatever it says of itself."""
    for name in names:
        able = getattr(able, name, None)
    return able is not None


def _listed(able: Any, *names: str) -> Sequence[Any]:
    """What a client lists as its abilities, nothing where it does not."""
    for name in names:
        able = getattr(able, name, None)
    return able or ()
