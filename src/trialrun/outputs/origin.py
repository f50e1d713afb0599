"""What results have in common: places in files, origins of values, and errors of documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.runtime.channel_config.active_config import ConfigOrigin
from trialrun.serialization import FilePath, LineNumber
from trialrun.values.resource_name import last_id

if TYPE_CHECKING:
    from trialrun import diagnostic
    from trialrun.runtime.declaration import DeclaredStore


Severity = Literal["error", "warning", "note"]

Moment = Annotated[str, Field(description="RFC 3339")]
Assumptions = Annotated[
    list[str], Field(description="ids of the assumptions that the result depends on; see trialrun explain ID")
]


class Position(TypedDict):
    """A position in a text."""

    line: LineNumber
    column: Annotated[int, Field(ge=1, description="counted from 1, in Unicode code points")]


class Range(TypedDict):
    """A part of a text."""

    start: Position
    end: Annotated[Position, Field(description="exclusive")]


class DocumentError(TypedDict):
    """An error in a document that prevents a result."""

    path: FilePath
    line: LineNumber
    message: str


class RuleError(DocumentError):
    """An error in a document, with its rule."""

    rule: str


MaybeSourced = TypedDict("MaybeSourced", {"from": NotRequired[ConfigOrigin]})


def errors_object(errors: Sequence[diagnostic.Diagnostic]) -> list[dict[str, Any]]:
    """Errors in documents, each with its rule, file and line."""
    return [
        {"rule": error.rule, "path": error.path, "line": error.range.start.line, "message": error.message}
        for error in errors
    ]


def document_errors(errors: Sequence[diagnostic.Diagnostic]) -> list[dict[str, Any]]:
    """Errors in documents that prevent a result, each with its file and line."""
    return [{"path": error.path, "line": error.range.start.line, "message": error.message} for error in errors]


def store_titles(stores: Sequence[DeclaredStore]) -> dict[str, str]:
    """What stores are called, by name: their ids, or their names where another store has that id."""
    counts = Counter(last_id(store.name) for store in stores)
    ids = ((store.name, last_id(store.name)) for store in stores)
    return {name: id if counts[id] == 1 else name for name, id in ids}
