"""The suppressions of a workspace, of its files and its settings, applied to what was found in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from trialrun.diagnostic import Diagnostic
from trialrun.lint.suppression.apply import Silenced, silence
from trialrun.lint.suppression.suppress_tables import Tables, headers
from trialrun.lint.suppression.suppression import Suppression
from trialrun.lint.suppression.suppressor import Terms
from trialrun.workspace.discovery import shown_path
from trialrun.workspace.lint_files import Linting


def silenced(
    diagnostics: Iterable[Diagnostic],
    suppressions: Sequence[Suppression],
    linting: Linting,
    *,
    paths: Collection[str],
    whole: bool,
) -> Silenced:
    """What stays of some diagnostics, and what is said about the suppressions in the files that were looked at.

    `paths` are these files, and `whole` says that they are all there are.
    """
    profiles = linting.terms.profiles
    terms = Terms(profiles.of, linting.terms.now.date(), whole, frozenset(paths), _tables(linting))
    return silence(diagnostics, suppressions, terms)


def _tables(linting: Linting) -> Tables | None:
    profiles = linting.terms.profiles
    settings = profiles.settings
    if not settings.ignore_tables or settings.file is None:
        return None
    text = (linting.terms.files.bytes_of(settings.file) or b"").decode("utf-8", "replace")
    ranges = headers(text, settings.ignore_tables)
    return Tables(shown_path(settings.file), settings.ignore_tables, ranges, profiles.path_of_settings)
