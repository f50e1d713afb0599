"""`trialrun export yaml --store FOLDER`: what clients of `trialrun serve` created or changed, as YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from trialrun.cli.output import write_utf8
from trialrun.cli.report_error import report_error
from trialrun.errors import UsageError
from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.model.canonical import canonical_form
from trialrun.model.kinds import model_of
from trialrun.report.terminal_width import escape_controls
from trialrun.service.journal import JournalError
from trialrun.service.journal_file import FILE_NAME, read_journal
from trialrun.service.resource import client_resources

OUTCOMES = {"created": "written", "updated": "updated", "unchanged": "unchanged", "left": "left alone"}


def export_store(store: Path, to: str | None) -> int:
    """Print the resources of a store folder, or write them as files; the exit code. Raises UsageError."""
    from trialrun.fix.canonical_yaml import canonical_yaml

    documents = [_document(*resource, store) for resource in _resources(store.absolute())]
    if to is not None:
        return _write(documents, to)
    if not documents:
        raise UsageError(f"there is nothing to export; clients created and changed nothing in {store}")
    write_utf8(["---\n".join(canonical_yaml(document.value) for document in documents)])
    return 0


def _resources(store: Path) -> list[tuple[str, str, dict[str, Any]]]:
    from trialrun.workspace.dry_run import open_store_folder

    folder = open_store_folder(str(store.parent), store)
    try:
        with read_journal(folder.path, folder.guard) as journal:
            if journal is None:
                raise UsageError(f"{store} has nothing of a server; name the folder of serve --store, or .trialrun")
            return list(client_resources(journal))
    except JournalError as error:
        raise UsageError(str(error)) from error


def _document(kind: str, name: str, content: dict[str, Any], store: Path) -> ImportedDocument:
    """A resource as a document in canonical form."""
    form = canonical_form({"name": name, **content}, model_of(kind))
    place = InputPlace(str(store / FILE_NAME))
    return ImportedDocument(kind, name, {"kind": kind, **form.value}, {(): place})


def _write(documents: list[ImportedDocument], to: str) -> int:
    """Write documents below a folder, and say what became of each file; 1 where one is left alone."""
    from trialrun.importers.write import NOT_OWN, write_documents

    files = write_documents(documents, to)
    write_utf8(f"{OUTCOMES[file.outcome]} {escape_controls(str(Path(to, file.path)))}\n" for file in files)
    left = [file for file in files if file.outcome == "left"]
    for file in left:
        reason = "" if file.reason == NOT_OWN else file.reason
        reason = reason or "it was edited, or is not of an export of yours; move it away, and export again"
        report_error(UsageError(f"{Path(to, file.path)} is left alone: {reason}"))
    return 1 if left else 0
