"""What clients send with requests and notifications, by method: the parts that are read, each with its shape.

A shape is a dictionary with a shape for each field, a list with the one of its items, a range of whole numbers, a type,
or `object` for any value; a pair of a shape and None may be null, too. A field whose name ends in `?` may be left out.
Handlers take checked parameters as the protocol has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from trialrun.lsp.server.json_rpc import InvalidParams, Json

Params = Mapping[str, Any]
MAX_NUMBER = 2**31 - 1
"""The largest `uinteger` of the protocol."""
_NUMBER = range(MAX_NUMBER + 1)
_VERSION = range(-MAX_NUMBER - 1, MAX_NUMBER + 1)
_NAMES = {str: "a string", bool: "a boolean"}
_POSITION = {"line": _NUMBER, "character": _NUMBER}
_RANGE = {"start": _POSITION, "end": _POSITION}
_DOCUMENT = {"textDocument": {"uri": str}}
_AT = {**_DOCUMENT, "position": _POSITION}
_FOLDERS = [{"uri": str}]

SHAPES: Final[Mapping[str, Any]] = {
    "initialize": {
        "capabilities": {},
        "initializationOptions?": object,
        "workspaceFolders?": (_FOLDERS, None),
        "rootUri?": (str, None),
        "rootPath?": (str, None),
    },
    "textDocument/didOpen": {"textDocument": {"uri": str, "languageId": str, "version": _VERSION, "text": str}},
    "textDocument/didChange": {
        "textDocument": {"uri": str, "version": _VERSION},
        "contentChanges": [{"range?": _RANGE, "text": str}],
    },
    "textDocument/didSave": _DOCUMENT,
    "textDocument/didClose": _DOCUMENT,
    "workspace/didChangeWatchedFiles": {"changes": [{"uri": str}]},
    "workspace/didChangeConfiguration": {"settings?": object},
    "workspace/didChangeWorkspaceFolders": {"event": {"added": _FOLDERS, "removed": _FOLDERS}},
    "workspace/diagnostic": {"previousResultIds": [{"uri": str, "value": str}]},
    "workspace/executeCommand": {"command": str, "arguments?": ([object], None)},
    "workspace/symbol": {"query": str},
    "completionItem/resolve": {"label": str},
    "textDocument/codeAction": {**_DOCUMENT, "range": _RANGE, "context": {"diagnostics": [{}], "only?": ([str], None)}},
    "textDocument/codeLens": _DOCUMENT,
    "textDocument/completion": _AT,
    "textDocument/definition": _AT,
    "textDocument/diagnostic": {**_DOCUMENT, "previousResultId?": (str, None)},
    "textDocument/documentSymbol": _DOCUMENT,
    "textDocument/foldingRange": _DOCUMENT,
    "textDocument/hover": _AT,
    "textDocument/inlayHint": {**_DOCUMENT, "range": _RANGE},
    "textDocument/prepareRename": _AT,
    "textDocument/references": {**_AT, "context": {"includeDeclaration": bool}},
    "textDocument/rename": {**_AT, "newName": str},
}
"""Methods that are not named here have parameters that do not matter."""


def check_params(method: str, params: Json) -> Params:
    """The parameters of a method, as they are. Raises InvalidParams if they do not have its shape."""
    _check(params, SHAPES.get(method, object), "params")
    checked: Params = params
    return checked


def _check(value: Json, shape: Any, name: str) -> None:
    """Compare a value with a shape; `name` leads to it."""
    prefix = "" if name == "params" else f"{name}."
    if isinstance(shape, tuple):
        if value is not None:
            _check(value, shape[0], name)
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            raise InvalidParams(f"{name} is not an object")
        for key, part in shape.items():
            field = key.removesuffix("?")
            if field == key or field in value:
                _check(value.get(field), part, f"{prefix}{field}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            raise InvalidParams(f"{name} is not an array")
        for index, item in enumerate(value):
            _check(item, shape[0], f"{name}[{index}]")
    elif isinstance(shape, range):
        if not isinstance(value, int) or isinstance(value, bool) or value not in shape:
            raise InvalidParams(f"{name} is not a number from {shape.start} to {shape.stop - 1}")
    elif not isinstance(value, shape):
        raise InvalidParams(f"{name} is not {_NAMES[shape]}")
