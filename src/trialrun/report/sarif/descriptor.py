"""Descriptions of rules in SARIF, with their documentation as help."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.report.interface import RuleText

LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
PRECISIONS = {Severity.ERROR: "very-high", Severity.WARNING: "high", Severity.NOTE: "medium"}
"""Precision by severity: an error contradicts the specification; a warning is usually unintended; a note may be
intended.
"""

MAX_DESCRIPTION_LENGTH = 1024
"""Maximum length of a description in GitHub; the help is complete."""


Texts = Callable[[str, str], RuleText | None]
"""A function from a rule id and a path to the text of the rule."""


class Descriptors:
    """The descriptors of the rules with results, by id; a rule without text gets the highest severity of its findings.

    If workspaces have different policies with the same id, each has a descriptor with a hierarchical id (SARIF 3.52.4).
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], texts: Texts) -> None:
        self._texts = texts
        rules: dict[str, tuple[str, Severity, RuleText | None]] = {}
        for diagnostic in diagnostics:
            rule_id, text = self.rule_id(diagnostic), texts(diagnostic.rule, diagnostic.path)
            gravest = max(diagnostic.severity, rules[rule_id][1]) if rule_id in rules else diagnostic.severity
            rules[rule_id] = (diagnostic.rule, gravest, text)
        self.all = [{"id": rule_id, **_descriptor(*rules[rule_id])} for rule_id in sorted(rules)]
        self._indexes = {rule["id"]: index for index, rule in enumerate(self.all)}

    def rule_id(self, diagnostic: Diagnostic) -> str:
        """The descriptor id for a finding."""
        text = self._texts(diagnostic.rule, diagnostic.path)
        return f"{diagnostic.rule}/{text.scope}" if text and text.scope else diagnostic.rule

    def reference(self, diagnostic: Diagnostic) -> dict[str, Any]:
        """The reference to the rule in a result."""
        rule_id = self.rule_id(diagnostic)
        return {"ruleId": rule_id, "ruleIndex": self._indexes[rule_id]}


def _descriptor(rule_id: str, gravest: Severity, text: RuleText | None) -> dict[str, Any]:
    if text is None:
        law = f"The rule {rule_id}."
        text = RuleText("", gravest, enabled=True, summary=law, why="", markdown=law, plain=law)
    return {
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
