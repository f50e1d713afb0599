"""`trialrun export api|yaml [PATH…]`: documents as the API writes them, or as canonical YAML."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.check_options import default_request
from trialrun.cli.options import ALLOW_PATH
from trialrun.cli.output import write_utf8
from trialrun.cli.report_error import print_note, report_error
from trialrun.errors import UsageError

if TYPE_CHECKING:
    from trialrun.importers.api import WrittenDocument, WrittenDocuments

MAX_LISTED = 10


@click.group("export")
def command() -> None:
    """Print documents of the workspace as other systems write them."""


PATHS = click.argument("paths", nargs=-1, metavar="[PATH]...")
ISOLATED = click.option("--isolated", is_flag=True, help="Do not read settings files.")


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
    from trialrun.importers.api import EXPORTED_KINDS, api_json

    found = _read(paths, options)
    documents = [document for document in found.documents if document.kind in EXPORTED_KINDS]
    if _report_problems(found, documents):
        return 1
    if not documents:
        raise UsageError(f"there is nothing to export; {', '.join(EXPORTED_KINDS)} have resources of the API")
    _note_others(found.documents, EXPORTED_KINDS)
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
    from trialrun.fix.canonical_yaml import canonical_yaml

    if store is not None:
        from trialrun.cli.export_store import export_store

        if paths:
            raise UsageError("--store has resources of its own; remove the paths")
        return export_store(store, to)
    if to is not None:
        raise UsageError("--to needs --store; documents in files are printed")
    found = _read(paths, options)
    if _report_problems(found, found.documents):
        return 1
    if not found.documents:
        raise UsageError("there is nothing to export; name a file with documents")
    texts = [canonical_yaml({"kind": document.kind, **document.value}) for document in found.documents]
    write_utf8(["---\n".join(texts)])
    return 0


def _read(paths: Sequence[str], options: dict[str, Any]) -> WrittenDocuments:
    from trialrun.importers.api import read_documents
    from trialrun.workspace import UnknownPath

    try:
        return read_documents(default_request(paths, options))
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error


def _report_problems(found: WrittenDocuments, documents: Sequence[WrittenDocument]) -> bool:
    """Say on standard error what keeps documents from being exported; whether there is anything."""
    messages = [f"{path} cannot be read as a whole; run trialrun check" for path in found.unreadable_paths]
    messages += [message for document in documents for message in document.problem_messages()]
    if len(messages) > MAX_LISTED:
        messages[MAX_LISTED:] = [f"and {len(messages) - MAX_LISTED} more; run trialrun check"]
    for message in messages:
        report_error(UsageError(message))
    return bool(messages)


def _note_others(documents: Sequence[WrittenDocument], exported: Sequence[str]) -> None:
    kinds = sorted({document.kind for document in documents if document.kind not in exported})
    if kinds:
        sys.stdout.flush()
        print_note(f"not exported: {', '.join(kinds)}, which the API does not have in this form")
