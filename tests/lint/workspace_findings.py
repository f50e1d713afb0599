"""Files that rules judge, together or one by itself, and what suppressions leave of that, as tests write them."""

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from trialrun.diagnostic import Diagnostic
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.file_result import FileResult
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection, default_selection
from trialrun.lint.suppression.apply import AppliedSuppressions, apply_suppressions
from trialrun.lint.suppression.suppressors import SuppressionContext, SuppressTables
from trialrun.lint.workspace_rules import FactLocations, run_workspace_rules

Files = list[tuple[str, str]]
PATH = "file.yaml"
TODAY = EXAMPLE_TIME.date()


def judged(rule: str | Iterable[str], files: Files, options: Mapping[str, Any] | None = None) -> list[Diagnostic]:
    """What a rule, or some, find across files, each given by its path and text."""
    selection = Selection(frozenset({rule} if isinstance(rule, str) else rule), {}, options or {})
    linter = Linter(selection, now=EXAMPLE_TIME, session_types=lambda: session_types(()))
    facts = [fact for path, text in files for fact in linter.lint(text.encode(), path).facts]
    texts = dict(files)
    return run_workspace_rules(facts, selection, FactLocations(lambda path: texts[path].encode()))


def told(rule: str | Iterable[str], files: Files, options: Mapping[str, Any] | None = None) -> list[str]:
    """The same as lines of path, line and message."""
    return [f"{finding.path}:{finding.range.start.line} {finding.message}" for finding in judged(rule, files, options)]


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
    report = linted(text if isinstance(text, bytes) else text.encode(), path=path, selection=selection)
    terms = SuppressionContext(lambda path: selection or default_selection(), today, whole, frozenset({path}), tables)
    return apply_suppressions(report.diagnostics, report.suppressions, terms)
