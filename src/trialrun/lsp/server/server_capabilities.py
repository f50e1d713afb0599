"""What the server can do, as it answers `initialize`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trialrun.lsp.server.capabilities import ClientCapabilities
from trialrun.lsp.server.kinds import INCREMENTAL_SYNC, QUICK_FIX, SOURCE_FIX_ALL
from trialrun.lsp.server.position_encoding import Encoding

TRIGGER_CHARACTERS = (" ", ":", ".", "/", '"', "'", "[", "{", ",", "=", "*", "-", "&", "|")
"""Characters after which a client asks for completions."""
CODE_ACTION_KINDS = (QUICK_FIX, f"{SOURCE_FIX_ALL}.trialrun")
EXPLAIN_COMMAND = "trialrun.explain"


def server_capabilities(client: ClientCapabilities, encoding: Encoding) -> Mapping[str, Any]:
    """The capabilities for a client, with the position encoding that was chosen."""
    diagnostics = {"interFileDependencies": True, "workspaceDiagnostics": True, "identifier": "trialrun"}
    return {
        "positionEncoding": encoding,
        "textDocumentSync": {"openClose": True, "change": INCREMENTAL_SYNC, "save": True},
        "completionProvider": {"triggerCharacters": TRIGGER_CHARACTERS, "resolveProvider": True},
        "hoverProvider": True,
        "definitionProvider": True,
        "referencesProvider": True,
        "documentSymbolProvider": True,
        "codeActionProvider": {"codeActionKinds": CODE_ACTION_KINDS},
        "codeLensProvider": {"resolveProvider": False},
        "workspaceSymbolProvider": {"resolveProvider": False},
        "renameProvider": {"prepareProvider": True} if client.prepares_rename else True,
        "foldingRangeProvider": True,
        "executeCommandProvider": {"commands": [EXPLAIN_COMMAND]},
        "inlayHintProvider": {"resolveProvider": False},
        **({"diagnosticProvider": diagnostics} if client.pulls else {}),
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}, "fileOperations": {}},
    }
