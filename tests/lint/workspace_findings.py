"""Files that a rule across files judges together, as tests write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.lint import workspace_rules
from trialrun.lint.engine import Linter
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import Selection
from trialrun.lint.workspace_rules import FactLocations

Files = list[tuple[str, str]]


def judged(rule: str | Iterable[str], files: Files, options: Mapping[str, Any] | None = None) -> list[Diagnostic]:
    """What a rule, or some, find across files, each given by its path and text."""
    selection = Selection(frozenset({rule} if isinstance(rule, str) else rule), {}, options or {})
    linter = Linter(selection, now=datetime(2026, 11, 20, tzinfo=UTC), session_types=lambda: session_types(()))
    facts = [fact for path, text in files for fact in linter.lint(text.encode(), path).facts]
    texts = dict(files)
    return workspace_rules.run_workspace_rules(facts, selection, FactLocations(lambda path: texts[path].encode()))


def told(rule: str | Iterable[str], files: Files, options: Mapping[str, Any] | None = None) -> list[str]:
    """The same as lines of path, line and message."""
    return [f"{finding.path}:{finding.range.start.line} {finding.message}" for finding in judged(rule, files, options)]
