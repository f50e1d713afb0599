"""Library API for checks: the result of `trialrun check` as values."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, cast

from trialrun.diagnostic import Diagnostic, NotChecked, Severity, Suppressed
from trialrun.errors import UsageError
from trialrun.outputs.report_run import report_run
from trialrun.report.interface import FORMATS, Run, Summary, load_report
from trialrun.workspace import UnknownPath
from trialrun.workspace import check as check_request
from trialrun.workspace.check_request import CheckOptions, open_request, read_baseline_file

if TYPE_CHECKING:
    from trialrun.outputs.checks import Report as ReportObject

Path = str | os.PathLike[str]
Format = Literal["text", "concise", "json", "sarif", "github", "gitlab", "junit", "rdjson"]
SeverityWord = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class Report:
    """What a check found, in the order of path, place, rule and message."""

    run: Run

    @property
    def diagnostics(self) -> Sequence[Diagnostic]:
        """The findings, each with its path, range, severity, message and fix."""
        return self.run.diagnostics

    @property
    def suppressed(self) -> Sequence[Suppressed]:
        """The findings that suppressions cover."""
        return self.run.suppressed

    @property
    def files(self) -> Sequence[str]:
        """The paths that were checked, relative to the working directory."""
        return self.run.files

    @property
    def not_checked(self) -> Sequence[NotChecked]:
        """What could not be checked, with the reasons."""
        return self.run.not_checked

    @property
    def summary(self) -> Summary:
        """The counts of files, documents and findings."""
        return self.run.summary

    def passed(self, *, fail_on: SeverityWord = "error") -> bool:
        """Whether nothing at or above a severity was found, and trialrun itself did not fail."""
        least = Severity[fail_on.upper()]
        return not self.run.has_internal_error and all(diagnostic.severity < least for diagnostic in self.diagnostics)

    def render(self, format: Format = "text", *, color: bool = False, width: int = 80) -> str:
        """The report as `trialrun check --output-format FORMAT` prints it."""
        if format not in FORMATS:
            raise UsageError(f'there is no format "{format}"; choose one of {", ".join(FORMATS)}')
        return "".join(load_report(format)(self.run, color=color, width=width))

    def to_dict(self) -> ReportObject:
        """The report as the object of `--output-format json`."""
        return cast("ReportObject", json.loads(self.render("json")))


def check(
    paths: Path | Sequence[Path] = (),
    *,
    text: str | bytes | None = None,
    filename: Path = "stdin.yaml",
    at: datetime | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    policies: Sequence[str] = (),
    baseline: Path | None = None,
    isolated: bool = False,
    jobs: int = 1,
    cache: bool = True,
) -> Report:
    """Check files and folders, or the text of one file; without any, the workspace of the working directory.

    `text` is checked as the file `filename`, whose settings hold for it. `at` is the clock, with an offset; now when
    None. `select`, `ignore` and `policies` have names as the options of the command have them, `isolated` reads no
    settings, `jobs` is the number of processes, all cores when 0.

    A script that is checked with more than one job needs `if __name__ == "__main__":`, as multiprocessing has it.
    Raises UsageError for a path that does not exist, for wrong settings and for a rule that does not exist.
    """
    baselined = read_baseline_file(os.fspath(baseline)) if baseline is not None else None
    names = [*select], [*ignore], [*policies]
    choices = CheckOptions(
        utc_time(at), *names, is_isolated=isolated, with_baselines=baselined is None, jobs=jobs, cache=cache
    )
    path_list = [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    if text is None:
        request = open_request(path_list, choices)
    elif path_list:
        raise UsageError("check takes either paths or a text; give one of the two")
    else:
        name = os.fspath(filename)
        request = open_request([name], choices, text=(name, text.encode() if isinstance(text, str) else text))
    try:
        outcome = check_request(request).without_baseline(baselined)
    except UnknownPath as error:
        raise UsageError(f"there is no file or folder {error}") from error
    run = report_run(request, outcome, "error")
    return Report(run._replace(files=tuple(run.files), diagnostics=tuple(run.diagnostics)))


def utc_time(at: datetime | None) -> datetime:
    """A time in UTC, now when None. Raises UsageError for one without an offset."""
    if at is None:
        return datetime.now(UTC)
    if at.utcoffset() is None:
        raise UsageError(f"the time {at.isoformat()} has no offset; give it a time zone, such as tzinfo=UTC")
    return at.astimezone(UTC)
