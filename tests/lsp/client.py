"""An editor as tests drive it: a client of another hand, sessions of it, and places as it counts them."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from tests.program import own_environment

LIMIT = 90
"""Seconds that a message is waited for: it comes in well under one, save on a machine that is very busy."""
REFRESHES = (types.WORKSPACE_INLAY_HINT_REFRESH, types.WORKSPACE_CODE_LENS_REFRESH, types.WORKSPACE_DIAGNOSTIC_REFRESH)
PUBLISH = types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS


class Editor:
    """A client with one folder open."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client = client
        self.folder = folder
        self.workspace_folders: Sequence[Path] = ()
        self.versions: dict[str, int] = {}
        self.published: dict[str, list[types.PublishDiagnosticsParams]] = {}
        self.heard: list[str] = []
        self.news = asyncio.Condition()

    def uri(self, name: str) -> str:
        """The address of a file of the folder."""
        return Path(os.path.normpath(self.folder / name)).as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        """A file of the folder, as questions name it."""
        return types.TextDocumentIdentifier(self.uri(name))

    def open(self, name: str, text: str | None = None) -> None:
        """Open a file, with its text on disk or another."""
        text = (self.folder / name).read_text(encoding="utf-8") if text is None else text
        self.versions[name] = 1
        item = types.TextDocumentItem(self.uri(name), types.LanguageKind.Yaml, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))

    def change(self, name: str, *changes: types.TextDocumentContentChangeEvent) -> None:
        """Change an open file."""
        self.versions[name] += 1
        named = types.VersionedTextDocumentIdentifier(uri=self.uri(name), version=self.versions[name])
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(named, list(changes)))

    def write(self, name: str, text: str) -> None:
        """Put a whole text in place of that of an open file."""
        self.change(name, types.TextDocumentContentChangeWholeDocument(text))

    def close(self, name: str) -> None:
        """Close a file."""
        self.client.text_document_did_close(types.DidCloseTextDocumentParams(self.document(name)))
        self.versions.pop(name)

    def move_to(self, folder: Path, workspace_folders: Sequence[Path]) -> None:
        """Open folders at or below one in place of those before, in the same server, and forget what was heard of them.

        Names of files are from that folder.
        """
        self.published.clear()
        self.heard.clear()
        self.client.messages.clear()
        self.folder, self.workspace_folders = folder, workspace_folders
        self.client.workspace_did_change_workspace_folders(_folder_change(added=workspace_folders))

    def leave(self) -> None:
        """Close all files of the folders, and the folders."""
        for name in [*self.versions]:
            self.close(name)
        self.client.workspace_did_change_workspace_folders(_folder_change(removed=self.workspace_folders))

    async def findings(self, name: str, *rules: str) -> Sequence[types.Diagnostic]:
        """The findings of a file as it is, once they are of these rules, in this order."""

        def are_there() -> bool:
            last = self.published.get(self.uri(name), [])[-1:]
            return bool(last) and last[0].version == self.versions[name] and rules_of(last[0].diagnostics) == rules

        await self.until(are_there, lambda: f"{name}: {self._described(name)} instead of {rules}")
        return self.published[self.uri(name)][-1].diagnostics

    async def until(self, happens: Callable[[], bool], else_: Callable[[], str]) -> None:
        """Wait until something holds, looked at when a message comes."""
        try:
            async with self.news:
                await asyncio.wait_for(self.news.wait_for(happens), LIMIT)
        except TimeoutError:
            raise AssertionError(else_()) from None

    async def heard_of(self, method: str, times: int = 1) -> None:
        """Wait until the server has asked for something so many times."""
        await self.until(lambda: self.heard.count(method) >= times, lambda: f"{method} among {self.heard}")

    async def hear(self, method: str = "") -> None:
        """A message came."""
        self.heard.append(method)
        async with self.news:
            self.news.notify_all()

    def _described(self, name: str) -> str:
        return str([rules_of(diagnostic.diagnostics) for diagnostic in self.published.get(self.uri(name), [])])


def rules_of(found: Sequence[types.Diagnostic]) -> tuple[str, ...]:
    """The rules of findings, in their order."""
    return tuple(str(one.code) for one in found)


def able(*encodings: types.PositionEncodingKind, **text_document: Any) -> types.ClientCapabilities:
    """What a client can do: count in some encodings, the best first, and more."""
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=list(encodings) or None),
        text_document=types.TextDocumentClientCapabilities(**text_document),
    )


def _folder_change(added: Sequence[Path] = (), removed: Sequence[Path] = ()) -> types.DidChangeWorkspaceFoldersParams:
    def named(folders: Sequence[Path]) -> list[types.WorkspaceFolder]:
        return [types.WorkspaceFolder(uri=folder.as_uri(), name=folder.name) for folder in folders]

    return types.DidChangeWorkspaceFoldersParams(
        types.WorkspaceFoldersChangeEvent(added=named(added), removed=named(removed))
    )


def _noted(editor: Editor, method: str) -> Callable[[Any], Awaitable[None]]:
    async def note(params: Any) -> None:
        await editor.hear(method)

    return note


@asynccontextmanager
async def edited(
    folder: Path,
    capabilities: types.ClientCapabilities | None = None,
    *arguments: str,
    change: str = "",
    **parameters: Any,
) -> AsyncIterator[Editor]:
    """An editor that has a folder open, and its server, or one with a change; it must end well."""
    client = LanguageClient(converter_factory=default_converter)
    own = (PUBLISH, types.WINDOW_SHOW_MESSAGE, types.WORKSPACE_DIAGNOSTIC_REFRESH)
    register_lsp_features(client, {name: deed for name, deed in DEFAULT_CLIENT_FEATURES.items() if name not in own})
    editor = Editor(client, folder)

    @client.feature(PUBLISH)
    async def publish(params: types.PublishDiagnosticsParams) -> None:
        editor.published.setdefault(params.uri, []).append(params)
        await editor.hear()

    @client.feature(types.WINDOW_SHOW_MESSAGE)
    async def show(params: types.ShowMessageParams) -> None:
        client.messages.append(params)
        await editor.hear()

    for method in REFRESHES:
        client.feature(method)(_noted(editor, method))

    environment = own_environment(folder)
    if change:  # Python runs it at the start of each process
        changed = Path(mkdtemp(dir=os.environ["TRIALRUN_STATE_DIR"]))
        (changed / "sitecustomize.py").write_text(change)
        environment["PYTHONPATH"] += f"{os.pathsep}{changed}"
    words = [sys.executable, "-m", "trialrun", "lsp", *arguments]
    await client.start_io(*words, env=environment, cwd=str(folder.parent))
    try:
        opened = {"root_uri": folder.as_uri(), **parameters}
        params = types.InitializeParams(capabilities=capabilities or types.ClientCapabilities(), **opened)
        await asyncio.wait_for(client.initialize_session(params), LIMIT)
        yield editor
        await asyncio.wait_for(client.shutdown_session(), LIMIT)
        assert client._server is not None
        assert client._server.returncode == 0
    finally:
        if client._server is not None and client._server.returncode is None:
            client._server.kill()
        await client.stop()


ENCODINGS = {
    "utf-8": types.PositionEncodingKind.Utf8,
    "utf-16": types.PositionEncodingKind.Utf16,
    "utf-32": types.PositionEncodingKind.Utf32,
}
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
HASTY = "from trialrun.lsp.server import diagnostics, session; diagnostics.QUIET_PERIOD = session.QUIET_PERIOD = 0.05"
"""The change of a server that takes a short time without messages for a quiet one."""
BREAK = re.compile(r"\r\n|\n|\r")
Session = Callable[[Editor], Awaitable[None]]


def play(session: Session, folder: Path, capabilities: types.ClientCapabilities | None = None, **further: Any) -> None:
    """Let an editor with a folder play a session."""

    async def played() -> None:
        async with edited(folder, capabilities, **further) as editor:
            await session(editor)

    asyncio.run(played())


@dataclass
class SharedServer:
    """A server that several tests use, one after the other, each with a folder of its own."""

    loop: asyncio.AbstractEventLoop
    session: AbstractAsyncContextManager[Editor]
    editor: Editor

    def play(self, session: Session, folder: Path, workspace_folders: Sequence[Path]) -> None:
        """Let the editor play a session in a folder."""
        self.loop.run_until_complete(self._played(session, folder, workspace_folders))

    def end(self) -> None:
        """End the server, which must end well."""
        self.loop.run_until_complete(self.session.__aexit__(None, None, None))
        self.loop.close()

    async def _played(self, session: Session, folder: Path, workspace_folders: Sequence[Path]) -> None:
        self.editor.move_to(folder, workspace_folders)
        await session(self.editor)
        self.editor.leave()


_shared: dict[str, SharedServer] = {}


def play_shared(
    session: Session,
    folder: Path,
    capabilities: types.ClientCapabilities | None = None,
    workspace_folders: Sequence[Path] | None = None,
    **further: Any,
) -> None:
    """Let an editor play a session with a server that other tests use too: its start is not tested.

    It has a folder open, or those of the workspace alone. `further` is how it is started. Its quiet periods are short.
    """
    key = repr((capabilities, further))
    server = _shared.pop(key, None) or _started(capabilities, **further)
    try:
        server.play(session, folder, [folder] if workspace_folders is None else workspace_folders)
    except BaseException:  # the next test gets another server, since nobody knows what this one has open
        with suppress(Exception):
            server.end()
        raise
    _shared[key] = server


def end_shared() -> None:
    """End the servers that tests used."""
    while _shared:
        _shared.popitem()[1].end()


def _started(capabilities: types.ClientCapabilities | None, **further: Any) -> SharedServer:
    loop = asyncio.new_event_loop()
    session = edited(
        Path(mkdtemp(dir=os.environ["TRIALRUN_STATE_DIR"])), capabilities, root_uri=None, change=HASTY, **further
    )
    return SharedServer(loop, session, loop.run_until_complete(session.__aenter__()))


def able_to(encoding: str = "utf-16", **workspace: Any) -> types.ClientCapabilities:
    """A client that can do all that matters here, and counts in an encoding."""
    refresh = {"refresh_support": True}
    return types.ClientCapabilities(
        general=types.GeneralClientCapabilities(position_encodings=[ENCODINGS[encoding]]),
        text_document=types.TextDocumentClientCapabilities(
            publish_diagnostics=types.PublishDiagnosticsClientCapabilities(
                related_information=True, code_description_support=True, version_support=True
            ),
            document_symbol=types.DocumentSymbolClientCapabilities(hierarchical_document_symbol_support=True),
            rename=types.RenameClientCapabilities(prepare_support=True),
        ),
        workspace=types.WorkspaceClientCapabilities(
            inlay_hint=types.InlayHintWorkspaceClientCapabilities(**refresh),
            code_lens=types.CodeLensWorkspaceClientCapabilities(**refresh),
            **workspace,
        ),
        window=types.WindowClientCapabilities(
            work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
        ),
    )


def pulling() -> types.ClientCapabilities:
    """A client that asks for findings."""
    return types.ClientCapabilities(
        text_document=types.TextDocumentClientCapabilities(diagnostic=types.DiagnosticClientCapabilities()),
        workspace=types.WorkspaceClientCapabilities(
            diagnostics=types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)
        ),
    )


def place(text: str, offset: int, encoding: str) -> types.Position:
    """The position of an offset in a text."""
    starts = [0, *(match.end() for match in BREAK.finditer(text) if match.end() <= offset)]
    codec, size = CODECS[encoding]
    return types.Position(len(starts) - 1, len(text[starts[-1] : offset].encode(codec)) // size)


def at(text: str, words: str, encoding: str, *, after: int = 0) -> types.Position:
    """The position of the first of some words in a text, or of so many characters into them."""
    return place(text, text.index(words) + after, encoding)


def offset(text: str, position: types.Position, encoding: str) -> int:
    """The offset of a position in a text."""
    starts = [0, *(match.end() for match in BREAK.finditer(text))]
    line = BREAK.split(text)[position.line]
    codec, size = CODECS[encoding]
    return starts[position.line] + len(line.encode(codec)[: position.character * size].decode(codec))


def covered(text: str, range_: types.Range, encoding: str) -> str:
    """What a range of a text covers."""
    return text[offset(text, range_.start, encoding) : offset(text, range_.end, encoding)]


def after(text: str, edits: Iterable[Any], encoding: str) -> str:
    """A text after edits that are made at once."""
    whole = [(offset(text, edit.range.start, encoding), offset(text, edit.range.end, encoding), edit) for edit in edits]
    for start, end, one in sorted(whole, key=lambda edit: edit[:2], reverse=True):
        text = text[:start] + one.new_text + text[end:]
    return text
