"""The interface of reports: a function from a run to text; `load_report` finds it by format name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from trialrun.diagnostic import Diagnostic, NotChecked, Severity, Suppressed
from trialrun.text import Source

FORMATS = {
    "text": "trialrun.report.text",
    "concise": "trialrun.report.concise",
    "json": "trialrun.report.json",
    "sarif": "trialrun.report.sarif",
    "github": "trialrun.report.github",
    "gitlab": "trialrun.report.gitlab",
    "junit": "trialrun.report.junit",
    "rdjson": "trialrun.report.rdjson",
}
"""The output formats and the modules whose `report` writes them."""

Sources = Callable[[str], Source | None]
"""A function from a path to its text, None if it can no longer be read."""

FOR_PEOPLE = ("text", "concise")
"""Formats that `--statistics` replaces by its table; JSON and others always have every finding."""

WITHOUT_FIXES = frozenset({"github", "gitlab", "junit"})
"""Formats without information about fixes."""

INTERNAL_ERROR_EXIT_CODE = 3


class Summary(NamedTuple):
    """Counts of checked files and findings, without findings that are suppressed or in the baseline.

    `passed_over` counts files without documents of ours. `fixed` is the number of fixed findings and of files with
    fixes; None if nothing was to be fixed.
    """

    files: int = 0
    documents: int = 0
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    suppressed: int = 0
    baselined: int = 0
    passed_over: int = 0
    fixed: tuple[int, int] | None = None


class RuleText(NamedTuple):
    """The texts of a rule for reports: its group, its highest severity, and its documentation.

    `summary` is the first sentence and `why` the paragraphs after it; `markdown` and `plain` are the complete
    documentation. `scope` distinguishes policies with the same id and different texts: the path of a workspace, empty
    for the first.
    """

    group: str
    severity: Severity
    enabled: bool
    summary: str
    why: str
    markdown: str
    plain: str
    scope: str = ""


def _no_rule_text(rule_id: str, path: str) -> RuleText | None:
    return None


class Run(NamedTuple):
    """The result of checking a workspace.

    `diagnostics` are sorted. `sources` returns the text of a path, None if it can no longer be read; a report calls it
    once per sequence of findings with the same path. `version` is that of the program.

    `suppressed` are findings that are not reported. `files` are the checked paths, including those without findings.
    `rules` returns the text of a rule for a finding in a file, None if there is none. `fail_on` is the lowest severity
    that counts as a failure, and `has_internal_error` means that an internal error occurred. `home` is the URL of the
    project. `not_checked` is what could not be checked, sorted.
    """

    diagnostics: Sequence[Diagnostic]
    sources: Sources
    summary: Summary
    version: str
    suppressed: Sequence[Suppressed] = ()
    files: Sequence[str] = ()
    rules: Callable[[str, str], RuleText | None] = _no_rule_text
    fail_on: Severity = Severity.ERROR
    has_internal_error: bool = False
    home: str | None = None
    not_checked: Sequence[NotChecked] = ()

    @property
    def exit_code(self) -> int:
        """The exit code: 0 without failures, 1 with findings, 3 with an internal error."""
        if self.has_internal_error:
            return INTERNAL_ERROR_EXIT_CODE
        return int(any(diagnostic.severity >= self.fail_on for diagnostic in self.diagnostics))


class Report(Protocol):
    """Writes a run as pieces of text, starting before the last finding is known.

    `color` enables colors, and `width` is the maximum width of a line; formats for programs ignore both.
    """

    def __call__(self, run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]: ...


class UnknownFormat(LookupError):
    """There is no output format with this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f'there is no output format "{name}"; choose one of {", ".join(FORMATS)}')


def load_report(name: str) -> Report:
    """The report of a format; only its module is imported. Raises UnknownFormat, which lists the names."""
    if name not in FORMATS:
        raise UnknownFormat(name)
    return cast(Report, import_module(FORMATS[name]).report)
