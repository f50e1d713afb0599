"""Report for code scanning: SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Diagnostic, Suppressed
from trialrun.report.interface import Run
from trialrun.report.json_encoding import json_text
from trialrun.report.sarif.descriptor import Descriptors
from trialrun.report.sarif.locations import SarifLocations
from trialrun.report.sarif.result import result, to_sentence

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
INTERNAL_ERROR = "internal-error"
SOURCE_ROOT = "The top of the repository, or the folder in which trialrun was run where there is none."


def report(run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]:
    """Write one log with one run and a line for every result; `color` and `width` are ignored.

    Only rules with results are described; suppressed findings are results with a justification. There are no times or
    machine names, so that the same run gives the same bytes.
    """
    results = _all_results(run)
    places = SarifLocations(run.sources)
    rules = Descriptors((diagnostic for diagnostic, _ in results), run.rules)
    driver = {"name": "trialrun", "version": run.version, **({"informationUri": run.home} if run.home else {})}
    head = {
        "tool": {"driver": {**driver, "rules": rules.all}},
        "automationDetails": {"id": "trialrun/"},
        "columnKind": "utf16CodeUnits",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": SOURCE_ROOT}}},
        "invocations": [_invocation(run, places)],
    }
    yield f'{{"$schema": "{SCHEMA}",\n "version": "2.1.0",\n "runs": [{{{json_text(head)[1:-1]},\n  "results": ['
    separator = "\n   "
    for diagnostic, suppressed in results:
        yield separator + json_text(result(diagnostic, suppressed, places, rules.reference(diagnostic)))
        separator = ",\n   "
    yield "]}]}\n"


def _all_results(run: Run) -> list[tuple[Diagnostic, Suppressed | None]]:
    """The reported and suppressed findings in one order."""
    results: list[tuple[Diagnostic, Suppressed | None]] = [(diagnostic, None) for diagnostic in run.diagnostics]
    results += [(suppressed.diagnostic, suppressed) for suppressed in run.suppressed]
    return sorted(results, key=lambda pair: pair[0].sort_key)


def _invocation(run: Run, places: SarifLocations) -> dict[str, Any]:
    """The invocation; an internal error is a result and also a notification, as is what could not be checked."""
    invocation: dict[str, Any] = {"executionSuccessful": not run.has_internal_error, "exitCode": run.exit_code}
    faults: list[dict[str, Any]] = [
        {
            "level": "error",
            "descriptor": {"id": INTERNAL_ERROR},
            "message": {"text": to_sentence(diagnostic.message)},
            "locations": [places.location(diagnostic.path, diagnostic.range)],
        }
        for diagnostic in run.diagnostics
        if diagnostic.rule == INTERNAL_ERROR
    ]
    faults += [
        {
            "level": "note",
            "descriptor": {"id": "not-checked"},
            "message": {"text": to_sentence(f"not checked: {not_checked.what}: {not_checked.why}")},
            "locations": [{"physicalLocation": {"artifactLocation": places.artifact(not_checked.path)}}],
        }
        for not_checked in run.not_checked
    ]
    return {**invocation, "toolExecutionNotifications": faults} if faults else invocation
