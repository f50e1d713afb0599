"""One finding as a result of SARIF."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from trialrun.diagnostic import Diagnostic, ResolvedFix, Suppressed
from trialrun.report.sarif.descriptor import LEVELS
from trialrun.report.sarif.locations import SarifLocations, artifact_location
from trialrun.report.terminal_width import escape_controls

LINK = re.compile(r"\](?=\()")
IN_LINKS = re.compile(r"[\\\[\]]")


def result(
    found: Diagnostic, suppressed: Suppressed | None, places: SarifLocations, rule: dict[str, Any]
) -> dict[str, Any]:
    """The result of a finding of a rule; one that is not suppressed says so, as SARIF wants it where any could be."""
    whole: dict[str, Any] = {
        **rule,
        "level": LEVELS[found.severity],
        "message": {"text": " ".join(_sentences(found))},
        "locations": [places.location(found.path, found.range)],
        "partialFingerprints": {"primaryLocationLineHash": f"{found.fingerprint}:1"},
        "suppressions": [_suppression(suppressed)] if suppressed else [],
    }
    if found.related:
        whole["relatedLocations"] = [
            {"id": number, "message": {"text": escape_controls(one.message)}, **places.location(one.path, one.range)}
            for number, one in enumerate(found.related, start=1)
        ]
    if found.fix and found.fix.edits:
        whole["fixes"] = [_fix(found.fix, found.path, places)]
    return whole


def _sentences(found: Diagnostic) -> Iterator[str]:
    """What is wrong first, since viewers short of room show one sentence; GitHub shows related places only linked."""
    yield to_sentence(found.message)
    if found.related:
        links = (f"[{_link_text(one.message)}]({number})" for number, one in enumerate(found.related, start=1))
        yield f"See {', '.join(links)}."
    if found.help:
        yield to_sentence(" ".join(found.help.split()))


def to_sentence(text: str) -> str:
    """The text with a full stop, and nothing in it that could be taken for a link."""
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
        "artifactChanges": [{"artifactLocation": artifact_location(path), "replacements": replacements}],
        "properties": {"safe": fix.safe},
    }
