"""The result of an import, and its JSON."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from trialrun.diagnostic import Severity
from trialrun.display_path import display_path
from trialrun.importers.interface import Imported, InputPlace
from trialrun.importers.write import ImportFinding, WrittenFile
from trialrun.lazy_dataclass import dataclass
from trialrun.report.color import Paint, painter
from trialrun.report.diff import unified_diff

MAX_DIFF_LENGTH = 500_000
"""Characters of the two texts of a diff."""
PLAIN = painter(color=False)


@dataclass(frozen=True)
class ImportResult:
    """What an import wrote below a folder, what it could not take over, and what a check finds in the files."""

    folder: str
    imported: Imported
    files: Sequence[WrittenFile]
    findings: Sequence[ImportFinding]

    @property
    def has_problems(self) -> bool:
        """Whether a file was left alone, or a check finds an error other than what no input of an import can say."""
        errors = (
            finding.diagnostic.severity is Severity.ERROR and not _lacks_rows(finding) for finding in self.findings
        )
        return any(file.outcome == "left" for file in self.files) or any(errors)

    def path(self, file: WrittenFile) -> str:
        """The path of a file for people."""
        return display_path(os.path.join(self.folder, *file.path.split("/")))


def _lacks_rows(finding: ImportFinding) -> bool:
    """Whether a finding says that a Source names no rows, which is noted as unresolved."""
    return finding.diagnostic.rule == "invalid-source-place" and finding.diagnostic.pointer == "/uri"


def import_json(result: ImportResult) -> dict[str, Any]:
    """What `trialrun import --output-format json` prints."""
    return {
        "version": 1,
        "files": [_file_json(file, result) for file in result.files],
        "notes": [
            {"kind": note.kind, "message": note.message, "place": _place_json(note.place)}
            for note in result.imported.notes
        ],
        "findings": [_finding_json(finding) for finding in result.findings],
    }


def _file_json(file: WrittenFile, result: ImportResult) -> dict[str, Any]:
    resource = {"kind": file.document.kind, "resource": file.document.resource}
    reason = {"reason": file.reason} if file.reason else {}
    diff = {"diff": text} if (text := "".join(left_diff(file, result.path(file), PLAIN))) else {}
    place = _place_json(file.document.place)
    return {"path": result.path(file), **resource, "outcome": file.outcome, **reason, **diff, "place": place}


def left_diff(file: WrittenFile, path: str, paint: Paint) -> Iterator[str]:
    """The unified diff between a file that is left alone and what the import would write; none for very long texts."""
    if file.outcome == "left" and not file.reason and len(file.before) + len(file.after) <= MAX_DIFF_LENGTH:
        yield from unified_diff(path, file.before, file.after, paint=paint)


def _finding_json(finding: ImportFinding) -> dict[str, Any]:
    diagnostic = finding.diagnostic
    return {
        "rule": diagnostic.rule,
        "severity": diagnostic.severity.word,
        "message": diagnostic.message,
        "path": diagnostic.path,
        "pointer": diagnostic.pointer,
        "place": _place_json(finding.place),
    }


def _place_json(place: InputPlace) -> dict[str, Any]:
    if place.line is not None:
        return {"file": place.file, "line": place.line}
    return {"file": place.file, "document": place.document, "pointer": place.pointer}
