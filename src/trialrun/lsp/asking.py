"""Questions of the client: what it asks, put to a feature, and the answer in its words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from trialrun.lsp import convert
from trialrun.lsp.answer import CannotRename
from trialrun.lsp.features import offered
from trialrun.lsp.message import Fault, Gone
from trialrun.lsp.open_files import OpenFile

if TYPE_CHECKING:
    from trialrun.lsp.server import Server

REFUSED = -32803
"""The code of the protocol for a request that is understood and cannot be carried out."""


def answer_questions(server: Server, able: types.ClientCapabilities, choices: Any) -> None:
    """Offer what there is, as far as the client can take it; `choices` are what its user set for the server."""
    from trialrun.lsp.acting import offer_actions
    from trialrun.lsp.completing import offer_completion

    if _pulls(able):
        _offer_diagnostics(server)
    offers: dict[str, Callable[[Server], None]] = {
        "code_actions": lambda server: offer_actions(server, able),
        "hover": _offer_hover,
        "completion": lambda server: offer_completion(server, able),
        "symbols": _offer_symbols,
        "folding": _offer_folding,
        "definition": _offer_definition,
        "references": _offer_references,
        "rename": lambda server: _offer_rename(server, versioned=_has_versions(able)),
        "semantic_tokens": _offer_tokens,
        "inlay_hints": _offer_hints,
        "code_lenses": lambda server: _offer_lenses(server, command=_terminal(choices)),
    }
    for name in offered():
        if name in offers:
            offers[name](server)


async def asked(server: Server, name: str, document: types.TextDocumentIdentifier, *further: Any, **named: Any) -> Any:
    """The open file that a question is about, and the answer of the feature; None where there is none.

    Places among the arguments are given as functions of the open file. A fault of ours has been told, and is no answer.
    """
    opened = server.files.at(document.uri)
    if opened is None:
        return None
    arguments = [one(opened) if callable(one) else one for one in further]
    try:
        answer = await asyncio.wrap_future(server.worker.ask(name, opened.file, *arguments, **named))
    except CannotRename as error:
        raise JsonRpcException(str(error), REFUSED) from error
    except Gone as error:
        raise JsonRpcContentModified(str(error)) from error
    except Fault:
        return None
    return None if answer is None else (opened, answer)


def offset_of(position: types.Position) -> Callable[[OpenFile], int]:
    """The offset of a position in the text that is asked about."""
    return lambda opened: opened.counted.offset((position.line, position.character))


def _offer_diagnostics(server: Server) -> None:
    options = types.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=False, identifier="trialrun")

    @server.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def diagnostic(params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
        items = await server.publishing.asked(params.text_document.uri)
        return types.RelatedFullDocumentDiagnosticReport(items=list(items))


def _offer_hover(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        found = await asked(server, "hover", params.text_document, offset_of(params.position))
        return found and convert.hover_of(found[1], found[0].counted)


def _offer_symbols(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        found = await asked(server, "symbols", params.text_document)
        return [convert.symbol_of(one, found[0].counted) for one in found[1]] if found else []


def _offer_folding(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        found = await asked(server, "folding", params.text_document)
        return [convert.fold_of(one) for one in found[1]] if found else []


def _offer_definition(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: types.DefinitionParams) -> list[types.Location]:
        found = await asked(server, "definition", params.text_document, offset_of(params.position))
        return convert.locations_of(found[1], server.files.counted, server.files.uri) if found else []


def _offer_references(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def references(params: types.ReferenceParams) -> list[types.Location]:
        at, declares = offset_of(params.position), params.context.include_declaration
        found = await asked(server, "references", params.text_document, at, with_declarations=declares)
        return convert.locations_of(found[1], server.files.counted, server.files.uri) if found else []


def _offer_rename(server: Server, *, versioned: bool) -> None:
    @server.feature(types.TEXT_DOCUMENT_RENAME)
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        at = offset_of(params.position)
        found = await asked(server, "rename", params.text_document, at, params.new_name)
        return found and convert.workspace_edit_of(found[1], server.files, versioned=versioned)


def _offer_tokens(server: Server) -> None:
    legend = types.SemanticTokensLegend(token_types=list(convert.TOKENS), token_modifiers=[])

    @server.feature(types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def tokens(params: types.SemanticTokensParams) -> types.SemanticTokens | None:
        found = await asked(server, "semantic_tokens", params.text_document)
        return found and convert.tokens_of(found[1], found[0].counted)


def _offer_hints(server: Server) -> None:
    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        places = offset_of(params.range.start), offset_of(params.range.end)
        found = await asked(server, "inlay_hints", params.text_document, *places)
        return [convert.hint_of(one, found[0].counted) for one in found[1]] if found else []


def _offer_lenses(server: Server, *, command: str) -> None:
    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        found = await asked(server, "code_lenses", params.text_document)
        return [convert.lens_of(one, found[0].counted, command=command) for one in found[1]] if found else []


def _pulls(able: types.ClientCapabilities) -> bool:
    """Whether the client asks for findings, and can be told to ask again when another file changed them."""
    asks = able.text_document is not None and able.text_document.diagnostic is not None
    workspace = able.workspace and able.workspace.diagnostics
    return asks and bool(workspace and workspace.refresh_support)


def _has_versions(able: types.ClientCapabilities) -> bool:
    edit = able.workspace and able.workspace.workspace_edit
    return bool(edit and edit.document_changes)


def _terminal(choices: Any) -> str:
    """The command of the client that runs a command line in a terminal; empty where it has none."""
    named = choices.get("terminalCommand") if isinstance(choices, dict) else getattr(choices, "terminalCommand", None)
    return named if isinstance(named, str) else ""
