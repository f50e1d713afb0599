"""`trialrun export api|yaml [PATH…]`: documents as the API writes them, or as canonical YAML."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.options import ALLOW_PATH, ISOLATED, default_request, unknown_path_as_usage
from trialrun.cli.output import print_note, report_error, write_utf8
from trialrun.errors import StoreError, UsageError
from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.importers.api import EXPORTED_KINDS, api_json, read_documents
from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.importers.write import NOT_OWN, write_documents
from trialrun.model.canonical import CanonicalForm
from trialrun.model.kinds import model_of
from trialrun.report.terminal_width import escape_controls
from trialrun.service.journal_file import FILE_NAME, read_journal
from trialrun.service.resource import client_resources
from trialrun.workspace.dry_run import open_store_folder

if TYPE_CHECKING:
    from trialrun.importers.api import WrittenDocument

OUTCOMES = {"created": "written", "updated": "updated", "unchanged": "unchanged", "left": "left alone"}
MAX_LISTED = 10


@click.group("export")
def command() -> None:
    """Print documents of the workspace as other systems write them."""


PATHS = click.argument("paths", nargs=-1, metavar="[PATH]...")


@command.command("api")
@PATHS
@click.option(
    "--dialect",
    type=click.Choice(("specification", "vendor")),
    default="specification",
    show_default=True,
    help="Spelling of the fields that have another name in the real API.",
)
@ISOLATED
@ALLOW_PATH
def export_api(paths: tuple[str, ...], dialect: Any, **options: Any) -> int:
    """Print the FeatureViews, ChannelConfigs and FeatureOnlineStores in PATH as the JSON of the API.

    One resource is printed itself, several in the lists of list calls; import api reads both. Without PATH, it is the
    whole workspace. Exit code 1: a document cannot be read as a whole, or has parts that no resource has; nothing is
    printed then.
    """
    found, unreadable = _read(paths, options)
    documents = [document for document in found if document.kind in EXPORTED_KINDS]
    if _report_problems(documents, unreadable):
        return 1
    if not documents:
        raise UsageError(f"there is nothing to export; {', '.join(EXPORTED_KINDS)} have resources of the API")
    others = sorted({document.kind for document in found if document.kind not in EXPORTED_KINDS})
    if others:
        sys.stdout.flush()
        print_note(f"not exported: {', '.join(others)}, which the API does not have in this form")
    content = api_json([(document.kind, document.value) for document in documents], dialect)
    write_utf8([json.dumps(content, indent=2, ensure_ascii=False), "\n"])
    return 0


@command.command("yaml")
@PATHS
@click.option(
    "--store",
    type=click.Path(path_type=Path, file_okay=False),
    help="Print what clients of serve created or changed, from its store folder, instead of documents in PATH.",
)
@click.option(
    "--to",
    type=click.Path(file_okay=False),
    metavar="FOLDER",
    help="With --store: write a file each below this folder; files that were edited are left alone.",
)
@ISOLATED
@ALLOW_PATH
def export_yaml(paths: tuple[str, ...], store: Path | None, to: str | None, **options: Any) -> int:
    """Print the documents in PATH, of all kinds, as canonical YAML: as import writes them, without comments.

    Without PATH, it is the whole workspace. Exit code 1: a document cannot be read as a whole, or has parts that its
    kind does not have; nothing is printed then. With --to, an edited file that is left alone.
    """
    if store is not None:
        if paths:
            raise UsageError("--store has resources of its own; remove the paths")
        return export_store(store, to)
    if to is not None:
        raise UsageError("--to needs --store; documents in files are printed")
    documents, unreadable = _read(paths, options)
    if _report_problems(documents, unreadable):
        return 1
    if not documents:
        raise UsageError("there is nothing to export; name a file with documents")
    texts = [canonical_yaml({"kind": document.kind, **document.value}) for document in documents]
    write_utf8(["---\n".join(texts)])
    return 0


def _read(paths: Sequence[str], options: dict[str, Any]) -> tuple[Sequence[WrittenDocument], Sequence[str]]:
    with unknown_path_as_usage():
        return read_documents(default_request(paths, options))


def _report_problems(documents: Sequence[WrittenDocument], unreadable: Sequence[str]) -> bool:
    """Say on standard error what keeps documents from being exported; whether there is anything."""
    messages = [f"{path} cannot be read as a whole; run trialrun check" for path in unreadable]
    messages += [message for document in documents for message in document.problem_messages()]
    if len(messages) > MAX_LISTED:
        messages[MAX_LISTED:] = [f"and {len(messages) - MAX_LISTED} more; run trialrun check"]
    for message in messages:
        report_error(UsageError(message))
    return bool(messages)


def export_store(store: Path, to: str | None) -> int:
    """Print what clients of `serve` created or changed, or write it as files; the exit code. Raises UsageError."""
    folder = open_store_folder(str(store.absolute().parent), store.absolute())
    documents: list[ImportedDocument] = []
    try:
        with read_journal(folder.path, folder.guard) as journal:
            if journal is None:
                raise UsageError(
                    f"{store.absolute()} has nothing of a server; name the folder of serve --store, or .trialrun"
                )
            for kind, name, content in client_resources(journal):
                form = CanonicalForm({"name": name, **content}, model_of(kind))
                value, place = {"kind": kind, **form.value}, InputPlace(str(store / FILE_NAME))
                documents.append(ImportedDocument(kind, name, value, {(): place}))
    except StoreError as error:
        raise UsageError(str(error)) from error
    if to is None:
        if not documents:
            raise UsageError(f"there is nothing to export; clients created and changed nothing in {store}")
        write_utf8(["---\n".join(canonical_yaml(document.value) for document in documents)])
        return 0
    files = write_documents(documents, to)
    write_utf8(f"{OUTCOMES[file.outcome]} {escape_controls(str(Path(to, file.path)))}\n" for file in files)
    left = [file for file in files if file.outcome == "left"]
    for file in left:
        reason = "" if file.reason == NOT_OWN else file.reason
        reason = reason or "it was edited, or is not of an export of yours; move it away, and export again"
        report_error(UsageError(f"{Path(to, file.path)} is left alone: {reason}"))
    return 1 if left else 0
