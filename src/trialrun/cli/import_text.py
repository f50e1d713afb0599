"""The text of an import: what was written and left alone, what could not be taken over, and what a check finds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from trialrun.diagnostic import Severity
from trialrun.importers.interface import InputPlace, Note
from trialrun.importers.write import ImportFinding, Outcome, WrittenFile
from trialrun.outputs.imports import ImportResult, left_diff
from trialrun.report.color import Paint, severity_style
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls

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
