"""Report for code scanning: SARIF 2.1.0."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from trialrun.diagnostic import Diagnostic, Range, ResolvedFix, Severity, Suppressed
from trialrun.report.interface import RuleText, Run, Sources, convert_columns, path_to_uri, utf16_column
from trialrun.report.json import json_text
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.repository import paths_from_top
from trialrun.values import shorten

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
INTERNAL_ERROR = "internal-error"
SOURCE_ROOT = "The top of the repository, or the folder in which trialrun was run where there is none."
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
PRECISIONS = {Severity.ERROR: "very-high", Severity.WARNING: "high", Severity.NOTE: "medium"}
"""Precision by severity: an error contradicts the specification; a warning is usually unintended; a note may be
intended.
"""
MAX_DESCRIPTION_LENGTH = 1024
"""Maximum length of a description in GitHub; the help is complete."""
MAX_RESULTS = 25_000
"""Maximum number of results of a run in GitHub, which refuses a file with more."""
LINK = re.compile(r"\](?=\()")
IN_LINKS = re.compile(r"[\\\[\]]")


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one log with one run and a line for every result; `color` and `width` are ignored.

    Only rules with results are described; suppressed findings are results with a justification. There are no times or
    machine names, so that the same run gives the same bytes.

    In a workflow of GitHub, suppressed findings are left out, since code scanning would open an alert for each, and the
    least severe of more than `MAX_RESULTS`. There are no automationDetails: GitHub would take their id for the
    category, whatever a workflow sets, and each upload replaces the last one of its category.
    """
    is_on_github = os.environ.get("GITHUB_ACTIONS") == "true"
    results: list[tuple[Diagnostic, Suppressed | None]] = [(diagnostic, None) for diagnostic in run.diagnostics]
    if not is_on_github:
        results += [(suppressed.diagnostic, suppressed) for suppressed in run.suppressed]
    elif len(results) > MAX_RESULTS:
        results = sorted(results, key=lambda pair: pair[0].severity, reverse=True)[:MAX_RESULTS]
    results.sort(key=lambda pair: pair[0].sort_key)
    places = SarifLocations(run.sources)
    rules = _rules([diagnostic for diagnostic, _ in results], run)
    driver = {"name": "trialrun", "version": run.version, **({"informationUri": run.home} if run.home else {})}
    head = {
        "tool": {"driver": {**driver, "rules": [{"id": id, **rules[id]} for id in rules]}},
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": SOURCE_ROOT}}},
        "invocations": [_invocation(run, places, left_out=len(run.diagnostics) - len(results))],
    }
    yield f'{{"$schema": "{SCHEMA}",\n "version": "2.1.0",\n "runs": [{{{json_text(head)[1:-1]},\n  "results": ['
    separator, indexes = "\n   ", {id: index for index, id in enumerate(rules)}
    for diagnostic, suppressed in results:
        id = _rule_id(diagnostic, run.rules(diagnostic.rule, diagnostic.path))
        result = {"ruleId": id, "ruleIndex": indexes[id], **_result(diagnostic, suppressed, places)}
        yield separator + json_text(result)
        separator = ",\n   "
    yield "]}]}\n"


class SarifLocations:
    """Converts the locations of a run; texts are read on demand."""

    def __init__(self, sources: Sources) -> None:
        self._sources = lru_cache(maxsize=16)(sources)
        self._from_top = paths_from_top()

    def location(self, path: str, place: Range) -> dict[str, Any]:
        """A place of a file."""
        return {"physicalLocation": {"artifactLocation": self.artifact(path), "region": self.region(path, place)}}

    def artifact(self, path: str) -> dict[str, Any]:
        """A file as a URI relative to the source root if it is below."""
        address = path_to_uri(self._from_top(path))
        outside = address.startswith(("file:", "../")) or address == ".."
        return {"uri": address} if outside else {"uri": address, "uriBaseId": "%SRCROOT%"}

    def region(self, path: str, place: Range) -> dict[str, Any]:
        """A range in UTF-16 code units; in code points if the text can no longer be read."""
        exact = convert_columns(place, self._sources(path), utf16_column) or place
        start, end = exact.start, exact.end
        return {"startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column}


def _rules(diagnostics: Sequence[Diagnostic], run: Run) -> dict[str, dict[str, Any]]:
    """The descriptors of the rules with results by id, sorted; one without text gets the highest severity found."""
    found: dict[str, tuple[str, Severity, RuleText | None]] = {}
    for diagnostic in diagnostics:
        text = run.rules(diagnostic.rule, diagnostic.path)
        id = _rule_id(diagnostic, text)
        gravest = max(diagnostic.severity, found[id][1]) if id in found else diagnostic.severity
        found[id] = (diagnostic.rule, gravest, text)
    return {id: _descriptor(*found[id]) for id in sorted(found)}


def _rule_id(diagnostic: Diagnostic, text: RuleText | None) -> str:
    """The id of a descriptor; hierarchical (SARIF 3.52.4) where policies of several workspaces have the same id."""
    return f"{diagnostic.rule}/{text.scope}" if text and text.scope else diagnostic.rule


def _descriptor(rule_id: str, gravest: Severity, text: RuleText | None) -> dict[str, Any]:
    if text is None:
        law = f"The rule {rule_id}."
        text = RuleText("", gravest, enabled=True, summary=law, why="", markdown=law, plain=law)
    full = f"{text.summary} {' '.join(text.why.split())}"
    return {
        "name": "".join(word.capitalize() for word in rule_id.split("-")),
        "shortDescription": {"text": shorten(text.summary, MAX_DESCRIPTION_LENGTH)},
        "fullDescription": {"text": shorten(full.rstrip(), MAX_DESCRIPTION_LENGTH)},
        "help": {"text": text.plain, "markdown": text.markdown},
        "defaultConfiguration": {"enabled": text.enabled, "level": LEVELS[text.severity]},
        "properties": {
            "tags": [text.group] if text.group else [],
            "precision": PRECISIONS[text.severity],
            "problem.severity": PROBLEMS[text.severity],
        },
    }


def _invocation(run: Run, places: SarifLocations, *, left_out: int) -> dict[str, Any]:
    """The invocation; an internal error is a result and also a notification, as are what could not be checked and how
    many results are left out.
    """
    invocation: dict[str, Any] = {"executionSuccessful": not run.has_internal_error, "exitCode": run.exit_code}
    faults: list[dict[str, Any]] = [
        {
            "level": "error",
            "descriptor": {"id": INTERNAL_ERROR},
            "message": {"text": _sentence(diagnostic.message)},
            "locations": [places.location(diagnostic.path, diagnostic.range)],
        }
        for diagnostic in run.diagnostics
        if diagnostic.rule == INTERNAL_ERROR
    ]
    faults += [
        {
            "level": "note",
            "descriptor": {"id": "not-checked"},
            "message": {"text": _sentence(f"not checked: {gap.what}: {gap.why}")},
            "locations": [{"physicalLocation": {"artifactLocation": places.artifact(gap.path)}}],
        }
        for gap in run.not_checked
    ]
    if left_out > 0:
        text = f"Left out: {pluralize(left_out, 'result')}, the least severe; GitHub takes at most {MAX_RESULTS}."
        faults.append({"level": "note", "descriptor": {"id": "left-out"}, "message": {"text": text}})
    return {**invocation, "toolExecutionNotifications": faults} if faults else invocation


def _result(diagnostic: Diagnostic, suppressed: Suppressed | None, places: SarifLocations) -> dict[str, Any]:
    """The result for a finding; unsuppressed ones say so if any finding is suppressed, as SARIF requires."""
    related = list(enumerate(diagnostic.related, start=1))
    # the message starts with the mistake, since some viewers show only one sentence; GitHub shows only linked locations
    sentences = [_sentence(diagnostic.message)]
    if related:
        texts = [(IN_LINKS.sub(r"\\\g<0>", escape_controls(location.message)), number) for number, location in related]
        sentences.append(f"See {', '.join(f'[{text}]({number})' for text, number in texts)}.")
    if diagnostic.help:
        sentences.append(_sentence(" ".join(diagnostic.help.split())))
    result: dict[str, Any] = {
        "level": LEVELS[diagnostic.severity],
        "message": {"text": " ".join(sentences)},
        "locations": [places.location(diagnostic.path, diagnostic.range)],
        "partialFingerprints": {"primaryLocationLineHash": f"{diagnostic.fingerprint}:1"},
        "suppressions": [_suppression(suppressed)] if suppressed else [],
    }
    if related:
        result["relatedLocations"] = [
            {"id": number, "message": {"text": escape_controls(one.message)}, **places.location(one.path, one.range)}
            for number, one in related
        ]
    if diagnostic.fix and diagnostic.fix.edits:
        result["fixes"] = [_fix(diagnostic.fix, diagnostic.path, places)]
    return result


def _sentence(text: str) -> str:
    """The text with a full stop, and without anything that could be taken for a link."""
    plain = LINK.sub(r"\\]", escape_controls(text))
    return plain if plain.endswith((".", "?", "!")) else f"{plain}."


def _suppression(suppressed: Suppressed) -> dict[str, Any]:
    until = f" (until {suppressed.until})" if suppressed.until else ""
    whole = {"kind": "inSource" if suppressed.kind == "comment" else "external", "status": "accepted"}
    justification = f"{escape_controls(suppressed.reason)}{until}".strip()
    return {**whole, "justification": justification} if justification else whole


def _fix(fix: ResolvedFix, path: str, places: SarifLocations) -> dict[str, Any]:
    replacements = [
        {
            "deletedRegion": places.region(path, edit.range),
            **({"insertedContent": {"text": edit.text}} if edit.text else {}),
        }
        for edit in fix.edits
    ]
    return {
        "description": {"text": _sentence(fix.title)},
        "artifactChanges": [{"artifactLocation": places.artifact(path), "replacements": replacements}],
        "properties": {"safe": fix.safe},
    }
