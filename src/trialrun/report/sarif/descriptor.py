"""The rules of a run as SARIF describes them, with their pages as help."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.report.interface import RuleText

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
PRECISIONS = {Severity.ERROR: "very-high", Severity.WARNING: "high", Severity.NOTE: "medium"}
"""An error breaks the specification; a warning is rarely what was meant; a note may well be."""

MAX_DESCRIPTION_LENGTH = 1024
"""The characters of a description that GitHub takes; the help has all of them."""


def descriptors(found: Iterable[Diagnostic], texts: Callable[[str], RuleText | None]) -> list[dict[str, Any]]:
    """The rules that speak, by id; one without a text of its own is as grave as its gravest finding."""
    gravest: dict[str, Severity] = {}
    for one in found:
        gravest[one.rule] = max(one.severity, gravest.get(one.rule, one.severity))
    return [_descriptor(rule_id, gravest[rule_id], texts(rule_id)) for rule_id in sorted(gravest)]


def _descriptor(rule_id: str, gravest: Severity, text: RuleText | None) -> dict[str, Any]:
    if text is None:
        law = f"The rule {rule_id}."
        text = RuleText("", gravest, enabled=True, summary=law, why="", markdown=law, plain=law)
    return {
        "id": rule_id,
        "name": "".join(word.capitalize() for word in rule_id.split("-")),
        "shortDescription": {"text": _truncate(text.summary)},
        "fullDescription": {"text": _truncate(f"{text.summary} {' '.join(text.why.split())}".rstrip())},
        "help": {"text": text.plain, "markdown": text.markdown},
        "defaultConfiguration": {"enabled": text.enabled, "level": LEVELS[text.severity]},
        "properties": {
            "tags": [text.group] if text.group else [],
            "precision": PRECISIONS[text.severity],
            "problem.severity": PROBLEMS[text.severity],
        },
    }


def _truncate(text: str) -> str:
    return text if len(text) <= MAX_DESCRIPTION_LENGTH else f"{text[: MAX_DESCRIPTION_LENGTH - 1]}…"
