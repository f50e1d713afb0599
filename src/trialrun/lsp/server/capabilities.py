"""What the client can do, as far as it matters here, and what the server can do then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server.position_encoding import Encoding

TRIGGER_CHARACTERS = (" ", ":", ".", "/", '"', "'", "[", "{", ",", "=", "*", "-", "&", "|")
"""Characters after which a client asks for completions."""
EXPLAIN_COMMAND = "trialrun.explain"
INCREMENTAL_SYNC: Final = 2
"""Documents are synchronized by changes."""
ADJUST_INDENTATION: Final = 2
"""The insert text mode in which the client indents the lines of a text."""


@dataclass(frozen=True, slots=True)
class ClientCapabilities:
    """`refreshes` are what the client can be asked to refresh, of inlay hints, code lenses and diagnostics.

    It counts as pulling diagnostics only if it can also be asked to refresh them, when another file changed them.
    """

    refreshes: frozenset[str] = frozenset()
    pulls: bool = False
    links: bool = False
    versions: bool = False
    creates_files: bool = False
    has_tab_stops: bool = False
    shows_disabled: bool = False
    nests_symbols: bool = False
    prepares_rename: bool = False
    shows_documents: bool = False
    shows_progress: bool = False
    has_settings: bool = False
    watches_settings: bool = False
    watches_files: bool = False
    snippets: bool = False
    completion_tags: bool = False
    has_default_range: bool = False
    has_insert_replace: bool = False
    adjusts_indentation: bool = False


def client_capabilities(capabilities: Mapping[str, Any]) -> ClientCapabilities:
    """The capabilities that a client sent."""

    def has(names: str) -> bool:
        return bool(_nested(capabilities, names))

    kinds = {"inlay_hint": "inlayHint", "code_lens": "codeLens", "diagnostics": "diagnostics"}
    refreshes = frozenset(kind for kind, name in kinds.items() if has(f"workspace.{name}.refreshSupport"))
    edit = "workspace.workspaceEdit"
    versions = has(f"{edit}.documentChanges")
    item = "textDocument.completion.completionItem"
    return ClientCapabilities(
        refreshes=refreshes,
        pulls="diagnostics" in refreshes and _nested(capabilities, "textDocument.diagnostic") is not None,
        links=has("textDocument.publishDiagnostics.codeDescriptionSupport")
        or has("textDocument.diagnostic.codeDescriptionSupport"),
        versions=versions,
        creates_files=versions and "create" in _array(capabilities, f"{edit}.resourceOperations"),
        has_tab_stops=versions and has(f"{edit}.snippetEditSupport"),
        shows_disabled=has("textDocument.codeAction.disabledSupport"),
        nests_symbols=has("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport"),
        prepares_rename=has("textDocument.rename.prepareSupport"),
        shows_documents=has("window.showDocument.support"),
        shows_progress=has("window.workDoneProgress"),
        has_settings=has("workspace.configuration"),
        watches_settings=has("workspace.didChangeConfiguration.dynamicRegistration"),
        watches_files=has("workspace.didChangeWatchedFiles.dynamicRegistration"),
        snippets=has(f"{item}.snippetSupport"),
        completion_tags=_nested(capabilities, f"{item}.tagSupport") is not None,
        has_default_range="editRange" in _array(capabilities, "textDocument.completion.completionList.itemDefaults"),
        has_insert_replace=has(f"{item}.insertReplaceSupport"),
        adjusts_indentation=ADJUST_INDENTATION in _array(capabilities, f"{item}.insertTextModeSupport.valueSet"),
    )


def position_encoding(capabilities: Mapping[str, Any]) -> Encoding:
    """The first encoding of positions that a client offers and this server knows."""
    for encoding in _array(capabilities, "general.positionEncodings"):
        if encoding in ("utf-8", "utf-16", "utf-32"):
            chosen: Encoding = encoding
            return chosen
    return "utf-16"


def server_capabilities(client: ClientCapabilities, encoding: Encoding) -> Mapping[str, Any]:
    """What the server can do for a client, with the position encoding that was chosen."""
    diagnostics = {"interFileDependencies": True, "workspaceDiagnostics": True, "identifier": "trialrun"}
    return {
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": True, "change": INCREMENTAL_SYNC, "save": True},
        "completionProvider": {"triggerCharacters": TRIGGER_CHARACTERS, "resolveProvider": True},
        "hoverProvider": True,
        "definitionProvider": True,
        "referencesProvider": True,
        "documentSymbolProvider": True,
        "codeActionProvider": {"codeActionKinds": ["quickfix", "source.fixAll.trialrun"]},
        "codeLensProvider": {"resolveProvider": False},
        "workspaceSymbolProvider": {"resolveProvider": False},
        "renameProvider": {"prepareProvider": True} if client.prepares_rename else True,
        "foldingRangeProvider": True,
        "executeCommandProvider": {"commands": [EXPLAIN_COMMAND]},
        "inlayHintProvider": {"resolveProvider": False},
        **({"diagnosticProvider": diagnostics} if client.pulls else {}),
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}, "fileOperations": {}},
    }


def _array(capabilities: Any, names: str) -> Sequence[Any]:
    """A nested capability that is a list, empty if it is absent."""
    value = _nested(capabilities, names)
    return value if isinstance(value, list) else ()


def _nested(capabilities: Any, names: str) -> Any:
    for name in names.split("."):
        capabilities = capabilities.get(name) if isinstance(capabilities, dict) else None
    return capabilities
