"""The findings of a workspace under another edition of the default rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from trialrun.diagnostic import Diagnostic
from trialrun.display_path import display_path
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import editions
from trialrun.workspace.check import check_workspace, merge_results
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.workspaces import workspaces


@dataclass(frozen=True)
class EditionDiff:
    """The difference between two editions: added and removed rules, and the diagnostics of the added ones.

    `other_editions` are the editions of nested workspaces that differ from `before`, by folder.
    """

    before: str
    after: str
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    other_editions: dict[str, str] = field(default_factory=dict)


def edition_diff(request: CheckRequest, edition: str) -> EditionDiff:
    """The difference that another edition would make. Raises KeyError for an unknown edition.

    Rules that the settings or the command line enable or disable explicitly are not part of it.
    """
    editions.added_after(edition)
    parts = [request] if request.workspace_at is None else workspaces(request)
    now = [part.profiles for part in parts]
    then = [profiles.under(edition) for profiles in now]
    results = [check_workspace(replace(part, profiles=under)) for part, under in zip(parts, then, strict=True)]
    number_of = {diagnostic.path: number for number, result in enumerate(results) for diagnostic in result.diagnostics}

    def is_new(one: Diagnostic) -> bool:
        number = number_of[one.path]
        return one.rule in then[number].of(one.path).rules - now[number].of(one.path).rules

    rules = [(before.whole.rules, after.whole.rules) for before, after in zip(now, then, strict=True)]
    return EditionDiff(
        request.profiles.settings.edition or editions.NEWEST,
        edition,
        sorted({rule for before, after in rules for rule in after - before}),
        sorted({rule for before, after in rules for rule in before - after}),
        [
            diagnostic
            for diagnostic in merge_results(list(zip(parts, results, strict=True))).diagnostics
            if is_new(diagnostic)
        ],
        _other_editions(request, parts),
    )


def _other_editions(request: CheckRequest, parts: Sequence[CheckRequest]) -> dict[str, str]:
    """The editions of nested workspaces that differ from that of the request, by root."""
    own = request.profiles.settings.edition or editions.NEWEST
    found = {display_path(part.root): part.profiles.settings.edition or editions.NEWEST for part in parts}
    return {path: edition for path, edition in found.items() if edition != own}
