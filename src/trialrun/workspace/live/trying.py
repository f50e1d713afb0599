"""Other texts tried in an open workspace, which stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from trialrun.workspace.live.catalogs import share_catalogs

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.live.live import Live


def tried(live: Live, texts: Mapping[str, bytes]) -> tuple[Live, list[Diagnostic], list[Diagnostic]]:
    """A copy of the workspace in which some files, by absolute path, have other texts; the findings before and after.

    Only these files are linted, and what is found across files is judged again by the rules whose facts change; files
    that have not been linted yet say nothing in either list.
    """
    before, after = live.copied(), live.copied()
    share_catalogs(live, after)
    for file, data in texts.items():
        after.put(file, data)
    for one in (before, after):
        one.settle(texts)
    return after, _all(before), _all(after)


def _all(live: Live) -> list[Diagnostic]:
    return [one for known in live.all_diagnostics().values() for one in known]
