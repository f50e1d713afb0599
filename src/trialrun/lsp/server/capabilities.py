"""The capabilities of the client that the server uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server.position_encoding import Encoding

RefreshableFeature = str
"""A feature that a client can be asked to refresh: inlay_hint, code_lens or diagnostics."""


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """`refreshes` are the features that the client can be asked to refresh; each other field is one capability."""

    refreshes: frozenset[RefreshableFeature]
    pulls: bool
    links: bool
    versions: bool
    creates_files: bool
    has_tab_stops: bool
    shows_disabled: bool
    nests_symbols: bool
    prepares_rename: bool
    shows_documents: bool
    shows_progress: bool
    has_settings: bool
    watches_settings: bool
    watches_files: bool


def client_capabilities(capabilities: Mapping[str, Any]) -> ClientCapabilities:
    """The capabilities that a client sent.

    It counts as pulling diagnostics only if it can also be asked to refresh them, when another file changed them.
    """
    kinds = {
        "inlay_hint": "inlayHint",
        "code_lens": "codeLens",
        "diagnostics": "diagnostics",
    }
    refreshes = frozenset(
        kind for kind, name in kinds.items() if has(capabilities, "workspace", name, "refreshSupport")
    )
    asks = is_present(capabilities, "textDocument", "diagnostic")
    return ClientCapabilities(
        refreshes=refreshes,
        pulls=asks and "diagnostics" in refreshes,
        links=has(capabilities, "textDocument", "publishDiagnostics", "codeDescriptionSupport")
        or has(capabilities, "textDocument", "diagnostic", "codeDescriptionSupport"),
        versions=has(capabilities, "workspace", "workspaceEdit", "documentChanges"),
        creates_files=has(capabilities, "workspace", "workspaceEdit", "documentChanges")
        and "create" in array(capabilities, "workspace", "workspaceEdit", "resourceOperations"),
        has_tab_stops=has(capabilities, "workspace", "workspaceEdit", "documentChanges")
        and has(capabilities, "workspace", "workspaceEdit", "snippetEditSupport"),
        shows_disabled=has(capabilities, "textDocument", "codeAction", "disabledSupport"),
        nests_symbols=has(capabilities, "textDocument", "documentSymbol", "hierarchicalDocumentSymbolSupport"),
        prepares_rename=has(capabilities, "textDocument", "rename", "prepareSupport"),
        shows_documents=has(capabilities, "window", "showDocument", "support"),
        shows_progress=has(capabilities, "window", "workDoneProgress"),
        has_settings=has(capabilities, "workspace", "configuration"),
        watches_settings=has(capabilities, "workspace", "didChangeConfiguration", "dynamicRegistration"),
        watches_files=has(capabilities, "workspace", "didChangeWatchedFiles", "dynamicRegistration"),
    )


def position_encoding(capabilities: Mapping[str, Any]) -> Encoding:
    """The first encoding of positions that a client offers and this server knows."""
    for encoding in array(capabilities, "general", "positionEncodings"):
        if encoding in ("utf-8", "utf-16", "utf-32"):
            chosen: Encoding = encoding
            return chosen
    return "utf-16"


def has(capabilities: Any, *names: str) -> bool:
    """Whether a nested capability is set."""
    return bool(_nested(capabilities, names))


def is_present(capabilities: Any, *names: str) -> bool:
    """Whether a nested capability is present, with any value."""
    return _nested(capabilities, names) is not None


def array(capabilities: Any, *names: str) -> Sequence[Any]:
    """A nested capability that is a list, empty if it is absent."""
    value = _nested(capabilities, names)
    return value if isinstance(value, list) else ()


def _nested(capabilities: Any, names: Sequence[str]) -> Any:
    for name in names:
        capabilities = capabilities.get(name) if isinstance(capabilities, dict) else None
    return capabilities
