"""Requests for language features: a function each, which takes the session and checked parameters of the protocol.

The analysis of the folder of the document has the results, with displayed paths and positions in code points; the
functions answer as the protocol says it, with positions in the encoding of the client.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from trialrun.diagnostic import Range
from trialrun.lsp import results
from trialrun.lsp.analysis.folder_analysis import FolderAnalysis
from trialrun.lsp.results import Object
from trialrun.lsp.server.client import EXPLAIN_COMMAND, Ability, Params
from trialrun.lsp.server.completion_list import completion_list_of
from trialrun.lsp.server.diagnostics import DiagnosticReport, report_of
from trialrun.lsp.server.json_rpc import CONTENT_MODIFIED, LATER, REQUEST_FAILED, InvalidParams, Json, ResponseError
from trialrun.lsp.server.session import MESSAGE_TYPES, Session
from trialrun.lsp.server.text_documents import DisplayPaths, PositionMapper
from trialrun.text import Position, Source
from trialrun.workspace.open_workspace import Interrupted

POSITION_INDEPENDENT = frozenset({"completion", "completion_resolve", "hover"})
"""Features whose result is useful even if the text has changed since: the others have positions in the old text."""
TEXT_CHANGED = "the document has changed; ask again"


class AnalysisResult(NamedTuple):
    """The result of a feature for a document; `paths` resolves the displayed paths in it."""

    value: Any
    mapper: PositionMapper
    paths: DisplayPaths


def request_analysis(
    session: Session, feature: str, uri: str, *arguments: Any, **keywords: Any
) -> AnalysisResult | None:
    """The result of a feature for an open document; None if there is none, or after an internal error.

    Arguments that are positions become offsets. Raises ResponseError if the text has changed since and the result is of
    no use for the new one, or if a name cannot be changed.
    """
    document = session.documents.at(uri)
    if document is None:
        return None
    outdated = ResponseError(TEXT_CHANGED, CONTENT_MODIFIED)
    if feature not in POSITION_INDEPENDENT and session.has_newer_text(document.file):
        raise outdated
    mapper = document.mapper
    values = tuple(mapper.offset(argument) if isinstance(argument, dict) else argument for argument in arguments)
    analysis = session.folders.of(document.file)
    try:
        value = analysis.answer(feature, document.file, *values, **keywords)
    except results.CannotRename as error:
        raise ResponseError(str(error), REQUEST_FAILED) from error
    except Interrupted:
        raise outdated from None
    if feature not in POSITION_INDEPENDENT and session.has_newer_text(document.file):
        raise outdated
    if not keywords:
        session.refresher.record(feature, document, values, value)
    paths = DisplayPaths(session.documents, analysis.absolute_path)
    return None if value is None else AnalysisResult(value, mapper, paths)


def _uri(params: Params) -> str:
    uri: str = params["textDocument"]["uri"]
    return uri


def encoded_answer(session: Session, feature: str, params: Params, *arguments: Any) -> Any:
    """The result of a feature that is as the protocol has it, with places in the encoding of the client."""
    result = request_analysis(session, feature, _uri(params), *arguments)
    return None if result is None else encode(result.value, result.mapper)


def encode(value: Any, mapper: PositionMapper) -> Any:
    """A result with all ranges and positions in the encoding of the client."""
    match value:
        case Range():
            return mapper.range_to_protocol(value)
        case Position():
            return mapper.to_protocol(value)
        case dict():
            return {key: encode(part, mapper) for key, part in value.items()}
        case list() | tuple():
            return [encode(part, mapper) for part in value]
    return value


# ---- what is shown beside a text


def hover(session: Session, params: Params) -> Object | None:
    """textDocument/hover."""
    answer: Object | None = encoded_answer(session, "hover", params, params["position"])
    return answer


def inlay_hint(session: Session, params: Params) -> list[Object]:
    """textDocument/inlayHint; the user can turn inlay hints off."""
    if not session.options.inlay_hints:
        return []
    return encoded_answer(session, "inlay_hint", params, params["range"]["start"], params["range"]["end"]) or []


def code_lens(session: Session, params: Params) -> list[Object]:
    """textDocument/codeLens; the user can turn code lenses off.

    A command line runs if the user has named the command of the client for that.
    """
    lenses: list[Object] = []
    if session.options.code_lenses:
        lenses = encoded_answer(session, "code_lens", params) or []
    for lens in lenses:
        words = lens["command"].pop("arguments", None)
        if words and session.options.terminal:
            lens["command"] |= {"command": session.options.terminal, "arguments": [words, _uri(params)]}
    return lenses


def folding_range(session: Session, params: Params) -> list[Object]:
    """textDocument/foldingRange."""
    return encoded_answer(session, "folding_range", params) or []


# ---- names and symbols


def locations_of(locations: Iterable[results.Location], paths: DisplayPaths) -> list[Object]:
    """Locations, without those of removed files."""
    present = list(locations)
    texts = {path: paths.mapper(path) for path in {location.path for location in present}}
    return [
        {"uri": paths.uri(location.path), "range": mapper.range_to_protocol(location.range)}
        for location in present
        if (mapper := texts[location.path]) is not None
    ]


def goto_definition(session: Session, params: Params) -> list[Object]:
    """textDocument/definition."""
    result = request_analysis(session, "goto_definition", _uri(params), params["position"])
    return locations_of(result.value, result.paths) if result else []


def references(session: Session, params: Params) -> list[Object]:
    """textDocument/references."""
    declarations = params["context"]["includeDeclaration"]
    result = request_analysis(session, "references", _uri(params), params["position"], with_declarations=declarations)
    return locations_of(result.value, result.paths) if result else []


def prepare_rename(session: Session, params: Params) -> Object | None:
    """textDocument/prepareRename."""
    answer: Object | None = encoded_answer(session, "prepare_rename", params, params["position"])
    return answer


def rename(session: Session, params: Params) -> Object | None:
    """textDocument/rename."""
    result = request_analysis(session, "rename", _uri(params), params["position"], params["newName"])
    if result is None:
        return None
    return workspace_edit_of(result.value, result.paths, versioned="versions" in session.capabilities)


def document_symbol(session: Session, params: Params) -> list[Object]:
    """textDocument/documentSymbol: a tree, or all symbols in turn for a client that does not support nested ones."""
    symbols: list[Object] = encoded_answer(session, "document_symbols", params) or []
    return symbols if "nests_symbols" in session.capabilities else [*_flat_symbols(symbols, _uri(params))]


def _flat_symbols(symbols: Iterable[Object], uri: str) -> Iterable[Object]:
    for symbol in symbols:
        location = {"uri": uri, "range": symbol["range"]}
        yield {"name": symbol["name"], "kind": symbol["kind"], "location": location}
        yield from _flat_symbols(symbol["children"], uri)


def workspace_symbol(session: Session, params: Params) -> list[Object]:
    """workspace/symbol: those of all folders, without those of removed files."""
    return [
        symbol
        for analysis in session.folders.all()
        for symbol in _workspace_symbols(session, analysis, params["query"])
    ]


def _workspace_symbols(session: Session, analysis: FolderAnalysis, query: str) -> list[Object]:
    symbols = analysis.result("workspace_symbols", analysis.absolute_path(""), query)
    paths = DisplayPaths(session.documents, analysis.absolute_path)
    return [
        {**symbol, "location": location}
        for symbol in symbols or ()
        for location in locations_of([symbol["location"]], paths)
    ]


# ---- edits


def workspace_edit_of(changes: Iterable[results.FileEdits], paths: DisplayPaths, *, versioned: bool) -> Object:
    """Edits of files; the client refuses `versioned` ones if a text has changed since."""
    edits_by_uri: dict[str, list[Object]] = {}
    documents: list[Object] = []
    created: list[Object] = []
    for file in changes:
        mapper = paths.mapper(file.path) or (PositionMapper(Source(file.path, ""), "utf-16") if file.creates else None)
        if mapper is None:
            continue
        uri = paths.uri(file.path)
        if file.creates:
            created.append({"kind": "create", "uri": uri, "options": {"ignoreIfExists": True}})
        edits = edits_by_uri[uri] = [
            {"range": mapper.range_to_protocol(edit.range), "newText": edit.text} for edit in file.edits
        ]
        documents.append({"textDocument": {"uri": uri, "version": paths.version(file.path)}, "edits": edits})
    return {"documentChanges": [*created, *documents]} if versioned else {"changes": edits_by_uri}


def code_action(session: Session, params: Params) -> list[Object]:
    """textDocument/codeAction."""
    diagnostics, start, end = params["context"]["diagnostics"], params["range"]["start"], params["range"]["end"]
    only = tuple(params["context"].get("only") or ())
    fingerprints = tuple(filter(None, map(_fingerprint, diagnostics)))
    result = request_analysis(session, "code_action", _uri(params), start, end, fingerprints, only=only)
    if result is None:
        return []
    actions = (
        _code_action_of(action, diagnostics, result.paths, _uri(params), session.capabilities)
        for action in result.value
    )
    return [action for action in actions if action is not None]


def _code_action_of(
    action: results.CodeAction,
    diagnostics: Sequence[Json],
    paths: DisplayPaths,
    uri: str,
    capabilities: frozenset[Ability],
) -> Object | None:
    """An action as far as the client supports it; None if it does not. Diagnostics are as the client sent them."""
    creates = any(file.creates for file in action.edits)
    if (action.disabled and "shows_disabled" not in capabilities) or (creates and "creates_files" not in capabilities):
        return None
    answer: Object = {"title": action.title, "kind": action.kind}
    fixed = [diagnostic for diagnostic in diagnostics if _fingerprint(diagnostic) in action.fingerprints]
    if fixed:
        answer["diagnostics"] = fixed
    if action.is_preferred:
        answer["isPreferred"] = True
    if action.edits:
        answer["edit"] = workspace_edit_of(action.edits, paths, versioned="versions" in capabilities)
        if action.placeholder and "has_tab_stops" in capabilities:
            for change in answer["edit"].get("documentChanges", ()):
                if "edits" in change:
                    change["edits"] = [_with_tab_stop(edit, action.placeholder) for edit in change["edits"]]
    if action.disabled:
        answer["disabled"] = {"reason": action.disabled}
    if action.rule_to_explain is not None:
        arguments = [uri, action.rule_to_explain]
        answer["command"] = {"title": action.title, "command": EXPLAIN_COMMAND, "arguments": arguments}
    return answer


def _with_tab_stop(edit: Object, placeholder: str) -> Object:
    """An edit that has the placeholder as a snippet, so that the client selects it."""
    if placeholder not in edit["newText"]:
        return edit
    before, _, after = (re.sub(r"([\\$}])", r"\\\1", part) for part in edit["newText"].partition(placeholder))
    stop = "${1:" + re.sub(r"([\\$}])", r"\\\1", placeholder) + "}"
    return {"range": edit["range"], "snippet": {"kind": "snippet", "value": f"{before}{stop}{after}"}}


def _fingerprint(diagnostic: Json) -> str | None:
    """The fingerprint of a diagnostic of ours, as the client returned it."""
    data = diagnostic.get("data")
    fingerprint = data.get("fingerprint") if isinstance(data, dict) else None
    return fingerprint if isinstance(fingerprint, str) else None


def execute_command(session: Session, params: Params) -> None:
    """workspace/executeCommand: shows the page of a rule, as a document if the client can, else as a message."""
    arguments = params.get("arguments") or ()
    if params["command"] != EXPLAIN_COMMAND:
        raise InvalidParams(f"Command name {params['command']!r} is not defined")
    if len(arguments) != 2:
        raise InvalidParams(f"Expected 2 arguments, got {len(arguments)}")
    uri, rule = map(str, arguments)
    file = session.documents.uris.file(uri)
    page = None if file is None else session.rule_docs.write(session.folders.of(file), file, rule)
    if page is None:
        text = f"there is no longer a page of {rule}; the settings have changed"
        session.show_message("warning", text)
    elif "shows_documents" in session.capabilities:
        session.client.request("window/showDocument", {"uri": page[0], "takeFocus": True})
    else:
        session.client.notify("window/showMessage", {"type": MESSAGE_TYPES["note"], "message": page[1]})


# ---- completions


def completion(session: Session, params: Params) -> Object | None:
    """textDocument/completion; lists are sent as compactly as the client supports."""
    result = request_analysis(session, "completion", _uri(params), params["position"])
    session.completed_uri = _uri(params)
    if result is None:
        return None
    return completion_list_of(result.value, result.mapper, params["position"], session.capabilities)


def completion_resolve(session: Session, item: Params) -> Params:
    """completionItem/resolve: an item of the latest list."""
    data = item.get("data")
    if session.completed_uri is None or not isinstance(data, list) or not data:
        return item
    result = request_analysis(session, "completion_resolve", session.completed_uri, tuple(map(str, data)))
    return {**item, "documentation": results.markdown(result.value)} if result else item


# ---- diagnostics, for a client that pulls them


def diagnostic(session: Session, params: Params) -> Any:
    """textDocument/diagnostic: of a document as it is now, or of a file that is not open."""
    document = session.documents.at(_uri(params))
    report = session.publisher.pull(document) if document else _report_on_disk(session, _uri(params))
    if report is None:
        return LATER if document else {"kind": "full", "items": ()}
    if report.result_id == params.get("previousResultId"):
        return {"kind": "unchanged", "resultId": report.result_id}
    return {"kind": "full", "items": report.items, "resultId": report.result_id}


def _report_on_disk(session: Session, uri: str) -> DiagnosticReport | None:
    session.publisher.stop_pushing()
    file = session.documents.uris.file(uri)
    if file is None:
        return None
    analysis = session.folders.of(file)
    diagnostics = analysis.result("diagnostics", file)
    return None if diagnostics is None else report_of(session.convert_diagnostics(analysis, file, diagnostics))


def workspace_diagnostic(session: Session, params: Params) -> Any:
    """workspace/diagnostic: waits until the diagnostics of files that are not open differ from the client's."""
    session.publisher.stop_pushing()
    previous = {result["uri"]: result["value"] for result in params["previousResultIds"]}
    reports = session.workspace_diagnostics.pull(previous)
    return LATER if reports is None else {"items": reports}


REQUESTS: Final[Mapping[str, Callable[[Session, Params], Any]]] = {
    "textDocument/codeAction": code_action,
    "textDocument/codeLens": code_lens,
    "textDocument/completion": completion,
    "completionItem/resolve": completion_resolve,
    "textDocument/definition": goto_definition,
    "textDocument/documentSymbol": document_symbol,
    "textDocument/foldingRange": folding_range,
    "textDocument/hover": hover,
    "textDocument/inlayHint": inlay_hint,
    "textDocument/prepareRename": prepare_rename,
    "textDocument/references": references,
    "textDocument/rename": rename,
    "workspace/executeCommand": execute_command,
    "workspace/symbol": workspace_symbol,
}
PULL_REQUESTS: Final[Mapping[str, Callable[[Session, Params], Any]]] = {
    "textDocument/diagnostic": diagnostic,
    "workspace/diagnostic": workspace_diagnostic,
}
