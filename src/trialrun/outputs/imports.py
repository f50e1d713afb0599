"""What `import` prints as JSON, and the result that it is made of."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun import diagnostic
from trialrun.importers import interface
from trialrun.importers.write import Outcome, WrittenFile
from trialrun.outputs.origin import Severity
from trialrun.report.color import Paint, painter
from trialrun.report.diff import unified_diff
from trialrun.serialization import FilePath, LineNumber
from trialrun.working_folder import display_path


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
        Outcome,
        Field(description="`left`: the file was edited since it was imported, and is not changed"),
    ]
    reason: NotRequired[Annotated[str, Field(description="why it is left, if it is no regular file")]]
    diff: NotRequired[Annotated[str, Field(description="what the import would change in a file that is left")]]
    place: InputPlace


class ImportNote(TypedDict):
    """What the documents lack or may have wrong."""

    kind: interface.NoteKind
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


MAX_DIFF_LENGTH = 500_000
"""Characters of the two texts of a diff."""


@dataclass(frozen=True)
class ImportResult:
    """What an import wrote below a folder, what it could not take over, and what a check finds in the files."""

    folder: str
    imported: interface.Imported
    files: Sequence[WrittenFile]
    findings: Sequence[tuple[diagnostic.Diagnostic, interface.InputPlace]]

    @property
    def has_problems(self) -> bool:
        """Whether a file was left alone, or a check finds an error.

        What no input of an import can say is none: that a Source names no rows, which is noted as unresolved.
        """
        errors = (found for found, _ in self.findings if found.severity is diagnostic.Severity.ERROR)
        others = ((error.rule, error.pointer) != ("invalid-source-place", "/uri") for error in errors)
        return any(file.outcome == "left" for file in self.files) or any(others)

    def path(self, file: WrittenFile) -> str:
        """The path of a file for people."""
        return display_path(os.path.join(self.folder, *file.path.split("/")))


def import_json(result: ImportResult) -> dict[str, Any]:
    """What `trialrun import --output-format json` prints."""
    return {
        "version": 1,
        "files": [_file_json(file, result) for file in result.files],
        "notes": [
            {"kind": note.kind, "message": note.message, "place": _place_json(note.place)}
            for note in result.imported.notes
        ],
        "findings": [
            {
                "rule": found.rule,
                "severity": found.severity.word,
                "message": found.message,
                "path": found.path,
                "pointer": found.pointer,
                "place": _place_json(place),
            }
            for found, place in result.findings
        ],
    }


def _file_json(file: WrittenFile, result: ImportResult) -> dict[str, Any]:
    diff = "".join(left_diff(file, result.path(file), painter(color=False)))
    return {
        "path": result.path(file),
        "kind": file.document.kind,
        "resource": file.document.resource,
        "outcome": file.outcome,
        **({"reason": file.reason} if file.reason else {}),
        **({"diff": diff} if diff else {}),
        "place": _place_json(file.document.place),
    }


def left_diff(file: WrittenFile, path: str, paint: Paint) -> Iterator[str]:
    """The unified diff between a file that is left alone and what the import would write; none for very long texts."""
    if file.outcome == "left" and not file.reason and len(file.before) + len(file.after) <= MAX_DIFF_LENGTH:
        yield from unified_diff(path, file.before, file.after, paint=paint)


def _place_json(place: interface.InputPlace) -> InputPlace:
    if place.line is not None:
        return {"file": place.file, "line": place.line}
    return {"file": place.file, "document": place.document, "pointer": place.pointer}
