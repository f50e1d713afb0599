"""What this server sends of the types of the Language Server Protocol 3.18, with the names and the order of its fields.

Only what is used is here: a library of the whole protocol takes longer to import than linting the first file. Tests
read every message with such a library. A field that is None is not sent, save for some versions. Numbers are in
`kinds`, and what answers requests for language features in `feature_types`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cache
from typing import Any, Final

from trialrun.lazy_dataclass import dataclass

Json = Any
"""A value of JSON, as the client sent it."""


@dataclass(slots=True)
class Position:
    """A line and a character, both from 0."""

    line: int
    character: int


@dataclass(slots=True)
class Range:
    """A range, its end exclusive."""

    start: Position
    end: Position


@dataclass(slots=True)
class Location:
    """A range of a document."""

    uri: str
    range: Range


@dataclass(slots=True)
class MarkupContent:
    """A text in a format."""

    kind: str
    value: str


@dataclass(slots=True)
class Command:
    """A command of the client, with its title."""

    title: str
    command: str
    arguments: Sequence[Json] | None = None


# ---- diagnostics


@dataclass(slots=True)
class DiagnosticRelatedInformation:
    """A message about another location."""

    location: Location
    message: str


@dataclass(slots=True)
class CodeDescription:
    """The link to the page of a rule."""

    href: str


@dataclass(slots=True)
class Diagnostic:
    """A diagnostic."""

    range: Range
    message: str
    severity: int | None = None
    code: str | None = None
    code_description: CodeDescription | None = None
    source: str | None = None
    tags: Sequence[int] | None = None
    related_information: Sequence[DiagnosticRelatedInformation] | None = None
    data: Json = None


@dataclass(slots=True)
class PublishDiagnosticsParams:
    """The diagnostics of a version of a document."""

    uri: str
    diagnostics: Sequence[Diagnostic]
    version: int | None = None


@dataclass(slots=True)
class DocumentDiagnosticReport:
    """The diagnostics of a document that was asked about."""

    items: Sequence[Diagnostic]
    kind: str = "full"
    result_id: str | None = None


@dataclass(slots=True)
class UnchangedDocumentDiagnosticReport:
    """The diagnostics are those that the client has."""

    result_id: str
    kind: str = "unchanged"


@dataclass(slots=True)
class WorkspaceDocumentDiagnosticReport:
    """The diagnostics of a document of a workspace."""

    uri: str
    items: Sequence[Diagnostic]
    version: int | None = None
    kind: str = "full"
    result_id: str | None = None


@dataclass(slots=True)
class WorkspaceDiagnosticReport:
    """The diagnostics of a workspace."""

    items: Sequence[WorkspaceDocumentDiagnosticReport]


# ---- edits


@dataclass(slots=True)
class TextEdit:
    """A text in place of a range."""

    range: Range
    new_text: str


@dataclass(slots=True)
class StringValue:
    """A snippet: a text with tab stops."""

    value: str
    kind: str = "snippet"


@dataclass(slots=True)
class SnippetTextEdit:
    """A snippet in place of a range."""

    range: Range
    snippet: StringValue


@dataclass(slots=True)
class OptionalVersionedTextDocumentIdentifier:
    """A document, and its version if it is open: None is sent as null."""

    uri: str
    version: int | None


@dataclass(slots=True)
class TextDocumentEdit:
    """Edits of a version of a document."""

    text_document: OptionalVersionedTextDocumentIdentifier
    edits: Sequence[TextEdit | SnippetTextEdit]


@dataclass(slots=True)
class CreateFileOptions:
    """What to do if the file exists."""

    ignore_if_exists: bool


@dataclass(slots=True)
class CreateFile:
    """A new file."""

    uri: str
    kind: str = "create"
    options: CreateFileOptions | None = None


@dataclass(slots=True)
class WorkspaceEdit:
    """Edits of several documents, in one of two forms."""

    changes: Mapping[str, Sequence[TextEdit]] | None = None
    document_changes: Sequence[CreateFile | TextDocumentEdit] | None = None


# ---- what the client is told and asked


@dataclass(slots=True)
class ShowMessageParams:
    """A message for the user."""

    type: int
    message: str


@dataclass(slots=True)
class ShowDocumentParams:
    """A document for the user."""

    uri: str
    take_focus: bool | None = None


@dataclass(slots=True)
class Registration:
    """Something that the client is asked to report."""

    id: str
    method: str
    register_options: Mapping[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class RegistrationParams:
    """What the client is asked to report."""

    registrations: Sequence[Registration]


@dataclass(slots=True)
class WorkDoneProgressBegin:
    """Work begins."""

    title: str
    kind: str = "begin"
    cancellable: bool | None = None
    message: str | None = None
    percentage: int | None = None


@dataclass(slots=True)
class WorkDoneProgressReport:
    """Work goes on."""

    kind: str = "report"
    message: str | None = None
    percentage: int | None = None


@dataclass(slots=True)
class WorkDoneProgressEnd:
    """Work has ended."""

    kind: str = "end"


NULL_VERSIONS: Final = frozenset({"OptionalVersionedTextDocumentIdentifier", "WorkspaceDocumentDiagnosticReport"})
"""Types whose version is sent as null if it is not known."""


def to_json(value: object) -> dict[str, Any]:
    """The fields of a value of the protocol, by their names in JSON; for `default` of `json.dumps`."""
    kind: Any = type(value)
    present = ((key, getattr(value, name)) for name, key in _names(kind))
    has_null = kind.__name__ in NULL_VERSIONS
    return {key: part for key, part in present if part is not None or (has_null and key == "version")}


@cache
def _names(kind: type) -> tuple[tuple[str, str], ...]:
    """The fields of a type, each with its name in JSON."""
    slots: tuple[str, ...] = kind.__slots__  # type: ignore[attr-defined]
    return tuple((name, _camel_case(name)) for name in slots)


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)
