"""Messages on the wire, and the types of the protocol, against a library of the whole protocol."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import converters
from lsprotocol import types as protocol

from tests.cases import each_of
from trialrun.lsp.server import feature_types, kinds, params, types
from trialrun.lsp.server.capabilities import client_capabilities
from trialrun.lsp.server.json_rpc import InvalidParams, messages
from trialrun.lsp.server.server_capabilities import server_capabilities
from trialrun.lsp.server.types import to_json

CONVERTER = converters.get_converter()
OTHER_NAMES = {
    "DocumentDiagnosticReport": "RelatedFullDocumentDiagnosticReport",
    "UnchangedDocumentDiagnosticReport": "RelatedUnchangedDocumentDiagnosticReport",
    "WorkspaceDocumentDiagnosticReport": "WorkspaceFullDocumentDiagnosticReport",
}
MODULES = (types, feature_types)
SENT = [kind for module in MODULES for kind in vars(module).values() if isinstance(kind, type)]
SENT = [kind for kind in dict.fromkeys(SENT) if "__slots__" in vars(kind) and kind.__module__.startswith("trialrun.")]
NUMBERS = [kinds.SymbolKind, kinds.CompletionItemKind, kinds.MessageType, kinds.DiagnosticSeverity]
NUMBERS += [kinds.DiagnosticTag, kinds.FoldingRangeKind]
PLACE = {"line": 1, "character": 2}
RANGE = {"start": PLACE, "end": PLACE}
NAMED = {"textDocument": {"uri": "file:///a.yaml"}}
AT = {**NAMED, "position": PLACE}
VALID: list[tuple[Callable[[Any], Any], type, Any]] = [
    (params.document, protocol.DocumentSymbolParams, NAMED),
    (params.position, protocol.HoverParams, AT),
    (params.range_, protocol.InlayHintParams, {**NAMED, "range": RANGE}),
    (params.reference, protocol.ReferenceParams, {**AT, "context": {"includeDeclaration": True}}),
    (params.rename, protocol.RenameParams, {**AT, "newName": "n"}),
    (
        params.code_action,
        protocol.CodeActionParams,
        {**NAMED, "range": RANGE, "context": {"diagnostics": [], "only": ["quickfix"]}},
    ),
    (params.document_diagnostic, protocol.DocumentDiagnosticParams, {**NAMED, "previousResultId": "1"}),
    (
        params.previous_results,
        protocol.WorkspaceDiagnosticParams,
        {"previousResultIds": [{"uri": "file:///a.yaml", "value": "1"}]},
    ),
    (params.query, protocol.WorkspaceSymbolParams, {"query": "fries"}),
    (params.completion_item, protocol.CompletionItem, {"label": "fries", "data": ["rule", "x"]}),
    (
        params.opened,
        protocol.DidOpenTextDocumentParams,
        {"textDocument": {"uri": "file:///a.yaml", "languageId": "yaml", "version": 1, "text": ""}},
    ),
    (
        params.changed,
        protocol.DidChangeTextDocumentParams,
        {
            "textDocument": {"uri": "file:///a.yaml", "version": 1},
            "contentChanges": [{"range": RANGE, "text": "a"}, {"text": "b"}],
        },
    ),
    (params.changed_files, protocol.DidChangeWatchedFilesParams, {"changes": [{"uri": "file:///a", "type": 1}]}),
    (
        params.changed_folders,
        protocol.DidChangeWorkspaceFoldersParams,
        {"event": {"added": [{"uri": "file:///a", "name": "a"}], "removed": [{"uri": "file:///b", "name": "b"}]}},
    ),
    (
        params.initialize,
        protocol.InitializeParams,
        {
            "processId": None,
            "capabilities": {},
            "rootUri": "file:///a",
            "rootPath": "/a",
            "workspaceFolders": [{"uri": "file:///a", "name": "a"}],
        },
    ),
    (params.command, protocol.ExecuteCommandParams, {"command": "c", "arguments": [1, "a"]}),
]
UNUSED = {"type", "name", "processId", "message"}
"""Fields that the library requires, and that are not read here."""


@each_of(SENT)
def test_a_type_has_fields_of_the_protocol(kind: type) -> None:
    whole = getattr(protocol, OTHER_NAMES.get(kind.__name__, kind.__name__))
    assert set(kind.__slots__) <= {one.name for one in attrs.fields(whole)}  # type: ignore[attr-defined]


@each_of(NUMBERS)
def test_a_kind_has_the_value_of_the_protocol(kind: type) -> None:
    whole = getattr(protocol, kind.__name__)
    ours = {name: value for name, value in vars(kind).items() if not name.startswith("_")}
    assert ours
    assert ours == {name: whole[name].value for name in ours}


def test_what_a_client_reads_of_a_message_is_all_that_was_sent() -> None:
    range_ = types.Range(types.Position(0, 1), types.Position(2, 3))
    related = types.DiagnosticRelatedInformation(types.Location("file:///a", range_), "there")
    found = types.Diagnostic(
        range_, "m", 1, "rule", types.CodeDescription("file:///p"), "trialrun", [1], [related], {"fingerprint": "f"}
    )
    sent = json.loads(json.dumps(types.PublishDiagnosticsParams("file:///a", [found], 7), default=to_json))
    read = CONVERTER.structure(sent, protocol.PublishDiagnosticsParams)
    assert CONVERTER.unstructure(read) == sent
    assert read.diagnostics[0].related_information[0].location.range.end.character == 3


def test_a_version_that_is_not_known_is_null() -> None:
    named = types.OptionalVersionedTextDocumentIdentifier("file:///a", None)
    assert json.loads(json.dumps(named, default=to_json)) == {"uri": "file:///a", "version": None}
    report = types.WorkspaceDocumentDiagnosticReport("file:///a", ())
    sent = json.loads(json.dumps(report, default=to_json))
    assert sent == {"uri": "file:///a", "items": [], "version": None, "kind": "full"}
    assert CONVERTER.unstructure(CONVERTER.structure(sent, protocol.WorkspaceFullDocumentDiagnosticReport)) == sent


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
def test_parameters_are_accepted_only_as_the_protocol_has_them(
    read: Callable[[Any], Any], whole: type, valid: Any
) -> None:
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
        (params.code_action, {**NAMED, "range": RANGE, "context": {"diagnostics": [], "only": None}}),
        (params.code_action, {**NAMED, "range": RANGE, "context": {"diagnostics": [], "triggerKind": 2}}),
        (params.document_diagnostic, {**NAMED, "identifier": "trialrun"}),
        (params.command, {"command": "c", "arguments": None}),
        (params.initialize, {"processId": 7, "capabilities": {}, "workspaceFolders": None, "rootUri": None}),
        (params.initialize, {"capabilities": {"x": 1}, "initializationOptions": [1], "trace": "off"}),
        (params.changed, {"textDocument": {"uri": "u", "version": -3}, "contentChanges": []}),
        (params.settings, {}),
    ],
)
def test_optional_parameters_may_be_left_out(read: Callable[[Any], Any], given_: Any) -> None:
    assert _accepts(read, given_, InvalidParams)


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
