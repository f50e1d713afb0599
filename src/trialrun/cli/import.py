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
from trialrun.diagnostic import Severity
from trialrun.errors import UsageError, os_error_reason
from trialrun.importers.detect import FORMATS
from trialrun.importers.findings import ImportFinding, import_findings
from trialrun.importers.input_file import MAX_INPUT_BYTES, InputFile, check_size, read_input
from trialrun.importers.interface import ImportOptions, InputPlace, Note
from trialrun.importers.run import import_files
from trialrun.importers.write import Outcome, WrittenFile, write_documents
from trialrun.outputs.imports import ImportResult, import_json, left_diff
from trialrun.report.color import Paint, severity_style
from trialrun.report.json_encoding import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls
from trialrun.values.suggest import did_you_mean

MAX_LISTED_FILES = 20
MAX_LISTED_PLACES = 10
OUTCOMES: dict[Outcome, str] = {
    "created": "written",
    "updated": "updated",
    "unchanged": "unchanged",
    "left": "left alone",
}


def import_text(result: ImportResult, paint: Paint) -> Iterator[str]:
    """The lines that `trialrun import` prints."""
    for line in _lines(result, paint):
        yield disarm_ci_commands(line) + "\n"


def _lines(result: ImportResult, paint: Paint) -> Iterator[str]:
    yield from _files(result)
    yield from _notes(result.imported.notes, paint)
    yield from _findings(result.findings, paint)
    for file in result.files:
        if file.outcome == "left":
            yield from _left_file(file, result, paint)
    yield _summary(result)


def _files(result: ImportResult) -> Iterator[str]:
    new = [file for file in result.files if file.outcome in ("created", "updated")]
    for file in new[:MAX_LISTED_FILES]:
        yield f"{OUTCOMES[file.outcome]} {result.path(file)}"
    if len(new) > MAX_LISTED_FILES:
        yield f"… and {pluralize(len(new) - MAX_LISTED_FILES, 'further file')}"


def _notes(notes: Sequence[Note], paint: Paint) -> Iterator[str]:
    """The notes, those of one message together with their first places."""
    places: dict[tuple[str, str], list[InputPlace]] = {}
    for note in notes:
        places.setdefault((note.kind, note.message), []).append(note.place)
    for (kind, message), of_message in places.items():
        yield f"{paint(kind, 'rule')}: {escape_controls(message)}"
        for place in of_message[:MAX_LISTED_PLACES]:
            yield f"  {escape_controls(str(place))}"
        if len(of_message) > MAX_LISTED_PLACES:
            rest = pluralize(len(of_message) - MAX_LISTED_PLACES, "further place")
            yield f"  … and {rest}; --output-format json has all"


def _findings(findings: Sequence[ImportFinding], paint: Paint) -> Iterator[str]:
    """The findings, those of one rule and message together, each with the place in the input that it comes from."""
    alike: dict[tuple[Severity, str, str], list[ImportFinding]] = {}
    for finding in findings:
        diagnostic = finding.diagnostic
        alike.setdefault((diagnostic.severity, diagnostic.rule, diagnostic.message), []).append(finding)
    for (severity, rule, message), of_message in alike.items():
        yield f"{paint(severity.word, severity_style(severity))} {escape_controls(rule)}: {escape_controls(message)}"
        for finding in of_message[:MAX_LISTED_PLACES]:
            start = finding.diagnostic.range.start
            where = f"{escape_controls(finding.diagnostic.path)}:{start.line}:{start.column}"
            yield f"  {paint(where, 'place')} from {escape_controls(str(finding.place))}"
        if len(of_message) > MAX_LISTED_PLACES:
            rest = pluralize(len(of_message) - MAX_LISTED_PLACES, "further place")
            yield f"  … and {rest}; --output-format json has all"


def _left_file(file: WrittenFile, result: ImportResult, paint: Paint) -> Iterator[str]:
    path = result.path(file)
    if file.reason:
        yield f"left alone {path}: {escape_controls(file.reason)}"
        return
    yield f"left alone {path}: it differs from what was imported; the import would change it as follows"
    lines = list(
        left_diff(replace(file, before=_escape_lines(file.before), after=_escape_lines(file.after)), path, paint)
    )
    for line in lines or ["  the texts are too long for a diff"]:
        yield line.removesuffix("\n")


def _escape_lines(text: str) -> str:
    """The text with characters escaped that could control a terminal, line by line."""
    return "\n".join(escape_controls(line) for line in text.split("\n"))


def _summary(result: ImportResult) -> str:
    counts = Counter(OUTCOMES[file.outcome] for file in result.files)
    numbers = ", ".join(f"{counts[word]:,} {word}" for word in OUTCOMES.values() if counts[word])
    notes = pluralize(len(result.imported.notes), "note")
    findings = pluralize(len(result.findings), "finding")
    documents = pluralize(len(result.files), "document")
    return f"{documents}{': ' if numbers else ''}{numbers}; {notes}, {findings}"


MAX_NAMED_FILES = 5
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
    or YAML), terraform (terraform show -json of a plan or state, or .tf files with literal values), menu
    (Square, Toast, Uber Eats, FoodMenuFeed, the Menu resource of the ordering API, CSV), schema (bq show --schema or
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
    findings = import_findings(files, folder, now, is_isolated=options["isolated"])
    result = ImportResult(folder, imported, files, findings)
    _show(result, options)
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


def _show(result: Any, options: dict[str, Any]) -> None:
    if options["output_format"] == "json":
        write_utf8([json_text(import_json(result)), "\n"])
        return

    _, paint = page_layout(options["color"])
    sys.stdout.writelines(import_text(result, paint))
