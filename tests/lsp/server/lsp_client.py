"""A session of an editor, and places of texts as a client counts them, worked out here once more."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from lsprotocol import types

from tests.lsp.client import Editor, edited

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
