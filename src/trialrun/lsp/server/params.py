"""What clients send with requests and notifications, read from JSON. Anything invalid raises InvalidParams."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.server.json_rpc import InvalidParams
from trialrun.lsp.server.types import Json, Position, Range

Fields = Mapping[str, Any]
T = TypeVar("T")
MAX_NUMBER = 2**31 - 1
"""The largest `uinteger` of the protocol."""


@dataclass(frozen=True, slots=True)
class DocumentParams:
    """A document that a request is about."""

    uri: str


@dataclass(frozen=True, slots=True)
class PositionParams:
    """A position of a document that a request is about."""

    uri: str
    position: Position


@dataclass(frozen=True, slots=True)
class RangeParams:
    """A range of a document that a request is about."""

    uri: str
    range: Range


@dataclass(frozen=True, slots=True)
class ReferenceParams:
    """A position of a document; `include_declaration` asks for the declarations, too."""

    uri: str
    position: Position
    include_declaration: bool


@dataclass(frozen=True, slots=True)
class RenameParams:
    """A position of a document, and the new name."""

    uri: str
    position: Position
    new_name: str


@dataclass(frozen=True, slots=True)
class CodeActionParams:
    """A range of a document; `diagnostics` as the client has them, and the kinds of actions that it wants."""

    uri: str
    range: Range
    diagnostics: tuple[Json, ...]
    only: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DocumentDiagnosticParams:
    """A document, and the id of the diagnostics that the client has."""

    uri: str
    previous_result_id: str | None


@dataclass(frozen=True, slots=True)
class OpenParams:
    """A document that was opened."""

    uri: str
    language: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A text in place of a range; None for the whole text."""

    range: Range | None
    text: str


@dataclass(frozen=True, slots=True)
class ChangeParams:
    """Changes of a document, in turn."""

    uri: str
    version: int
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class FolderChange:
    """The URIs of folders that were opened and closed."""

    added: tuple[str, ...]
    removed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InitializeParams:
    """How a session begins; `folders` is None for a client that does not know of several."""

    capabilities: Fields
    options: Json
    folders: tuple[str, ...] | None
    root_uri: str | None
    root_path: str | None


@dataclass(frozen=True, slots=True)
class CommandParams:
    """A command, and its arguments."""

    command: str
    arguments: tuple[Json, ...]


def document(params: Json) -> DocumentParams:
    """The document of a request."""
    return DocumentParams(_document(_fields(params, "params")))


def position(params: Json) -> PositionParams:
    """The position of a request."""
    fields = _fields(params, "params")
    return PositionParams(_document(fields), _position(fields.get("position"), "position"))


def range_(params: Json) -> RangeParams:
    """The range of a request."""
    fields = _fields(params, "params")
    return RangeParams(_document(fields), _range(fields.get("range")))


def reference(params: Json) -> ReferenceParams:
    """The parameters of textDocument/references."""
    fields, context = _fields(params, "params"), _part(params, "context")
    include_declaration = context.get("includeDeclaration")
    if not isinstance(include_declaration, bool):
        raise InvalidParams("context.includeDeclaration is not a boolean")
    return ReferenceParams(_document(fields), _position(fields.get("position"), "position"), include_declaration)


def rename(params: Json) -> RenameParams:
    """The parameters of textDocument/rename."""
    fields = _fields(params, "params")
    return RenameParams(
        _document(fields), _position(fields.get("position"), "position"), _read_string(fields, "newName")
    )


def code_action(params: Json) -> CodeActionParams:
    """The parameters of textDocument/codeAction."""
    fields, context = _fields(params, "params"), _part(params, "context")
    diagnostics = _list(context, "diagnostics", lambda item: _fields(item, "a diagnostic"))
    only = _list(context, "only", _string) if context.get("only") is not None else ()
    return CodeActionParams(_document(fields), _range(fields.get("range")), diagnostics, only)


def document_diagnostic(params: Json) -> DocumentDiagnosticParams:
    """The parameters of textDocument/diagnostic."""
    fields = _fields(params, "params")
    return DocumentDiagnosticParams(_document(fields), _optional_string(fields, "previousResultId"))


def previous_results(params: Json) -> dict[str, str]:
    """The result ids by URI that the client has, of workspace/diagnostic."""
    results = _list(_fields(params, "params"), "previousResultIds", lambda item: _fields(item, "a result id"))
    return {_read_string(result, "uri"): _read_string(result, "value") for result in results}


def query(params: Json) -> str:
    """The words of workspace/symbol."""
    return _read_string(_fields(params, "params"), "query")


def completion_item(params: Json) -> Fields:
    """The item of completionItem/resolve, as the client has it."""
    fields = _fields(params, "params")
    _read_string(fields, "label")
    return fields


def opened(params: Json) -> OpenParams:
    """The parameters of textDocument/didOpen."""
    item = _part(params, "textDocument")
    version = _number(item.get("version"), "version", least=-MAX_NUMBER - 1)
    return OpenParams(_read_string(item, "uri"), _read_string(item, "languageId"), version, _read_string(item, "text"))


def changed(params: Json) -> ChangeParams:
    """The parameters of textDocument/didChange."""
    identifier = _part(params, "textDocument")
    version = _number(identifier.get("version"), "version", least=-MAX_NUMBER - 1)
    return ChangeParams(_read_string(identifier, "uri"), version, _list(params, "contentChanges", _change))


def changed_files(params: Json) -> tuple[str, ...]:
    """The URIs of workspace/didChangeWatchedFiles."""
    return _list(_fields(params, "params"), "changes", lambda change: _read_string(_fields(change, "a change"), "uri"))


def changed_folders(params: Json) -> FolderChange:
    """The folders of workspace/didChangeWorkspaceFolders."""
    event = _part(params, "event")
    return FolderChange(_list(event, "added", _folder), _list(event, "removed", _folder))


def settings(params: Json) -> Json:
    """The settings of workspace/didChangeConfiguration."""
    return _fields(params, "params").get("settings")


def initialize(params: Json) -> InitializeParams:
    """The parameters of initialize."""
    fields = _fields(params, "params")
    folders = _list(fields, "workspaceFolders", _folder) if fields.get("workspaceFolders") is not None else None
    return InitializeParams(
        _part(params, "capabilities"),
        fields.get("initializationOptions"),
        folders,
        _optional_string(fields, "rootUri"),
        _optional_string(fields, "rootPath"),
    )


def command(params: Json) -> CommandParams:
    """The parameters of workspace/executeCommand."""
    fields = _fields(params, "params")
    arguments = _list(fields, "arguments", lambda argument: argument) if fields.get("arguments") is not None else ()
    return CommandParams(_read_string(fields, "command"), arguments)


def anything(params: Json) -> Json:
    """Parameters that do not matter."""
    return params


def _document(fields: Fields) -> str:
    return _read_string(_part(fields, "textDocument"), "uri")


def _change(change: Json) -> Change:
    fields = _fields(change, "a change")
    return Change(_range(fields["range"]) if "range" in fields else None, _read_string(fields, "text"))


def _folder(folder: Json) -> str:
    return _read_string(_fields(folder, "a folder"), "uri")


def _range(range_: Json) -> Range:
    fields = _fields(range_, "range")
    return Range(_position(fields.get("start"), "range.start"), _position(fields.get("end"), "range.end"))


def _position(position: Json, name: str) -> Position:
    fields = _fields(position, name)
    return Position(_number(fields.get("line"), f"{name}.line"), _number(fields.get("character"), f"{name}.character"))


def _number(value: Json, name: str, *, least: int = 0) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MAX_NUMBER:
        raise InvalidParams(f"{name} is not a number from {least} to {MAX_NUMBER}")
    return value


def _fields(value: Json, name: str) -> Fields:
    if not isinstance(value, dict):
        raise InvalidParams(f"{name} is not an object")
    return value


def _part(value: Json, name: str) -> Fields:
    return _fields(_fields(value, "params").get(name), name)


def _list(fields: Fields, name: str, read: Callable[[Json], T]) -> tuple[T, ...]:
    values: Sequence[Json] | None = fields.get(name)
    if not isinstance(values, list):
        raise InvalidParams(f"{name} is not an array")
    return tuple(map(read, values))


def _read_string(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise InvalidParams(f"{name} is not a string")
    return value


def _optional_string(fields: Fields, name: str) -> str | None:
    return None if fields.get(name) is None else _read_string(fields, name)


def _string(value: Json) -> str:
    if not isinstance(value, str):
        raise InvalidParams("a kind is not a string")
    return value
