"""Applies the suppressions of files and settings to the findings of a workspace."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from trialrun.diagnostic import Diagnostic
from trialrun.display_path import display_path
from trialrun.lint.suppression.apply import AppliedSuppressions, apply_suppressions
from trialrun.lint.suppression.suppress_tables import SuppressTables, table_ranges
from trialrun.lint.suppression.suppression import Suppression
from trialrun.lint.suppression.suppressor import SuppressionContext
from trialrun.workspace.lint_files import FileLinter


def apply_workspace_suppressions(
    diagnostics: Iterable[Diagnostic],
    suppressions: Sequence[Suppression],
    linting: FileLinter,
    *,
    paths: Collection[str],
    whole: bool,
    has_all_facts: bool,
) -> AppliedSuppressions:
    """The findings that remain, with those about suppressions in the checked files.

    `paths` are these files, and `whole` means that they are all files; `has_all_facts` that rules across files had all
    their input for these.
    """
    profiles = linting.profiles
    terms = SuppressionContext(
        profiles.of, linting.request.now.date(), whole, frozenset(paths), _ignore_tables(linting), has_all_facts
    )
    return apply_suppressions(diagnostics, suppressions, terms)


def _ignore_tables(linting: FileLinter) -> SuppressTables | None:
    profiles = linting.profiles
    settings = profiles.settings
    if not settings.ignore_tables or settings.file is None:
        return None
    text = (linting.files.bytes_of(settings.file) or b"").decode("utf-8", "replace")
    ranges = table_ranges(text, settings.ignore_tables)
    return SuppressTables(display_path(settings.file), settings.ignore_tables, ranges, profiles.path_of_settings)
