"""Messages on the wire, and the types of the protocol, against a library of the whole protocol."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import converters
from lsprotocol import types as protocol

from tests.cases import each_of
from tests.lsp.server.raw_client import wired
from tests.program import view
from trialrun.lsp.features.navigation import SYMBOL_KINDS
from trialrun.lsp.features.outline import PART_KINDS
from trialrun.lsp.server.client import check_params, client_capabilities, server_capabilities
from trialrun.lsp.server.diagnostics import SEVERITIES
from trialrun.lsp.server.json_rpc import InvalidParams, messages
from trialrun.lsp.server.requests import COMPLETION_KINDS
from trialrun.lsp.server.session import MESSAGE_TYPES

CONVERTER = converters.get_converter()
PLACE = {"line": 1, "character": 2}
RANGE = {"start": PLACE, "end": PLACE}
NAMED = {"textDocument": {"uri": "file:///a.yaml"}}
AT = {**NAMED, "position": PLACE}
VALID: list[tuple[str, type, Any]] = [
    ("textDocument/documentSymbol", protocol.DocumentSymbolParams, NAMED),
    ("textDocument/hover", protocol.HoverParams, AT),
    ("textDocument/inlayHint", protocol.InlayHintParams, {**NAMED, "range": RANGE}),
    ("textDocument/references", protocol.ReferenceParams, {**AT, "context": {"includeDeclaration": True}}),
    ("textDocument/rename", protocol.RenameParams, {**AT, "newName": "n"}),
    (
        "textDocument/codeAction",
        protocol.CodeActionParams,
        {**NAMED, "range": RANGE, "context": {"diagnostics": [], "only": ["quickfix"]}},
    ),
    ("textDocument/diagnostic", protocol.DocumentDiagnosticParams, {**NAMED, "previousResultId": "1"}),
    (
        "workspace/diagnostic",
        protocol.WorkspaceDiagnosticParams,
        {"previousResultIds": [{"uri": "file:///a.yaml", "value": "1"}]},
    ),
    ("workspace/symbol", protocol.WorkspaceSymbolParams, {"query": "fries"}),
    ("completionItem/resolve", protocol.CompletionItem, {"label": "fries", "data": ["rule", "x"]}),
    (
        "textDocument/didOpen",
        protocol.DidOpenTextDocumentParams,
        {"textDocument": {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": ""}},
    ),
    (
        "textDocument/didChange",
        protocol.DidChangeTextDocumentParams,
        {
            "textDocument": {"uri": "file:///a.yaml", "version": 1},
            "contentChanges": [{"range": RANGE, "text": "a"}, {"text": "b"}],
        },
    ),
    (
        "workspace/didChangeWatchedFiles",
        protocol.DidChangeWatchedFilesParams,
        {"changes": [{"uri": "file:///a", "type": 1}]},
    ),
    (
        "workspace/didChangeWorkspaceFolders",
        protocol.DidChangeWorkspaceFoldersParams,
        {"event": {"added": [{"uri": "file:///a", "name": "a"}], "removed": [{"uri": "file:///b", "name": "b"}]}},
    ),
    (
        "initialize",
        protocol.InitializeParams,
        {
            "processId": None,
            "capabilities": {},
            "rootUri": "file:///a",
            "rootPath": "/a",
            "workspaceFolders": [{"uri": "file:///a", "name": "a"}],
        },
    ),
    ("workspace/executeCommand", protocol.ExecuteCommandParams, {"command": "c", "arguments": [1, "a"]}),
]
UNUSED = {"type", "name", "processId", "message"}
"""Fields that the library requires, and that are not read here."""


CLIENT = {
    "textDocument": {
        "codeAction": {"disabledSupport": True},
        "completion": {
            "completionItem": {"snippetSupport": True, "insertReplaceSupport": True, "tagSupport": {}},
            "completionList": {"itemDefaults": ["editRange"]},
        },
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "publishDiagnostics": {"codeDescriptionSupport": True},
    },
    "workspace": {
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["create"], "snippetEditSupport": True}
    },
}
BRAND = """\
kind: Brand
name: projects/p/locations/l/brands/north
stores:
  - name: projects/p/locations/l/brands/north/stores/pier
bindings:
  - {rule: a, channelConfig: lunch, stores: {names: [pier]}}
"""
VIEW = view(cron="TZ=US/Eastern 0 9 * * *") + "createTime: 2026-01-01T00:00:00Z\nlabels: {Team: x}\n"
EVERYTHING = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}


def _is_read_whole(message: Any, kind: Any) -> bool:
    """Whether a library of the whole protocol knows every part of a message."""
    return bool(CONVERTER.unstructure(CONVERTER.structure(message, kind)) == message)


@pytest.mark.exhaustive
def test_what_a_client_reads_of_a_message_is_all_that_was_sent(tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text(BRAND)

    def place(text: str, words: str) -> dict[str, int]:
        before = text[: text.index(words)].split("\n")
        return {"line": len(before) - 1, "character": len(before[-1])}

    with wired(tmp_path, "--at", "2026-11-20T12:00:00Z") as wire:
        wire.begin(**CLIENT)
        wire.open("brand.yaml", BRAND)
        wire.open("view.yaml", VIEW)
        told = wire.hear(lambda message: str(message.get("params", {}).get("uri")).endswith("view.yaml"))
        found = told["params"]["diagnostics"]
        assert _is_read_whole(told, protocol.PublishDiagnosticsNotification)
        assert {"tags", "codeDescription", "data"} <= {field for diagnostic in found for field in diagnostic}
        of_view = {"textDocument": {"uri": wire.uri("view.yaml")}}
        of_brand = {"textDocument": {"uri": wire.uri("brand.yaml")}}
        in_view = {**of_view, "position": place(VIEW, "0 9 *")}
        in_brand = {**of_brand, "position": place(BRAND, "pier]")}
        for method, params in [
            ("textDocument/hover", in_view),
            ("textDocument/completion", {**of_view, "position": place(VIEW, "labels")}),
            ("textDocument/inlayHint", {**of_view, "range": EVERYTHING}),
            ("textDocument/codeLens", of_view),
            ("textDocument/foldingRange", of_brand),
            ("textDocument/documentSymbol", of_brand),
            ("textDocument/definition", in_brand),
            ("textDocument/references", {**in_brand, "context": {"includeDeclaration": True}}),
            ("textDocument/prepareRename", in_brand),
            ("textDocument/rename", {**in_brand, "newName": "beach"}),
            ("workspace/symbol", {"query": "pier"}),
        ]:
            answer = wire.ask(method, params)
            assert answer.get("result"), (method, answer)
            assert _is_read_whole(answer, protocol.METHOD_TO_TYPES[method][1]), (method, answer)
        answer = wire.ask(
            "textDocument/codeAction", {**of_view, "range": EVERYTHING, "context": {"diagnostics": found}}
        )
        assert {"edit", "command", "diagnostics"} <= {field for action in answer["result"] for field in action}
        for action in answer["result"]:  # as a union, the library takes each with a command for a command
            assert _is_read_whole(action, protocol.CodeAction), action
        assert wire.end() == 0


def test_numbers_are_those_of_the_protocol() -> None:
    assert {severity.name.lower(): number for severity, number in SEVERITIES.items()} == {
        "error": protocol.DiagnosticSeverity.Error,
        "warning": protocol.DiagnosticSeverity.Warning,
        "note": protocol.DiagnosticSeverity.Information,
    }
    assert {
        "error": protocol.MessageType.Error,
        "warning": protocol.MessageType.Warning,
        "note": protocol.MessageType.Info,
    } == MESSAGE_TYPES
    kinds = {name: protocol.SymbolKind(number).name for name, number in (SYMBOL_KINDS | PART_KINDS).items()}
    assert (kinds["view"], kinds["daypart"], kinds["resource"]) == ("Class", "Event", "Module")
    items = {name: protocol.CompletionItemKind(number).name for name, number in COMPLETION_KINDS.items()}
    assert (items["field"], items["value"], items["snippet"]) == ("Field", "EnumMember", "Snippet")


@pytest.mark.parametrize("client", [{}, {"textDocument": {"rename": {"prepareSupport": True}, "diagnostic": {}}}])
def test_the_capabilities_of_the_server_are_those_of_the_protocol(client: dict[str, Any]) -> None:
    client["workspace"] = {"diagnostics": {"refreshSupport": True}}
    sent = json.loads(json.dumps(server_capabilities(client_capabilities(client), "utf-8")))
    assert CONVERTER.unstructure(CONVERTER.structure(sent, protocol.ServerCapabilities)) == sent


@each_of([None, 7, "x", [], {"a": 1}, True])
def test_capabilities_of_a_client_may_be_anything(wrong: Any) -> None:
    names = ["general", "textDocument", "workspace", "window"]
    assert client_capabilities(dict.fromkeys(names, wrong)) == client_capabilities({})


def _leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """The containers of a value with their keys."""
    for key, part in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from _leaves(part)


def _spoiled(valid: Any) -> Iterator[Any]:
    """A value with one part taken away, or replaced by each of some others."""
    for number, (_, name) in enumerate(_leaves(valid)):
        if name in UNUSED:
            continue
        for other in (Ellipsis, None, 7, -1, 2**40, 1.5, True, "x", [], {}):
            spoiled = deepcopy(valid)
            holder, key = [*_leaves(spoiled)][number]
            if other is Ellipsis:
                del holder[key]
            else:
                holder[key] = other
            yield spoiled


def _accepts(read: Callable[[Any], Any], value: Any, *errors: type[Exception]) -> bool:
    try:
        read(value)
    except errors:
        return False
    return True


@each_of(VALID)
def test_parameters_are_accepted_only_as_the_protocol_has_them(method: str, whole: type, valid: Any) -> None:
    def read(params: Any) -> Any:
        return check_params(method, params)

    assert _accepts(read, valid, InvalidParams)
    wrong = [None, 7, [], "x"]
    assert [value for value in wrong if _accepts(read, value, InvalidParams)] == []
    refused = 0
    for spoiled in _spoiled(valid):
        if not _accepts(read, spoiled, InvalidParams):
            refused += 1
        else:
            assert _accepts(lambda value: CONVERTER.structure(value, whole), deepcopy(spoiled), Exception), spoiled
    assert refused > 5


@each_of(
    [
        ("textDocument/codeAction", {**NAMED, "range": RANGE, "context": {"diagnostics": [], "only": None}}),
        ("textDocument/codeAction", {**NAMED, "range": RANGE, "context": {"diagnostics": [], "triggerKind": 2}}),
        ("textDocument/diagnostic", {**NAMED, "identifier": "trialrun"}),
        ("workspace/executeCommand", {"command": "c", "arguments": None}),
        ("initialize", {"processId": 7, "capabilities": {}, "workspaceFolders": None, "rootUri": None}),
        ("initialize", {"capabilities": {"x": 1}, "initializationOptions": [1], "trace": "off"}),
        ("textDocument/didChange", {"textDocument": {"uri": "u", "version": -3}, "contentChanges": []}),
        ("workspace/didChangeConfiguration", {}),
    ]
)
def test_optional_parameters_may_be_left_out(method: str, given_: Any) -> None:
    assert check_params(method, given_) is given_


@given(st.lists(st.binary(max_size=40)), st.integers(1, 9), st.sampled_from([b"", b"Content-Type: x\r\n", b"?\r\n"]))
def test_messages_arrive_in_any_pieces(bodies: list[bytes], size: int, header: bytes) -> None:
    bodies = [body for body in bodies if body]
    sent = b"".join(b"Content-Length: %d\r\n%s\r\n%s" % (len(body), header, body) for body in bodies)
    pieces = [sent[start : start + size] for start in range(0, len(sent), size)]
    assert [*messages(lambda _: pieces.pop(0) if pieces else b"")] == bodies


@pytest.mark.parametrize("header", [b"content-length: 2\r\n", b"CONTENT-LENGTH:2\r\n", b"Content-Length:  2 \n"])
def test_a_header_may_be_written_in_any_case(header: bytes) -> None:
    pieces = [header + b"\r\n{}", b""]
    assert [*messages(lambda _: pieces.pop(0))] == [b"{}"]


@pytest.mark.parametrize("sent", [b"Content-Length: 5\r\n\r\nab", b"Content-Length: 5", b"\r\n\r\n", b"\xff\n" * 9])
def test_half_a_message_is_none(sent: bytes) -> None:
    pieces = [sent, b""]
    assert [*messages(lambda _: pieces.pop(0))] == []
