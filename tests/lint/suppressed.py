"""A file linted and silenced, as tests of suppressions ask for it."""

from __future__ import annotations

from datetime import date

from trialrun.diagnostic import Diagnostic
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.file_result import FileResult
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import Selection, default_selection
from trialrun.lint.suppression.apply import AppliedSuppressions, SuppressionContext, SuppressTables, apply_suppressions
from trialrun.lint.workspace_rules import FactLocations, run_workspace_rules

PATH = "file.yaml"
TODAY = EXAMPLE_TIME.date()


def linted(data: bytes, *, path: str = PATH, selection: Selection | None = None) -> FileResult:
    """The report of a file, with what rules across files say of it alone."""
    selection = selection or default_selection()
    linter = Linter(selection, now=EXAMPLE_TIME, session_types=lambda: session_types(()))
    report = linter.lint(data, path, is_explicit=True)
    report.diagnostics += run_workspace_rules(report.facts, selection, FactLocations(lambda path: data))
    return report


def silenced(
    text: str | bytes,
    *,
    path: str = PATH,
    today: date = TODAY,
    selection: Selection | None = None,
    whole: bool = True,
    tables: SuppressTables | None = None,
) -> AppliedSuppressions:
    """What silencing makes of a file that is the whole workspace."""
    data = text if isinstance(text, bytes) else text.encode()
    report = linted(data, path=path, selection=selection)
    terms = SuppressionContext(lambda path: selection or default_selection(), today, whole, frozenset({path}), tables)
    return apply_suppressions(report.diagnostics, report.suppressions, terms)


def told(found: list[Diagnostic]) -> list[tuple[int, str]]:
    """The line and the rule of each diagnostic, in order."""
    return [
        (diagnostic.range.start.line, diagnostic.rule)
        for diagnostic in sorted(found, key=lambda diagnostic: diagnostic.sort_key)
    ]
