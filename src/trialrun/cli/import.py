"""`trialrun import [FROM] FILE…`: documents from what an API, Terraform and other programs know."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import click

from trialrun.cli.options import ALLOW_PATH, AT, COLOR, ISOLATED, TEXT_OR_JSON, parse_time, require_working_folder
from trialrun.cli.output import ClosedInput, write_utf8
from trialrun.cli.workspace_options import page_layout
from trialrun.errors import UsageError, os_error_reason
from trialrun.importers.input_file import MAX_INPUT_BYTES, InputFile, check_size, read_input
from trialrun.importers.interface import ImportOptions
from trialrun.importers.run import FORMATS, import_files
from trialrun.importers.write import Outcome, WrittenFile, import_findings, write_documents
from trialrun.outputs.imports import ImportResult, import_json, left_diff
from trialrun.report.color import Paint, severity_style
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls
from trialrun.values.suggest import did_you_mean

MAX_NAMED_FILES = 5
MAX_LISTED_FILES = 20
MAX_LISTED_PLACES = 10
OUTCOMES: dict[Outcome, str] = {
    "created": "written",
    "updated": "updated",
    "unchanged": "unchanged",
    "left": "left alone",
}

CHOICES = ("faithful", "project", "location", "online_store", "uri")


@click.command("import")
@click.argument("arguments", nargs=-1, metavar="[FROM] FILE...", required=True)
@click.option("--to", "folder", default=".", metavar="FOLDER", help="Folder to write to; the current one by default.")
@click.option("--faithful", is_flag=True, help="Keep deprecated fields, such as vectorSearchConfig.")
@click.option("--project", metavar="ID", help="Project of resources that do not say it.")
@click.option("--location", metavar="ID", help="Location of resources that do not say it.")
@click.option("--online-store", metavar="ID", help="Online store of views that do not say it.")
@click.option("--uri", metavar="URI", help="Uri of the table, for a schema that does not say it.")
@click.option("--trust-manifest", is_flag=True, help="Also replace files that only the manifest says an import wrote.")
@AT
@ISOLATED
@ALLOW_PATH
@TEXT_OR_JSON
@COLOR
def command(arguments: tuple[str, ...], folder: str, **options: Any) -> int:
    """Write the resources in FILE as YAML documents, one file each, and report what could not be taken over.

    FROM is the format of the files; without it, it follows from their content: api (answers of get and list calls, JSON
    or YAML), terraform (terraform show -json of a plan or state, or .tf files with literal values), menu (Square,
    Toast, Uber Eats, FoodMenuFeed, schema.org, the Menu resource of the ordering API, CSV), schema (bq show --schema or
    manifest.json of dbt, as Sources with columns), feast (feast registry-dump). FILE may be - for standard input.
    Nothing is fetched. A file in FOLDER that was edited since it was imported is left alone and shown as a diff. Exit
    code 1: a file was left alone, or a check finds errors in a file, other than that a Source names no rows.
    """
    require_working_folder()
    format_name, paths = _split_arguments(arguments)
    now = parse_time(options["at"])
    choices = ImportOptions(now=now, **{name: options[name] for name in CHOICES})
    imported = import_files([_read(path) for path in paths], format_name, choices)
    files = write_documents(imported.documents, folder, trusts_manifest=options["trust_manifest"])
    findings = import_findings(files, folder, now, inputs=paths, is_isolated=options["isolated"])
    result = ImportResult(folder, imported, files, findings)
    if options["output_format"] == "json":
        write_utf8([json_text(import_json(result)), "\n"])
    else:
        _, paint = page_layout(options["color"])
        sys.stdout.writelines(import_text(result, paint))
    if not files:
        raise UsageError(f"there is nothing to import in {', '.join(paths[:MAX_NAMED_FILES])}")
    return int(result.has_problems)


def _split_arguments(arguments: Sequence[str]) -> tuple[str | None, Sequence[str]]:
    """The format, if the first argument names one, and the files. Raises UsageError."""
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
    if path != "-":
        return read_input(path)
    if isinstance(sys.stdin, ClosedInput):
        raise UsageError("standard input is closed; pipe a file into it")
    try:
        return check_size(InputFile("stdin", sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)))
    except OSError as error:
        raise UsageError(f"standard input cannot be read: {os_error_reason(error)}") from error


def import_text(result: ImportResult, paint: Paint) -> Iterator[str]:
    """The lines of an import: what was written and left alone, what could not be taken over, and what is wrong."""
    for line in _lines(result, paint):
        yield disarm_ci_commands(line) + "\n"


def _lines(result: ImportResult, paint: Paint) -> Iterator[str]:
    new = [file for file in result.files if file.outcome in ("created", "updated")]
    for file in new[:MAX_LISTED_FILES]:
        yield f"{OUTCOMES[file.outcome]} {result.path(file)}"
    if len(new) > MAX_LISTED_FILES:
        yield f"… and {pluralize(len(new) - MAX_LISTED_FILES, 'further file')}"
    # those of one message together, with their first places; findings have each the place that they come from
    places: dict[str, list[str]] = {}
    for note in result.imported.notes:
        title = f"{paint(note.kind, 'rule')}: {escape_controls(note.message)}"
        places.setdefault(title, []).append(escape_controls(str(note.place)))
    for found, place in result.findings:
        start = found.range.start
        severity = paint(found.severity.word, severity_style(found.severity))
        where = paint(f"{escape_controls(found.path)}:{start.line}:{start.column}", "place")
        title = f"{severity} {escape_controls(found.rule)}: {escape_controls(found.message)}"
        places.setdefault(title, []).append(f"{where} from {escape_controls(str(place))}")
    for title, of_title in places.items():
        yield title
        yield from (f"  {place}" for place in of_title[:MAX_LISTED_PLACES])
        if len(of_title) > MAX_LISTED_PLACES:
            rest = pluralize(len(of_title) - MAX_LISTED_PLACES, "further place")
            yield f"  … and {rest}; --output-format json has all"
    for file in result.files:
        if file.outcome == "left":
            yield from _left_file(file, result.path(file), paint)
    counts = Counter(OUTCOMES[file.outcome] for file in result.files)
    numbers = ", ".join(f"{counts[word]:,} {word}" for word in OUTCOMES.values() if counts[word])
    notes, findings = pluralize(len(result.imported.notes), "note"), pluralize(len(result.findings), "finding")
    yield f"{pluralize(len(result.files), 'document')}{': ' if numbers else ''}{numbers}; {notes}, {findings}"


def _left_file(file: WrittenFile, path: str, paint: Paint) -> Iterator[str]:
    if file.reason:
        yield f"left alone {path}: {escape_controls(file.reason)}"
        return
    yield f"left alone {path}: it differs from what was imported; the import would change it as follows"
    # characters that could control a terminal are escaped line by line
    before, after = ("\n".join(map(escape_controls, text.split("\n"))) for text in (file.before, file.after))
    lines = list(left_diff(replace(file, before=before, after=after), path, paint))
    for line in lines or ["  the texts are too long for a diff"]:
        yield line.removesuffix("\n")
