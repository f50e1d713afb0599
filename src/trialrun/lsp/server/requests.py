"""Requests for language features: a function each, which takes the session and checked parameters of the protocol.

The analysis of the folder of the document has the results, with displayed paths and positions in code points; the
functions answer as the protocol says it, with positions in the encoding of the client.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from trialrun.diagnostic import Range
from trialrun.lsp import results
from trialrun.lsp.results import Completion, Object
from trialrun.lsp.server.client import ADJUST_INDENTATION, EXPLAIN_COMMAND, Ability, Params
from trialrun.lsp.server.diagnostics import DiagnosticReport, report_of
from trialrun.lsp.server.json_rpc import CONTENT_MODIFIED, LATER, REQUEST_FAILED, InvalidParams, Json, ResponseError
from trialrun.lsp.server.session import MESSAGE_TYPES, Session
from trialrun.lsp.server.text_documents import ProtocolPosition, TextDocument
from trialrun.text import Position
from trialrun.workspace.open_workspace import Interrupted

POSITION_INDEPENDENT = frozenset({"completion", "completion_resolve", "hover"})
"""Features whose result is useful even if the text has changed since: the others have positions in the old text."""
DocumentOf = Callable[[str], TextDocument | None]
"""The documents that an answer names, by their paths as they are shown."""
TEXT_CHANGED = "the document has changed; ask again"


def request_analysis(session: Session, feature: str, uri: str, *arguments: Any, **keywords: Any) -> Any:
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
    values = tuple(document.offset(argument) if isinstance(argument, dict) else argument for argument in arguments)
    try:
        value = session.folders.of(document.file).answer(feature, document.file, *values, **keywords)
    except results.CannotRename as error:
        raise ResponseError(str(error), REQUEST_FAILED) from error
    except Interrupted:
        raise outdated from None
    if feature not in POSITION_INDEPENDENT and session.has_newer_text(document.file):
        raise outdated
    if not keywords:
        session.refresher.record(feature, document, values, value)
    return value


def _uri(params: Params) -> str:
    uri: str = params["textDocument"]["uri"]
    return uri


def _documents(session: Session, params: Params, *, creates: bool = False) -> DocumentOf:
    """The documents that an answer about an open document names."""
    document = session.documents.at(_uri(params))
    assert document is not None
    return session.documents_of(session.folders.of(document.file), creates=creates)


def encoded_answer(session: Session, feature: str, params: Params, *arguments: Any, **keywords: Any) -> Any:
    """The result of a feature that is as the protocol has it, with places in the encoding of the client."""
    result = request_analysis(session, feature, _uri(params), *arguments, **keywords)
    document = session.documents.at(_uri(params))
    return None if result is None else encode(result, document, _documents(session, params))


def encode(value: Any, document: TextDocument | None, document_of: DocumentOf) -> Any:
    """A result with all ranges and positions in the encoding of the client: those of a document, or of a file by `uri`.

    Of a list, what is in files that are gone is left out.
    """
    match value:
        case {"uri": str(path), **rest}:
            document = document_of(path)
            return document and {"uri": document.uri, **encode(rest, document, document_of)}
        case Range() if document:
            return document.range_to_protocol(value)
        case Position() if document:
            return document.to_protocol(value)
        case dict():
            encoded = {key: encode(part, document, document_of) for key, part in value.items()}
            return None if None in encoded.values() else encoded
        case list() | tuple():
            return [made for part in value if (made := encode(part, document, document_of)) is not None]
    return value


# ---- what is shown beside a text


def hover(session: Session, params: Params) -> Object | None:
    """textDocument/hover."""
    answer: Object | None = encoded_answer(session, "hover", params, params["position"])
    return answer and {**answer, "contents": _markup(session, answer["contents"])}


def _markup(session: Session, text: Object) -> Object:
    """A text in Markdown, or without its marks for a client that shows plain text alone."""
    is_plain = session.capabilities & {"shows_plain_text", "shows_markdown"} == {"shows_plain_text"}
    return results.plain_text(text) if is_plain else text


def inlay_hint(session: Session, params: Params) -> list[Object]:
    """textDocument/inlayHint; the user can turn inlay hints off."""
    if not session.options.inlay_hints:
        return []
    hints = encoded_answer(session, "inlay_hint", params, params["range"]["start"], params["range"]["end"]) or []
    return [hint | {"tooltip": _markup(session, hint["tooltip"])} if "tooltip" in hint else hint for hint in hints]


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


def goto_definition(session: Session, params: Params) -> list[Object]:
    """textDocument/definition."""
    return encoded_answer(session, "goto_definition", params, params["position"]) or []


def references(session: Session, params: Params) -> list[Object]:
    """textDocument/references."""
    declarations = params["context"]["includeDeclaration"]
    return encoded_answer(session, "references", params, params["position"], with_declarations=declarations) or []


def prepare_rename(session: Session, params: Params) -> Object | None:
    """textDocument/prepareRename."""
    answer: Object | None = encoded_answer(session, "prepare_rename", params, params["position"])
    return answer


def rename(session: Session, params: Params) -> Object | None:
    """textDocument/rename."""
    edits = request_analysis(session, "rename", _uri(params), params["position"], params["newName"])
    if edits is None:
        return None
    return workspace_edit_of(edits, _documents(session, params), versioned="versions" in session.capabilities)


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
    """workspace/symbol: those of all folders, of which two may be of one workspace, without those of removed files."""
    symbols: dict[str, Object] = {}
    for analysis in session.folders.all():
        found = analysis.result("workspace_symbols", analysis.absolute_path(""), params["query"])
        symbols |= {repr(symbol): symbol for symbol in encode(found or (), None, session.documents_of(analysis))}
    return [*symbols.values()]


# ---- edits


def workspace_edit_of(edits: results.Edits, document_of: DocumentOf, *, versioned: bool) -> Object:
    """Edits of files; the client refuses `versioned` ones if a text has changed since."""
    edits_by_uri: dict[str, list[Object]] = {}
    documents: list[Object] = []
    for path, of_file in edits.items():
        if (document := document_of(path)) is not None:
            encoded = edits_by_uri[document.uri] = [
                {"range": document.range_to_protocol(edit.range), "newText": edit.text} for edit in of_file
            ]
            named = {"uri": document.uri, "version": document.version}
            documents.append({"textDocument": named, "edits": encoded})
    return {"documentChanges": documents} if versioned else {"changes": edits_by_uri}


def code_action(session: Session, params: Params) -> list[Object]:
    """textDocument/codeAction."""
    diagnostics, start, end = params["context"]["diagnostics"], params["range"]["start"], params["range"]["end"]
    only = tuple(params["context"].get("only") or ())
    fingerprints = tuple(filter(None, map(_fingerprint, diagnostics)))
    actions = request_analysis(session, "code_action", _uri(params), start, end, fingerprints, only=only) or ()
    answers = (_code_action_of(action, session, params) for action in actions)
    return [answer for answer in answers if answer is not None]


def _code_action_of(action: results.CodeAction, session: Session, params: Params) -> Object | None:
    """An action as far as the client supports it; None if it does not. Diagnostics are as the client sent them."""
    able, diagnostics = session.capabilities, params["context"]["diagnostics"]
    if (action.disabled and "shows_disabled" not in able) or (action.creates and "creates_files" not in able):
        return None
    answer: Object = {"title": action.title, "kind": action.kind}
    fixed = [diagnostic for diagnostic in diagnostics if _fingerprint(diagnostic) in action.fingerprints]
    if fixed:
        answer["diagnostics"] = fixed
    if action.is_preferred:
        answer["isPreferred"] = True
    if action.edits:
        document_of = _documents(session, params, creates=action.creates)
        answer["edit"] = workspace_edit_of(action.edits, document_of, versioned="versions" in able)
        changes = answer["edit"].get("documentChanges", [])
        for change in changes if action.placeholder and "has_tab_stops" in able else ():
            change["edits"] = [_with_tab_stop(edit, action.placeholder) for edit in change["edits"]]
        for change in changes[:1] if action.creates else ():
            created = {"kind": "create", "uri": change["textDocument"]["uri"], "options": {"ignoreIfExists": True}}
            changes.insert(0, created)
    if action.disabled:
        answer["disabled"] = {"reason": action.disabled}
    if action.rule_to_explain is not None:
        arguments = [_uri(params), action.rule_to_explain]
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
    file = session.documents.file(uri)
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
    found = request_analysis(session, "completion", _uri(params), params["position"])
    session.completed_uri = _uri(params)
    document = session.documents.at(_uri(params))
    if document is None or found is None:
        return None
    return completion_list_of(found, document, params["position"], session.capabilities)


def completion_resolve(session: Session, item: Params) -> Params:
    """completionItem/resolve: an item of the latest list."""
    data = item.get("data")
    if session.completed_uri is None or not isinstance(data, list) or not data:
        return item
    text = request_analysis(session, "completion_resolve", session.completed_uri, tuple(map(str, data)))
    return item if text is None else {**item, "documentation": _markup(session, results.markdown(text))}


COMPLETION_KINDS: Final = {
    "function": 3,  # Function
    "field": 5,  # Field
    "variable": 6,  # Variable
    "snippet": 15,  # Snippet
    "file": 17,  # File
    "name": 18,  # Reference
    "value": 20,  # EnumMember
    "zone": 21,  # Constant
    "language": 21,  # Constant
    "rule": 23,  # Event
}
SNIPPET_FORMAT: Final = 2
"""The format of a text with tab stops."""
DEPRECATED_ITEM: Final = 1
"""The tag of a deprecated completion."""
_NUMBERED = re.compile(r"(?<!\\)\$(?:\d+|\{\d+(?::([^}]*)|\|([^}]*)\|)?\})")
_WORD = re.compile(r"[\w./+-]+\Z")


def completion_list_of(
    found: Object, document: TextDocument, cursor: ProtocolPosition, client: frozenset[Ability]
) -> Object:
    """A list of completions as the client can read it; a range that all items share is its default.

    A range is either one, or two of which the client chooses: `insert` and `replace`.
    """
    ranges = {item.range: _edit_range(item, document, cursor, client) for item in found["items"]}
    shared = next(iter(ranges.values())) if "has_default_range" in client and len(ranges) == 1 else None
    items = [
        _completion_item(item, None if shared else ranges[item.range], document, client) for item in found["items"]
    ]
    return {**found, "items": items, **({"itemDefaults": {"editRange": shared}} if shared else {})}


def _edit_range(
    item: Completion, document: TextDocument, cursor: ProtocolPosition, client: frozenset[Ability]
) -> Object:
    """The range that an item replaces; the client may keep the rest of the word behind the cursor."""
    whole = document.range_to_protocol(item.range)
    if "has_insert_replace" not in client or whole["end"] == cursor:
        return whole
    line = document.source.line(item.range.end.line)
    suffix = line[document.position(cursor).column - 1 : item.range.end.column - 1]
    if not _WORD.match(suffix) or whole["start"]["line"] != cursor["line"]:
        return whole
    return {"insert": {"start": whole["start"], "end": cursor}, "replace": whole}


def _completion_item(
    item: Completion, edit_range: Object | None, document: TextDocument, client: frozenset[Ability]
) -> Object:
    """A completion item, without what the client assumes by default; at the default range if `edit_range` is None.

    Clients indent the further lines of a snippet, and those of other texts if they say that they can.
    """
    answer: Object = {"label": item.label, "kind": COMPLETION_KINDS[item.kind], "sortText": item.sort_text}
    if item.detail:
        answer["detail"] = item.detail
    if item.data:
        answer["data"] = list(item.data)
    if item.is_deprecated and "completion_tags" in client:
        answer["tags"] = [DEPRECATED_ITEM]
    is_snippet = item.is_snippet and "snippets" in client
    if is_snippet:
        answer["insertTextFormat"] = SNIPPET_FORMAT
    text = without_tab_stops(item.text) if item.is_snippet and "snippets" not in client else item.text
    if "\n" in text and "adjusts_indentation" in client:
        answer["insertTextMode"] = ADJUST_INDENTATION
    elif not is_snippet:
        before = document.source.line(item.range.start.line)[: item.range.start.column - 1]
        indentation = before[: len(before) - len(before.lstrip(" \t"))]
        text = text.replace("\n", f"\n{indentation}")
    if edit_range is None:
        return {**answer, "textEditText": text} if text != item.label else answer
    place = edit_range if "insert" in edit_range else {"range": edit_range}
    return {**answer, "textEdit": {"newText": text, **place}}


def without_tab_stops(text: str) -> str:
    """The text of a snippet with the placeholders of its tab stops, or the first choice."""
    plain = _NUMBERED.sub(lambda stop: stop[1] or (stop[2] or "").partition(",")[0], text)
    return re.sub(r"\\([\\$}])", r"\1", plain)


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
    file = session.documents.file(uri)
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
