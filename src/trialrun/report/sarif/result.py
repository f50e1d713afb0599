"""Results in SARIF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Diagnostic, ResolvedFix, Suppressed
from trialrun.report.sarif.descriptor import LEVELS
from trialrun.report.sarif.locations import SarifLocations
from trialrun.report.terminal_width import escape_controls

LINK = re.compile(r"\](?=\()")
IN_LINKS = re.compile(r"[\\\[\]]")


def result(
    diagnostic: Diagnostic, suppressed: Suppressed | None, places: SarifLocations, rule: dict[str, Any]
) -> dict[str, Any]:
    """The result for a finding; unsuppressed ones say so if any finding is suppressed, as SARIF requires."""
    whole: dict[str, Any] = {
        **rule,
        "level": LEVELS[diagnostic.severity],
        "message": {"text": " ".join(_sentences(diagnostic))},
        "locations": [places.location(diagnostic.path, diagnostic.range)],
        "partialFingerprints": {"primaryLocationLineHash": f"{diagnostic.fingerprint}:1"},
        "suppressions": [_suppression(suppressed)] if suppressed else [],
    }
    if diagnostic.related:
        whole["relatedLocations"] = [
            {
                "id": number,
                "message": {"text": escape_controls(related.message)},
                **places.location(related.path, related.range),
            }
            for number, related in enumerate(diagnostic.related, start=1)
        ]
    if diagnostic.fix and diagnostic.fix.edits:
        whole["fixes"] = [_fix(diagnostic.fix, diagnostic.path, places)]
    return whole


def _sentences(diagnostic: Diagnostic) -> Iterator[str]:
    """The message starting with the mistake, since some viewers show only one sentence; GitHub shows only linked
    locations.
    """
    yield to_sentence(diagnostic.message)
    if diagnostic.related:
        links = (
            f"[{_link_text(related.message)}]({number})" for number, related in enumerate(diagnostic.related, start=1)
        )
        yield f"See {', '.join(links)}."
    if diagnostic.help:
        yield to_sentence(" ".join(diagnostic.help.split()))


def to_sentence(text: str) -> str:
    """The text with a full stop, and without anything that could be taken for a link."""
    plain = LINK.sub(r"\\]", escape_controls(text))
    return plain if plain.endswith((".", "?", "!")) else f"{plain}."


def _link_text(text: str) -> str:
    return IN_LINKS.sub(r"\\\g<0>", escape_controls(text))


def _suppression(suppressed: Suppressed) -> dict[str, Any]:
    until = f" (until {suppressed.until})" if suppressed.until else ""
    kind = "inSource" if suppressed.kind == "comment" else "external"
    whole = {"kind": kind, "status": "accepted"}
    justification = f"{escape_controls(suppressed.reason)}{until}".strip()
    return {**whole, "justification": justification} if justification else whole


def _fix(fix: ResolvedFix, path: str, places: SarifLocations) -> dict[str, Any]:
    replacements = []
    for edit in fix.edits:
        replacement: dict[str, Any] = {"deletedRegion": places.region(path, edit.range)}
        if edit.text:
            replacement["insertedContent"] = {"text": edit.text}
        replacements.append(replacement)
    return {
        "description": {"text": to_sentence(fix.title)},
        "artifactChanges": [{"artifactLocation": places.artifact(path), "replacements": replacements}],
        "properties": {"safe": fix.safe},
    }
