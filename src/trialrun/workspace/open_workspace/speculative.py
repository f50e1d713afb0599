"""Other texts tried in an open workspace, which stays as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from trialrun.workspace.open_workspace.catalog_cache import share_catalogs

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.open_workspace.open_workspace import Live

New = Callable[[Sequence["Diagnostic"], Sequence["Diagnostic"]], Iterable["Diagnostic"]]
"""What of some findings there was not before: of those before, and of those after."""


def changed(live: Live, texts: Mapping[str, bytes]) -> Live:
    """A copy of the workspace in which some files, by absolute path, have other texts."""
    after = live.copied()
    share_catalogs(live, after)
    for file, data in texts.items():
        after.put(file, data)
    return after


def found_by(live: Live, texts: Mapping[str, bytes], new: New) -> Diagnostic | None:
    """Something that is only found when some files have other texts; None where nothing is.

    Only these files are linted, and what is said across files is judged again by the rules whose facts change; files
    that have not been linted yet have no part in it, nor have conditions of other files that read types declared in
    these. Places and suppressions are looked at where something is new.
    """
    before, after = live.copied(), changed(live, texts)
    for one in (before, after):
        one.lint(texts)
    rules = after.differing(before, texts)
    if not list(new(before.told(texts, rules), after.told(texts, rules))):
        return None
    for one in (before, after):
        one.judge()
    return next(iter(new(_all(before), _all(after))), None)


def _all(live: Live) -> list[Diagnostic]:
    return [one for known in live.all_diagnostics().values() for one in known]
