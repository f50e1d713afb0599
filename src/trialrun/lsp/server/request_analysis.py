"""Send a request of the client to the analysis process of its document, and wait for the result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.ipc.messages import InternalError, ServerCancelled
from trialrun.lsp.results import CannotRename
from trialrun.lsp.server.json_rpc import ContentModified, RequestFailed
from trialrun.lsp.server.session import Session
from trialrun.lsp.server.text_documents import DisplayPaths, TextDocument
from trialrun.lsp.server.types import Position

POSITION_INDEPENDENT = frozenset({"completion", "completion_resolve", "hover"})
"""Features whose result is useful even if the text has changed since: the others have positions in the old text."""
Argument = Any
"""An argument of a feature, or a function that computes it for the document."""


@dataclass(frozen=True, slots=True)
class AnalysisResult:
    """The result of a feature for a document; `paths` resolves the displayed paths in it."""

    document: TextDocument
    value: Any
    paths: DisplayPaths


async def request_analysis(
    session: Session, feature: str, uri: str, *arguments: Argument, **keywords: Any
) -> AnalysisResult | None:
    """The result of a feature for an open document; None if there is none, or after an internal error.

    Raises ContentModified if the text has changed since and the result is of no use for the new one.
    """
    document = session.documents.at(uri)
    if document is None:
        return None
    values = tuple(argument(document) if callable(argument) else argument for argument in arguments)
    value = await _request(session, feature, document, values, keywords)
    now = session.documents.of(document.file)
    if feature not in POSITION_INDEPENDENT and (now is None or now.revision != document.revision):
        raise ContentModified("the document has changed; ask again")
    if not keywords:
        session.refresher.record(feature, document, values, value)
    paths = DisplayPaths(session.documents, session.folders.of(document.file).absolute_path)
    return None if value is None else AnalysisResult(document, value, paths)


async def _request(
    session: Session, feature: str, document: TextDocument, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    supervisor = session.folders.of(document.file)
    try:
        return await asyncio.wrap_future(supervisor.request(feature, document.file, *arguments, **keywords))
    except CannotRename as error:
        raise RequestFailed(str(error)) from error
    except ServerCancelled as error:
        raise ContentModified(str(error)) from error
    except InternalError:
        return None


def offset_of(position: Position) -> Callable[[TextDocument], int]:
    """The offset of a position in the document."""
    return lambda document: document.mapper.offset((position.line, position.character))
