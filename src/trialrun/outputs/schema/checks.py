"""What `check`, `rules`, `suppressions`, `settings` and baselines print as JSON."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

Severity = Literal["error", "warning", "note"]
FilePath = Annotated[str, Field(description="relative to the working directory, with /")]
LineNumber = Annotated[int, Field(ge=1, description="counted from 1")]
Fingerprint = Annotated[
    str, Field(description="stays the same while the finding does: made of rule, resource and field path, not of lines")
]


class Position(TypedDict):
    """A position in a text."""

    line: LineNumber
    column: Annotated[int, Field(ge=1, description="counted from 1, in Unicode code points")]


class Range(TypedDict):
    """A part of a text."""

    start: Position
    end: Annotated[Position, Field(description="exclusive")]


class Related(TypedDict):
    """Another place that a finding is about."""

    message: str
    path: FilePath
    range: Range


class Edit(TypedDict):
    """A text that replaces a range."""

    range: Range
    text: str


class Fix(TypedDict):
    """A fix: all of its edits belong together."""

    title: str
    safe: Annotated[bool, Field(description="whether --fix makes it; the others take --unsafe-fixes")]
    edits: list[Edit]


class Diagnostic(TypedDict):
    """A finding with its location; findings are sorted by path, start, end, rule, pointer and message."""

    rule: Annotated[str, Field(description="the id of a rule or a policy")]
    severity: Severity
    message: str
    path: FilePath
    document: Annotated[int, Field(ge=0, description="the document of the file, counted from 0")]
    pointer: Annotated[str, Field(description="JSON Pointer from the root of the document; empty without a place")]
    range: Range
    related: list[Related]
    fix: Fix | None
    refusal: NotRequired[Annotated[str, Field(description="why a fix is not offered")]]
    fingerprint: Fingerprint


class Summary(TypedDict):
    """The counts of a run."""

    files: Annotated[int, Field(ge=0, description="files that were checked")]
    documents: Annotated[int, Field(ge=0, description="resources and companion documents in them")]
    passed_over: Annotated[int, Field(ge=0, description="files of other kinds, in which nothing is checked")]
    errors: Annotated[int, Field(ge=0)]
    warnings: Annotated[int, Field(ge=0)]
    notes: Annotated[int, Field(ge=0)]
    suppressed: Annotated[int, Field(ge=0, description="findings that suppressions cover")]
    baselined: NotRequired[Annotated[int, Field(ge=1, description="findings that the baseline has")]]
    fixed: NotRequired[Annotated[int, Field(ge=0, description="findings fixed by this run; only with --fix")]]


class NotChecked(TypedDict):
    """Something that the run could not check."""

    path: FilePath
    what: str
    why: str


class Report(TypedDict):
    """`trialrun check --output-format json`."""

    version: Literal[1]
    diagnostics: list[Diagnostic]
    summary: Summary
    not_checked: list[NotChecked]


class ShownFile(TypedDict):
    """A file, or the folder of a repository that the search does not enter."""

    path: FilePath
    kinds: Annotated[list[str], Field(description="the kinds of its documents, each once; empty where none is ours")]
    reason: Annotated[str | None, Field(description="why nothing in it is checked")]


class ShownFiles(TypedDict):
    """`trialrun check --show-files --output-format json`."""

    version: Literal[1]
    files: Annotated[list[ShownFile], Field(description="sorted by path, those of nested workspaces among them")]


class Rule(TypedDict):
    """A rule or a policy."""

    id: str
    group: str
    severity: Severity
    default: Annotated[bool, Field(description="whether it is in the default set")]
    law: Annotated[str, Field(description="the first sentence of its page")]
    specification: Annotated[str, Field(description="what it rests on")]
    options: Annotated[dict[str, Any], Field(description="the options it reads, with their defaults")]


class Rules(TypedDict):
    """`trialrun rules --output-format json`."""

    version: Literal[1]
    rules: list[Rule]


class NewDiagnostic(TypedDict):
    """A finding that another edition would newly report."""

    rule: str
    severity: Severity
    message: str
    path: FilePath
    line: LineNumber
    column: Annotated[int, Field(ge=1)]
    fingerprint: Fingerprint


Editions = TypedDict(
    "Editions",
    {
        "from": Annotated[str, Field(description="the edition in force at the top; workspaces inside go by their own")],
        "to": Annotated[str, Field(description="the other edition")],
    },
)


class NestedEdition(TypedDict):
    """The edition in force in a nested workspace, where it is not the one under `from`."""

    path: Annotated[str, Field(description="the folder of the workspace, relative to the working directory, with /")]
    edition: str


class RulesDiff(Editions):
    """`trialrun rules diff EDITION --output-format json`."""

    version: Literal[1]
    nested: Annotated[list[NestedEdition], Field(description="sorted by path")]
    added: Annotated[list[str], Field(description="rules that only the other edition has")]
    removed: Annotated[list[str], Field(description="rules that only the edition in force has")]
    diagnostics: list[NewDiagnostic]


class Suppression(TypedDict):
    """A suppression comment, or a table of the settings."""

    path: FilePath
    line: LineNumber
    sort: Annotated[str, Field(description="what it is: a comment, one of a whole file, or a table of the settings")]
    rules: list[str]
    covers: str
    reason: str
    owner: str | None
    since: Annotated[str | None, Field(description="the day git first has it, YYYY-MM-DD")]
    days: Annotated[int | None, Field(description="the days since then")]
    until: Annotated[str | None, Field(description="the last day it holds, YYYY-MM-DD")]
    expired: bool
    silenced: Annotated[int, Field(ge=0, description="findings that it covers")]
    unused: Annotated[list[str], Field(description="its rules that find nothing there")]
    unknown: Annotated[list[str], Field(description="its names that no rule has")]


class SuppressionCounts(TypedDict):
    """The counts of a list of suppressions."""

    suppressions: int
    expired: int
    unused: int
    unexplained: int


class Suppressions(TypedDict):
    """`trialrun suppressions --output-format json`."""

    version: Literal[1]
    suppressions: list[Suppression]
    summary: SuppressionCounts


class BaselineEntry(TypedDict):
    """A known finding; the fingerprint alone counts, the rest is for readers."""

    fingerprint: Fingerprint
    rule: str
    path: str
    pointer: str
    message: str


class Baseline(TypedDict):
    """The file that `trialrun baseline write` writes."""

    version: Literal[1]
    findings: list[BaselineEntry]


FromWhere = TypedDict(
    "FromWhere", {"from": Annotated[str, Field(description="the file, the override, the edition, or default")]}
)


class SettingInForce(FromWhere):
    """A value with its origin and its default."""

    value: Any
    default: Annotated[Any, Field(description="what holds where nobody gives a value; null for nothing")]


class SettingsInForce(TypedDict):
    """`trialrun settings --output-format json`."""

    version: Literal[1]
    workspace: Annotated[str, Field(description="the root of the workspace")]
    file: Annotated[str | None, Field(description="the file the settings hold for; null for the whole workspace")]
    settings: dict[str, SettingInForce]
    rules: Annotated[dict[str, SettingInForce], Field(description="every rule: on or off; its default, in the edition")]
