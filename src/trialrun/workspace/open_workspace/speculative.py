"""Tries other texts in a copy of an open workspace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.workspace.open_workspace.catalog_cache import share

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace.open_workspace import OpenWorkspace

New = Callable[[Sequence["Diagnostic"], Sequence["Diagnostic"]], Iterable["Diagnostic"]]
"""A function that returns the new findings, given those before and after."""


def with_texts(live: OpenWorkspace, texts: Mapping[str, bytes]) -> OpenWorkspace:
    """A copy of the workspace in which some files, by absolute path, have other texts."""
    after = live.copy()
    share(live, after)
    for file, data in texts.items():
        after.set_overlay(file, data)
    return after


def new_findings(live: OpenWorkspace, texts: Mapping[str, bytes], new: New) -> Diagnostic | None:
    """A finding that only exists if some files have other texts; None if there is none.

    Only these files are linted, and rules across files are run again if their facts change. Files that have not been
    linted yet are left out, and so are conditions of other files that use types declared in these. Locations and
    suppressions are computed only for new findings.
    """
    before, after = live.copy(), with_texts(live, texts)
    for open_workspace in (before, after):
        open_workspace.lint(texts)
    rules = after.changed_rules(before, texts)
    if not list(new(before.findings_of(texts, rules), after.findings_of(texts, rules))):
        return None
    for one in (before, after):
        one.run_workspace_rules()
    return next(iter(new(_all_findings(before), _all_findings(after))), None)


def _all_findings(live: OpenWorkspace) -> list[Diagnostic]:
    return [entry for diagnostic in live.all_diagnostics().values() for entry in diagnostic]
