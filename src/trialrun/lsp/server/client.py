"""What the client can do, its options, and the shapes of the parameters that it sends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from trialrun.lsp.analysis.options import DEFAULT_DEBOUNCE
from trialrun.lsp.server.json_rpc import InvalidParams, Json
from trialrun.lsp.server.text_documents import Encoding

TRIGGER_CHARACTERS = (" ", ":", ".", "/", '"', "'", "[", "{", ",", "=", "*", "-", "&", "|")
"""Characters after which a client asks for completions."""
EXPLAIN_COMMAND = "trialrun.explain"
INCREMENTAL_SYNC: Final = 2
"""Documents are synchronized by changes."""
ADJUST_INDENTATION: Final = 2
"""The insert text mode in which the client indents the lines of a text."""


Ability = (
    Literal["inlay_hint", "code_lens", "diagnostics", "pulls", "links", "versions", "creates_files", "has_tab_stops"]
    | Literal["shows_disabled", "nests_symbols", "prepares_rename", "shows_documents", "shows_progress"]
    | Literal["has_settings", "watches_settings", "watches_files", "snippets", "completion_tags"]
    | Literal["has_default_range", "has_insert_replace", "adjusts_indentation", "shows_markdown", "shows_plain_text"]
)
"""What a client can do; the first three are what it can be asked to refresh."""
_EDIT, _TEXT = "workspace.workspaceEdit", "textDocument"
_ITEM, _LIST = f"{_TEXT}.completion.completionItem", f"{_TEXT}.completion.completionList"
CAPABILITIES: Final[Mapping[Ability, str]] = {
    "inlay_hint": "workspace.inlayHint.refreshSupport",
    "code_lens": "workspace.codeLens.refreshSupport",
    "diagnostics": "workspace.diagnostics.refreshSupport",
    "pulls": f"{_TEXT}.diagnostic",
    "links": f"{_TEXT}.publishDiagnostics.codeDescriptionSupport {_TEXT}.diagnostic.codeDescriptionSupport",
    "versions": f"{_EDIT}.documentChanges",
    "creates_files": f"{_EDIT}.resourceOperations=create",
    "has_tab_stops": f"{_EDIT}.snippetEditSupport",
    "shows_disabled": f"{_TEXT}.codeAction.disabledSupport",
    "nests_symbols": f"{_TEXT}.documentSymbol.hierarchicalDocumentSymbolSupport",
    "prepares_rename": f"{_TEXT}.rename.prepareSupport",
    "shows_documents": "window.showDocument.support",
    "shows_progress": "window.workDoneProgress",
    "has_settings": "workspace.configuration",
    "watches_settings": "workspace.didChangeConfiguration.dynamicRegistration",
    "watches_files": "workspace.didChangeWatchedFiles.dynamicRegistration",
    "snippets": f"{_ITEM}.snippetSupport",
    "completion_tags": f"{_ITEM}.tagSupport",
    "has_default_range": f"{_LIST}.itemDefaults=editRange",
    "has_insert_replace": f"{_ITEM}.insertReplaceSupport",
    "shows_markdown": f"{_TEXT}.hover.contentFormat=markdown {_ITEM}.documentationFormat=markdown",
    "shows_plain_text": f"{_TEXT}.hover.contentFormat=plaintext {_ITEM}.documentationFormat=plaintext",
    "adjusts_indentation": f"{_ITEM}.insertTextModeSupport.valueSet={ADJUST_INDENTATION}",
}
"""The capabilities of the protocol, any of which makes an ability; `=` is before an element of a list."""
NEEDED: Final[Mapping[Ability, Ability]] = {
    "pulls": "diagnostics",  # another file may change them
    "creates_files": "versions",
    "has_tab_stops": "versions",
}
"""The abilities without which others are of no use."""


def client_capabilities(capabilities: Mapping[str, Any]) -> frozenset[Ability]:
    """The abilities of a client, by the capabilities that it sent."""
    own = {
        ability for ability, paths in CAPABILITIES.items() if any(_has(capabilities, path) for path in paths.split())
    }
    return frozenset(ability for ability in own if NEEDED.get(ability, ability) in own)


def _has(capabilities: Mapping[str, Any], path: str) -> bool:
    names, _, element = path.partition("=")
    value = _nested(capabilities, names)
    return element in map(str, _array(value)) if element else value not in (None, False)


def position_encoding(capabilities: Mapping[str, Any]) -> Encoding:
    """The first encoding of positions that a client offers and this server knows."""
    for encoding in _array(_nested(capabilities, "general.positionEncodings")):
        if encoding in ("utf-8", "utf-16", "utf-32"):
            chosen: Encoding = encoding
            return chosen
    return "utf-16"


def server_capabilities(client: frozenset[Ability], encoding: Encoding) -> Mapping[str, Any]:
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
        "renameProvider": {"prepareProvider": True} if "prepares_rename" in client else True,
        "foldingRangeProvider": True,
        "executeCommandProvider": {"commands": [EXPLAIN_COMMAND]},
        "inlayHintProvider": {"resolveProvider": False},
        **({"diagnosticProvider": diagnostics} if "pulls" in client else {}),
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}, "fileOperations": {}},
    }


def _array(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _nested(capabilities: Any, names: str) -> Any:
    for name in names.split("."):
        capabilities = capabilities.get(name) if isinstance(capabilities, dict) else None
    return capabilities


MAX_DEBOUNCE = 10.0


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """Options of the editor. `terminal` is a command of the client that runs a command line, empty without one.

    `workspace_diagnostics` says whether diagnostics of files that are not open are shown; None: if the client
    requests them.
    """

    debounce: float = DEFAULT_DEBOUNCE
    cache: bool = True
    inlay_hints: bool = True
    code_lenses: bool = True
    workspace_diagnostics: bool | None = None
    terminal: str = ""


def apply_client_options(before: ClientOptions, settings: Any) -> tuple[ClientOptions, list[str]]:
    """The options with the settings of an editor, and error messages; unknown settings are ignored."""
    errors: list[str] = []
    after = before
    for name, value in option_mapping(settings).items():
        option = OPTIONS.get(name)
        if option is None or value is None:
            continue
        field, read = option
        try:
            after = replace(after, **{field: read(value)})
        except ValueError as error:
            errors.append(f"the setting trialrun.{name} is {value!r}; {error}")
    return after, errors


def option_mapping(settings: Any) -> Mapping[str, Any]:
    """The settings by name, unwrapped from a `trialrun` section; empty for anything else."""
    if not isinstance(settings, Mapping):
        settings = getattr(settings, "_asdict", dict)()
    own = settings.get("trialrun")
    return option_mapping(own) if own is not None and not isinstance(own, str | int) else settings


def _parse_bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError("write true or false")
    return value


def _parse_debounce(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_DEBOUNCE * 1000:
        raise ValueError(f"write milliseconds, from 0 to {MAX_DEBOUNCE * 1000:.0f}")
    return value / 1000


def _parse_command(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("write the name of a command")
    return value


OPTIONS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "pause": ("debounce", _parse_debounce),
    "cache": ("cache", _parse_bool),
    "inlayHints": ("inlay_hints", _parse_bool),
    "codeLenses": ("code_lenses", _parse_bool),
    "workspaceFindings": ("workspace_diagnostics", _parse_bool),
    "terminalCommand": ("terminal", _parse_command),
}
"""The options by their names in editors, below `trialrun`."""


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
