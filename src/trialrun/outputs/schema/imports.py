"""What `import` prints as JSON."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.outputs.schema.checks import FilePath, LineNumber, Severity


class InputPlace(TypedDict):
    """A place in an input file: a value of one of its documents, or a line."""

    file: FilePath
    document: NotRequired[Annotated[int, Field(ge=0, description="the index of the document in the file, from 0")]]
    pointer: NotRequired[Annotated[str, Field(description="JSON Pointer from the root of the document")]]
    line: NotRequired[LineNumber]


class ImportedFile(TypedDict):
    """A file of the import."""

    path: FilePath
    kind: str
    resource: Annotated[str, Field(description="the name of the resource, or what else identifies it")]
    outcome: Annotated[
        Literal["created", "updated", "unchanged", "left"],
        Field(description="`left`: the file was edited since it was imported, and is not changed"),
    ]
    reason: NotRequired[Annotated[str, Field(description="why it is left, if it is no regular file")]]
    diff: NotRequired[Annotated[str, Field(description="what the import would change in a file that is left")]]
    place: InputPlace


class ImportNote(TypedDict):
    """What the documents lack or may have wrong."""

    kind: Literal["dropped", "unresolved", "guessed"]
    message: str
    place: InputPlace


class ImportFinding(TypedDict):
    """What a check finds in a file of the import, and the place in the input that it comes from."""

    rule: str
    severity: Severity
    message: str
    path: FilePath
    pointer: Annotated[str, Field(description="JSON Pointer from the root of the document")]
    place: InputPlace


class ImportOutput(TypedDict):
    """`trialrun import --output-format json`."""

    version: Literal[1]
    files: Annotated[list[ImportedFile], Field(description="sorted by path")]
    notes: list[ImportNote]
    findings: list[ImportFinding]
