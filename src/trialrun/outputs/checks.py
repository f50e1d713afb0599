"""What `check`, `rules`, `suppressions`, `settings` and baselines print as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any, Literal, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict  # pydantic reads no other before Python 3.12

from trialrun.lint import selection
from trialrun.lint.rule_docs import parse_docs
from trialrun.outputs.origin import Range, Severity
from trialrun.serialization import FilePath, LineNumber
from trialrun.working_folder import display_path
from trialrun.workspace.check import check_workspace, merge_results
from trialrun.workspace.workspaces import workspaces

if TYPE_CHECKING:
    from trialrun.lint import rule as catalogue
    from trialrun.lint.suppression.suppressors import Suppressor
    from trialrun.workspace import CheckRequest


Fingerprint = Annotated[
    str,
    Field(description="identifies a finding across edits: computed from rule, resource and field path, not from lines"),
]


class Related(TypedDict):
    """Another location that belongs to a finding."""

    message: str
    path: FilePath
    range: Range


class Edit(TypedDict):
    """A text that replaces a range."""

    range: Range
    text: str


class Fix(TypedDict):
    """A fix: its edits are applied together or not at all."""

    title: str
    safe: Annotated[bool, Field(description="whether --fix applies it; others need --unsafe-fixes")]
    edits: list[Edit]


class Diagnostic(TypedDict):
    """A finding with its location; findings are sorted by path, start, end, rule, pointer and message."""

    rule: Annotated[str, Field(description="the id of a rule or a policy")]
    severity: Severity
    message: str
    path: FilePath
    document: Annotated[int, Field(ge=0, description="the index of the document in the file, from 0")]
    pointer: Annotated[
        str, Field(description="JSON Pointer from the root of the document; empty if the finding has no field")
    ]
    range: Range
    related: list[Related]
    fix: Fix | None
    refusal: NotRequired[Annotated[str, Field(description="why a fix is not offered")]]
    fingerprint: Fingerprint


class Summary(TypedDict):
    """The counts of a run."""

    files: Annotated[int, Field(ge=0, description="files that were checked")]
    documents: Annotated[int, Field(ge=0, description="resources and companion documents in them")]
    passed_over: Annotated[int, Field(ge=0, description="files of other kinds, which are not checked")]
    errors: Annotated[int, Field(ge=0)]
    warnings: Annotated[int, Field(ge=0)]
    notes: Annotated[int, Field(ge=0)]
    suppressed: Annotated[int, Field(ge=0, description="suppressed findings")]
    baselined: NotRequired[Annotated[int, Field(ge=1, description="findings in the baseline")]]
    fixed: NotRequired[Annotated[int, Field(ge=0, description="findings fixed by this run; only with --fix")]]


class NotChecked(TypedDict):
    """Something that could not be checked."""

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
    """A file, or the folder of a nested repository that is not searched."""

    path: FilePath
    kinds: Annotated[
        list[str], Field(description="the kinds of its documents, without duplicates; empty if none is known")
    ]
    reason: Annotated[str | None, Field(description="why it is not checked")]


class ShownFiles(TypedDict):
    """`trialrun check --show-files --output-format json`."""

    version: Literal[1]
    files: Annotated[list[ShownFile], Field(description="sorted by path, including those of nested workspaces")]


class Rule(TypedDict):
    """A rule or a policy."""

    id: str
    group: str
    severity: Severity
    default: Annotated[bool, Field(description="whether it is on by default")]
    law: Annotated[str, Field(description="its summary: the first sentence of its page")]
    specification: Annotated[str, Field(description="its basis: a quotation of the specification, or best practice")]
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
        "from": Annotated[
            str, Field(description="the effective edition of the outermost workspace; nested ones have their own")
        ],
        "to": Annotated[str, Field(description="the other edition")],
    },
)


class NestedEdition(TypedDict):
    """The effective edition of a nested workspace, if it differs from `from`."""

    path: Annotated[str, Field(description="the folder of the workspace, relative to the working directory, with /")]
    edition: str


class RulesDiff(Editions):
    """`trialrun rules diff EDITION --output-format json`."""

    version: Literal[1]
    nested: Annotated[list[NestedEdition], Field(description="sorted by path")]
    added: Annotated[list[str], Field(description="rules that only the other edition has")]
    removed: Annotated[list[str], Field(description="rules that only the effective edition has")]
    diagnostics: list[NewDiagnostic]


class Suppression(TypedDict):
    """A suppression comment, or a table in the settings."""

    path: FilePath
    line: LineNumber
    sort: Annotated[str, Field(description="a comment, a comment for the whole file, or a table in the settings")]
    rules: list[str]
    covers: str
    reason: str
    owner: str | None
    since: Annotated[str | None, Field(description="date of the commit that added it, YYYY-MM-DD")]
    days: Annotated[int | None, Field(description="days since then")]
    until: Annotated[str | None, Field(description="last day on which it applies, YYYY-MM-DD")]
    expired: bool
    silenced: Annotated[int, Field(ge=0, description="findings that it suppresses")]
    unused: Annotated[list[str], Field(description="its rules that suppress nothing")]
    unknown: Annotated[list[str], Field(description="its names that are not rules")]


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
    """A known finding; only the fingerprint is compared, the rest is for readers."""

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
    """A value with its origin and default."""

    value: Any
    default: Annotated[Any, Field(description="the value if nothing sets it; null for none")]


class SettingsInForce(TypedDict):
    """`trialrun settings --output-format json`."""

    version: Literal[1]
    workspace: Annotated[str, Field(description="the root of the workspace")]
    file: Annotated[str | None, Field(description="the file that the settings apply to; null for the whole workspace")]
    settings: dict[str, SettingInForce]
    rules: Annotated[
        dict[str, SettingInForce], Field(description="every rule: on or off, and its default in the edition")
    ]


def rules_object(rules: Iterable[catalogue.Rule]) -> Rules:
    """The object of rules and policies."""
    listed: list[Rule] = [
        {
            "id": rule.id,
            "group": rule.group,
            "severity": cast(Severity, rule.severity.word),
            "default": rule.on,
            "law": parse_docs(rule.doc).summary,
            "specification": " ".join(parse_docs(rule.doc).specification.split()),
            "options": dict(rule.options),
        }
        for rule in rules
    ]
    return {"version": 1, "rules": listed}


def rules_diff(request: CheckRequest, edition: str) -> RulesDiff:
    """What another edition of the default rules would change. Raises KeyError for an unknown edition.

    Rules that the settings or the command line enable or disable explicitly are not part of it.
    """
    selection.added_after(edition)
    parts = [request] if request.workspace_at is None else workspaces(request)
    now = [part.profiles for part in parts]
    then = [profiles.under(edition) for profiles in now]
    results = [check_workspace(replace(part, profiles=under)) for part, under in zip(parts, then, strict=True)]
    number_of = {diagnostic.path: number for number, result in enumerate(results) for diagnostic in result.diagnostics}
    diagnostics: list[NewDiagnostic] = []
    for found in merge_results(list(zip(parts, results, strict=True))).diagnostics:
        number, start = number_of[found.path], found.range.start
        if found.rule in then[number].of(found.path).rules - now[number].of(found.path).rules:
            diagnostics.append(
                {
                    "rule": found.rule,
                    "severity": cast(Severity, found.severity.word),
                    "message": found.message,
                    "path": found.path,
                    "line": start.line,
                    "column": start.column,
                    "fingerprint": found.fingerprint,
                }
            )
    rules = [(before.whole.rules, after.whole.rules) for before, after in zip(now, then, strict=True)]
    own = request.profiles.settings.edition or selection.NEWEST
    nested = {display_path(part.root): part.profiles.settings.edition or selection.NEWEST for part in parts}
    return {
        "version": 1,
        "from": own,
        "to": edition,
        "added": sorted({rule for before, after in rules for rule in after - before}),
        "removed": sorted({rule for before, after in rules for rule in before - after}),
        "nested": [{"path": path, "edition": other} for path, other in sorted(nested.items()) if other != own],
        "diagnostics": diagnostics,
    }


def suppressions_object(
    statuses: Iterable[Suppressor], born: Mapping[tuple[str, int], date], today: date
) -> Suppressions:
    """The object of suppressions; `born` has the days on which the lines of paths were last changed."""
    listed = [suppression_object(status, born.get((status.path, status.line)), today) for status in statuses]
    counts: SuppressionCounts = {
        "suppressions": len(listed),
        "expired": sum(entry["expired"] for entry in listed),
        "unused": sum(bool(entry["unused"]) for entry in listed),
        "unexplained": sum(not entry["reason"] for entry in listed),
    }
    return {"version": 1, "suppressions": listed, "summary": counts}


def suppression_object(status: Suppressor, born: date | None, today: date) -> Suppression:
    """The object of a suppression, whose line was last changed on the day `born`."""
    return {
        "path": status.path,
        "line": status.line,
        "sort": status.sort,
        "rules": list(status.rules),
        "covers": status.area,
        "reason": status.reason,
        "owner": status.owner,
        "since": born.isoformat() if born else None,
        "days": max((today - born).days, 0) if born else None,
        "until": status.until,
        "expired": status.expired,
        "silenced": status.silenced,
        "unused": list(status.unused),
        "unknown": list(status.unknown),
    }
