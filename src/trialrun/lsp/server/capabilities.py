"""The capabilities of the client that the server uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from trialrun.lazy_dataclass import dataclass

RefreshableFeature = str
"""A feature that a client can be asked to refresh: inlay_hint, code_lens, semantic_tokens or diagnostics."""


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """`refreshes` are the features that the client can be asked to refresh; each other field is one capability."""

    refreshes: frozenset[RefreshableFeature]
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


def client_capabilities(capabilities: types.ClientCapabilities) -> ClientCapabilities:
    """The capabilities that a client sent.

    It counts as pulling diagnostics only if it can also be asked to refresh them, when another file changed them.
    """
    kinds = ("inlay_hint", "code_lens", "semantic_tokens", "diagnostics")
    refreshes = frozenset(kind for kind in kinds if _has(capabilities, "workspace", kind, "refresh_support"))
    asks = capabilities.text_document is not None and capabilities.text_document.diagnostic is not None
    return ClientCapabilities(
        refreshes=refreshes,
        pulls=asks and "diagnostics" in refreshes,
        links=_has(capabilities, "text_document", "publish_diagnostics", "code_description_support")
        or _has(capabilities, "text_document", "diagnostic", "code_description_support"),
        versions=_has(capabilities, "workspace", "workspace_edit", "document_changes"),
        creates_files=_has(capabilities, "workspace", "workspace_edit", "document_changes")
        and types.ResourceOperationKind.Create
        in _sequence(capabilities, "workspace", "workspace_edit", "resource_operations"),
        has_tab_stops=_has(capabilities, "workspace", "workspace_edit", "document_changes")
        and _has(capabilities, "workspace", "workspace_edit", "snippet_edit_support"),
        shows_disabled=_has(capabilities, "text_document", "code_action", "disabled_support"),
        confirms=_has(capabilities, "workspace", "workspace_edit", "document_changes")
        and _is_present(capabilities, "workspace", "workspace_edit", "change_annotation_support"),
        nests_symbols=_has(capabilities, "text_document", "document_symbol", "hierarchical_document_symbol_support"),
        shows_documents=_has(capabilities, "window", "show_document", "support"),
        shows_progress=_has(capabilities, "window", "work_done_progress"),
        has_settings=_has(capabilities, "workspace", "configuration"),
        watches_settings=_has(capabilities, "workspace", "did_change_configuration", "dynamic_registration"),
        watches_files=_has(capabilities, "workspace", "did_change_watched_files", "dynamic_registration"),
    )


def _has(capabilities: Any, *names: str) -> bool:
    """Whether a nested capability is set."""
    for name in names:
        capabilities = getattr(capabilities, name, None)
    return bool(capabilities)


def _is_present(capabilities: Any, *names: str) -> bool:
    """Whether a nested capability is present, with any value."""
    for name in names:
        capabilities = getattr(capabilities, name, None)
    return capabilities is not None


def _sequence(capabilities: Any, *names: str) -> Sequence[Any]:
    """A nested capability that is a list, empty if it is absent."""
    for name in names:
        capabilities = getattr(capabilities, name, None)
    return capabilities or ()
