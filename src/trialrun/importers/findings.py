"""What a check finds in imported files, with the place in the input that each finding comes from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime

from trialrun.diagnostic import Diagnostic, Path
from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.importers.write import WrittenFile
from trialrun.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ImportFinding:
    """A finding in a file of an import, and the place in the input that it comes from."""

    diagnostic: Diagnostic
    place: InputPlace


def import_findings(
    files: Sequence[WrittenFile], folder: str, now: datetime, *, is_isolated: bool
) -> list[ImportFinding]:
    """What a check of the files finds, apart from those that were left alone, with the settings of their workspace."""
    from trialrun.display_path import display_path
    from trialrun.workspace import check
    from trialrun.workspace.check_request import CheckOptions, open_request

    by_path = {
        display_path(os.path.join(folder, *file.path.split("/"))): file.document
        for file in files
        if file.outcome != "left"
    }
    if not by_path:
        return []
    options = CheckOptions(now, is_isolated=is_isolated, with_fixes=False)
    diagnostics = check(open_request(list(by_path), options)).diagnostics
    return [
        ImportFinding(diagnostic, _place(diagnostic, by_path[diagnostic.path]))
        for diagnostic in diagnostics
        if diagnostic.path in by_path
    ]


def _place(diagnostic: Diagnostic, document: ImportedDocument) -> InputPlace:
    return document.place_of(_path(diagnostic.pointer, document))


def _path(pointer: str, document: ImportedDocument) -> Path:
    """The path of a JSON pointer in a document."""
    path: list[str | int] = []
    value: object = document.value
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        step = int(key) if isinstance(value, list) and key.isdecimal() else key
        path.append(step)
        value = _child(value, step)
    return tuple(path)


def _child(value: object, step: str | int) -> object:
    if isinstance(value, list) and isinstance(step, int):
        return value[step] if step < len(value) else None
    return value.get(step) if isinstance(value, dict) else None
