"""Questions of the client: what it asks, put to a feature, and the answer as it came."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified, JsonRpcException

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.ipc.messages import Fault, Gone
from trialrun.lsp.results import CannotRename
from trialrun.lsp.server.text_documents import OpenFile, Shown

if TYPE_CHECKING:
    from trialrun.lsp.server.language_server import Server

REFUSED = -32803
"""The code of the protocol for a request that is understood and cannot be carried out."""
LASTING = frozenset({"completion", "documentation", "hover"})
"""Questions whose answer is of use when the text has changed since: the others place it in the text as it was."""
Further = Any
"""An argument of a feature, or a function that gives it for the open file."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of a feature about an open file; `shown` are the files as the answer names them."""

    opened: OpenFile
    value: Any
    shown: Shown


async def asked(
    server: Server, name: str, document: types.TextDocumentIdentifier, *further: Further, **named: Any
) -> Answered | None:
    """The answer of a feature about an open file; None where there is none, as when a fault of ours has been told.

    Raises ContentModified where the text has changed since, and the answer is of no use for the new one.
    """
    opened = server.files.at(document.uri)
    if opened is None:
        return None
    arguments = tuple(one(opened) if callable(one) else one for one in further)
    answer = await _answer(server, name, opened, arguments, named)
    now = server.files.of(opened.file)
    if name not in LASTING and (now is None or now.revision != opened.revision):
        raise JsonRpcContentModified("the text has changed; ask again")
    if not named:
        server.refreshing.note(name, opened, arguments, answer)
    shown = Shown(server.files, server.folders.of(opened.file).file_of)
    return None if answer is None else Answered(opened, answer, shown)


async def _answer(
    server: Server, name: str, opened: OpenFile, arguments: tuple[Any, ...], named: dict[str, Any]
) -> Any:
    worker = server.folders.of(opened.file)
    try:
        return await asyncio.wrap_future(worker.ask(name, opened.file, *arguments, **named))
    except CannotRename as error:
        raise JsonRpcException(str(error), REFUSED) from error
    except Gone as error:
        raise JsonRpcContentModified(str(error)) from error
    except Fault:
        return None


def offset_of(position: types.Position) -> Callable[[OpenFile], int]:
    """The offset of a position in the text that is asked about."""
    return lambda opened: opened.counted.offset((position.line, position.character))


def offsets_of(positions: Sequence[types.Position]) -> Callable[[OpenFile], tuple[int, ...]]:
    """The offsets of positions in the text that is asked about."""
    return lambda opened: tuple(offset_of(one)(opened) for one in positions)
