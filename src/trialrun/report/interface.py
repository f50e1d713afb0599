"""The role of a report: it takes a run and yields text; `report` looks one up by the name of its format."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Protocol, cast

from trialrun.diagnostic import Diagnostic, NotChecked, Severity, Suppressed
from trialrun.lazy_dataclass import dataclass
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
"""The name of every output format and the module whose `report` writes it."""

Sources = Callable[[str], Source | None]
"""The text of a path, None if it cannot be read any more."""

FOR_PEOPLE = ("text", "concise")
"""The formats that `--statistics` replaces by its table; a program gets every finding and counts for itself."""

WITHOUT_FIXES = frozenset({"github", "gitlab", "junit"})
"""The formats that say nothing of fixes, neither how a finding is fixed nor how many can be."""

INTERNAL_ERROR_EXIT_CODE = 3


@dataclass(frozen=True, slots=True)
class Summary:
    """How much was checked and how much was found; what is suppressed or in the baseline is in no other count.

    `passed_over` counts files that hold nothing of ours. `fixed` says how many findings were fixed, in how many files;
    None if nothing was to be fixed.
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


@dataclass(frozen=True, slots=True)
class RuleText:
    """What a report may tell of a rule: its group, its severity (the higher where it has two), and its page.

    `summary` is the first sentence of the page and `why` the paragraphs after it; `markdown` and `plain` are all of it.
    `scope` tells policies of one id and different texts apart: the path of a workspace, empty for the first of them.
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


@dataclass(frozen=True, slots=True)
class Run:
    """What one check of a workspace answers.

    `diagnostics` are in the order of `Diagnostic.order`. `sources` gives the text of a path that a diagnostic names, or
    None if it cannot be read any more; a report asks once for every run of findings of one path. `version` is the
    version of the program.

    `suppressed` are findings that are not reported. `files` are the paths that were looked into, sound ones as well.
    `rules` gives the text of a rule for a finding in a file, by its path, None if there is none. `fail_on` is the
    severity from which findings count as a failure, and `has_internal_error` says that the check met an internal error.
    `home` is the address of the project. `not_checked` is what the check could not judge, sorted.
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
        """How the check ends: 0 with nothing to fail on, 1 with findings, 3 with an internal error."""
        if self.has_internal_error:
            return INTERNAL_ERROR_EXIT_CODE
        return int(any(diagnostic.severity >= self.fail_on for diagnostic in self.diagnostics))


class Report(Protocol):
    """Write a run as pieces of text, the first one before the last finding is looked at.

    `color` says whether to send colours and `width` how many columns a line may take; formats for programs ignore both.
    """

    def __call__(self, run: Run, *, color: bool = False, width: int = 80) -> Iterator[str]: ...


class UnknownFormat(LookupError):
    """There is no output format of this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f'there is no output format "{name}"; choose one of {", ".join(FORMATS)}')


def load_report(name: str) -> Report:
    """The report that writes a format; only its module is imported.

    Raises UnknownFormat, which lists the names, for any other name.
    """
    if name not in FORMATS:
        raise UnknownFormat(name)
    return cast(Report, import_module(FORMATS[name]).report)
