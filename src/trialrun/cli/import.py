"""`trialrun import [FROM] FILE…`: documents from what an API, Terraform and other programs know."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from trialrun.cli.options import ALLOW_PATH, AT_HELP, COLOR, TEXT_OR_JSON, parse_time, require_working_folder
from trialrun.cli.output import ClosedInput, write_utf8
from trialrun.cli.workspace_options import page_layout
from trialrun.errors import UsageError, os_error_reason
from trialrun.values.suggest import did_you_mean

MAX_NAMED_FILES = 5
CHOICES = ("faithful", "project", "location", "online_store", "uri")

if TYPE_CHECKING:
    from trialrun.importers.input_file import InputFile


@click.command("import")
@click.argument("arguments", nargs=-1, metavar="[FROM] FILE...", required=True)
@click.option("--to", "folder", default=".", metavar="FOLDER", help="Folder to write to; the current one by default.")
@click.option("--faithful", is_flag=True, help="Keep deprecated fields, such as vectorSearchConfig.")
@click.option("--project", metavar="ID", help="Project of resources that do not say it.")
@click.option("--location", metavar="ID", help="Location of resources that do not say it.")
@click.option("--online-store", metavar="ID", help="Online store of views that do not say it.")
@click.option("--uri", metavar="URI", help="Uri of the table, for a schema that does not say it.")
@click.option("--trust-manifest", is_flag=True, help="Also replace files that only the manifest says an import wrote.")
@click.option("--at", metavar="TIME", help=AT_HELP)
@click.option("--isolated", is_flag=True, help="Do not read settings files.")
@ALLOW_PATH
@TEXT_OR_JSON
@COLOR
def command(arguments: tuple[str, ...], folder: str, **options: Any) -> int:
    """Write the resources in FILE as YAML documents, one file each, and report what could not be taken over.

    FROM is the format of the files; without it, it follows from their content: api (answers of get and list calls, JSON
    or YAML), terraform (terraform show -json of a plan or state, or .tf files with literal values), menu
    (Square, Toast, Uber Eats, FoodMenuFeed, the Menu resource of the ordering API, CSV), schema (bq show --schema or
    manifest.json of dbt, as Sources with columns), feast (feast registry-dump). FILE may be - for standard input.
    Nothing is fetched. A file in FOLDER that was edited since it was imported is left alone and shown as a diff. Exit
    code 1: a file was left alone, or a check finds errors in a file, other than that a Source names no rows.
    """
    require_working_folder()
    from trialrun.importers.interface import ImportOptions
    from trialrun.importers.run import import_files
    from trialrun.importers.write import import_findings, write_documents
    from trialrun.outputs.imports import ImportResult

    format_name, paths = _split_arguments(arguments)
    now = parse_time(options["at"])
    choices = ImportOptions(now=now, **{name: options[name] for name in CHOICES})
    imported = import_files([_read(path) for path in paths], format_name, choices)
    files = write_documents(imported.documents, folder, trusts_manifest=options["trust_manifest"])
    findings = import_findings(files, folder, now, is_isolated=options["isolated"])
    result = ImportResult(folder, imported, files, findings)
    _show(result, options)
    if not files:
        raise UsageError(f"there is nothing to import in {', '.join(paths[:MAX_NAMED_FILES])}")
    return int(result.has_problems)


def _split_arguments(arguments: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """The format, if the first argument names one, and the files. Raises UsageError."""
    from trialrun.importers.run import FORMATS

    first = arguments[0]
    if first not in FORMATS:
        suggestion = did_you_mean(first, FORMATS) if arguments[1:] and not os.path.exists(first) else ""
        if suggestion:
            raise UsageError(f'there is no file or format "{first}"{suggestion}')
        return None, arguments
    if not arguments[1:]:
        raise UsageError(f"import {arguments[0]} needs a file; a file of that name is written ./{arguments[0]}")
    return arguments[0], arguments[1:]


def _read(path: str) -> InputFile:
    from trialrun.importers.input_file import MAX_INPUT_BYTES, InputFile, check_size, read_input

    if path != "-":
        return read_input(path)
    if isinstance(sys.stdin, ClosedInput):
        raise UsageError("standard input is closed; pipe a file into it")
    try:
        return check_size(InputFile("stdin", sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)))
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {os_error_reason(error)}") from error


def _show(result: Any, options: dict[str, Any]) -> None:
    if options["output_format"] == "json":
        from trialrun.outputs.imports import import_json
        from trialrun.report.json_encoding import json_text

        write_utf8([json_text(import_json(result)), "\n"])
        return
    from trialrun.cli.import_text import import_text

    _, paint = page_layout(options["color"])
    sys.stdout.writelines(import_text(result, paint))
