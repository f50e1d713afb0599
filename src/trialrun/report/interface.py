"""The interface of reports: a function from a run to text; `load_report` finds it by format name.

Reports for programs have locations as these write them: normalized paths, URIs, and columns in their units.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from trialrun.diagnostic import Diagnostic, NotChecked, Range, Severity, Suppressed
from trialrun.text import Position, Source

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
    rules: Callable[[str, str], RuleText | None] = lambda rule_id, path: None
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


def load_report(name: str) -> Report:
    """The report of a format; only its module is imported. Raises LookupError, which lists the names."""
    if name not in FORMATS:
        raise LookupError(f'there is no output format "{name}"; choose one of {", ".join(FORMATS)}')
    return cast(Report, import_module(FORMATS[name]).report)


WINDOWS_DRIVE = re.compile(r"[A-Za-z]:/")
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
"""Bytes of a name that are not UTF-8, as Python decodes them; some JSON readers reject them."""


def normalize_path(path: str) -> str:
    """The path without `./` and similar steps; `..` at the start is kept."""
    return posixpath.normpath(path)


def printable_path(path: str) -> str:
    """The normalized path with U+FFFD for bytes that are not UTF-8."""
    return LONE_SURROGATE.sub("\ufffd", normalize_path(path))


def path_to_uri(path: str) -> str:
    """The path as a URI: a relative reference, or a `file:` URI for an absolute path.

    Bytes of a name that are not UTF-8 are percent-encoded.
    """
    short = normalize_path(path)
    if WINDOWS_DRIVE.match(short):
        return f"file:///{short[0]}:{_percent_encode(short[2:])}"
    return f"file://{_percent_encode(short)}" if short.startswith("/") else _percent_encode(short)


def _percent_encode(path: str) -> str:
    from urllib.parse import quote  # most reports have no URIs

    try:
        return quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:  # a lone surrogate in a UTF-16 name
        return quote(path.encode("utf-8", "surrogatepass"))


ColumnUnit = Callable[[Source, Position], int]
"""The column of a position in some unit, from 1."""


def convert_columns(place: Range, source: Source | None, unit: ColumnUnit) -> Range | None:
    """The range with its columns in a unit; None if the text is not there, or no longer has these lines."""
    if source is None or not 1 <= place.start.line <= place.end.line <= len(source.line_starts):
        return None
    start, end = (Position(position.line, unit(source, position)) for position in (place.start, place.end))
    return Range(start, max(start, end))


def utf16_column(source: Source, position: Position) -> int:
    """The column in UTF-16 code units; a byte order mark is not counted."""
    return source.utf16_column(position)


def utf8_column(source: Source, position: Position) -> int:
    """The column in bytes of UTF-8 unchanged in the file, a byte order mark among them."""
    mark = 3 if source.bom and source.encoding == "utf-8" and position.line == 1 else 0
    return mark + source.utf8_column(position)
