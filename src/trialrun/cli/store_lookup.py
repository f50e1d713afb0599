"""What the commands about a store share: the store that a name means, and how errors in its documents are reported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from trialrun.cli.check_options import default_request
from trialrun.cli.output import write_utf8
from trialrun.errors import UsageError
from trialrun.outputs.origin import store_titles
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.store_dry_run import StoreDryRun

MAX_NAMES = 10


def find_store(name: str, options: dict[str, Any]) -> StoreDryRun:
    """The store that a resource name, the end of one, or an id means, under trial. Raises UsageError."""
    from trialrun.runtime.declaration import UndeclaredError
    from trialrun.workspace.store_dry_run import store_dry_run

    try:
        return store_dry_run(default_request((), options), name)
    except UndeclaredError as error:
        raise UsageError(f"{error}{suggest_names(name, error.candidates)}") from error


def suggest_names(name: str, known: Sequence[str]) -> str:
    """The nearest name, else all there are; empty if several stores have the name."""
    from trialrun.values.resource_name import is_same_resource, last_id

    if any(is_same_resource(entry, name) for entry in known):
        return ""
    ids = sorted({last_id(entry) for entry in known})
    if not ids:
        return "; the workspace declares no store in a Brand"
    listed = f"{', '.join(ids[:MAX_NAMES])}{', …' if len(ids) > MAX_NAMES else ''}"
    return did_you_mean(name, known) or f"; there are {listed}"


def store_title(trial: StoreDryRun) -> str:
    """The id of a store, for people; of a store whose id others have too, its name."""
    return store_titles(trial.catalog.stores)[trial.store.name]


def report_store_errors(trial: StoreDryRun, errors: Sequence[Diagnostic], options: dict[str, Any]) -> int:
    """Show the errors for which nothing is played at a store; the exit code."""
    from trialrun.cli.report_error import show_diagnostics
    from trialrun.report.json_encoding import json_text

    show_diagnostics(errors, trial.request.source, color=options["color"])
    if options["output_format"] == "json":
        error_objects = [
            {"path": error.path, "line": error.range.start.line, "message": error.message} for error in errors
        ]
        write_utf8([json_text({"version": 1, "store": trial.store.name, "errors": error_objects}), "\n"])
    return 1
