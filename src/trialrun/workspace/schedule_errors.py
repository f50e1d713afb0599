"""Errors that explain why a view has no schedule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic
from trialrun.lint.file_result import MASKING_RULES
from trialrun.lint.settings import Profiles
from trialrun.workspace.check import check

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.workspace.check_request import CheckRequest

SCHEDULE_RULES = ("cron-never-fires", "cron-syntax", "union-conflict", "unknown-time-zone", "wrong-type")
SCHEDULE_POINTER = "/syncconfig"


def schedule_errors(
    request: CheckRequest, views: Sequence[DeclaredResource[FeatureView]], troubled: Sequence[str]
) -> list[Diagnostic]:
    """The findings in the syncConfig of some views, and about unreadable parts of some files.

    Includes suppressed ones: a suppression does not make the schedule valid.
    """
    paths = {*(view.path for view in views), *troubled}
    if not paths:
        return []
    profiles = Profiles(request.profiles.settings, select=(*SCHEDULE_RULES, *MASKING_RULES))
    outcome = check(replace(request, paths=sorted(paths), profiles=profiles, as_discovered=True, baseline=None))
    found = [*outcome.diagnostics, *(suppressed.diagnostic for suppressed in outcome.suppressed)]
    diagnostics = [
        file for file in found if file.rule in MASKING_RULES or any(_is_in_schedule(file, view) for view in views)
    ]
    return sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key)


def _is_in_schedule(diagnostic: Diagnostic, view: DeclaredResource[FeatureView]) -> bool:
    """Whether a finding is at or below the syncConfig of a view, in any spelling."""
    if (diagnostic.path, diagnostic.document) != (view.path, view.document) or not diagnostic.pointer.startswith(
        view.pointer
    ):
        return False
    return diagnostic.pointer.removeprefix(view.pointer).replace("_", "").lower().startswith(SCHEDULE_POINTER)
