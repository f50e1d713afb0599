"""What the commands of trial runs share: their options, the workspace under trial, and the view that a name means."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trialrun.cli.check_options import default_request
from trialrun.cli.options import ALLOW_PATH, AT_HELP, COLOR, TEXT_OR_JSON, allowed_folder_options, parse_time
from trialrun.cli.output import write_utf8
from trialrun.errors import UsageError
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.diagnostic import Diagnostic
    from trialrun.model.feature_view import FeatureView
    from trialrun.report.color import Paint
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.options import Options
    from trialrun.workspace import CheckRequest
    from trialrun.workspace.dry_run import DryRun

Command = TypeVar("Command", bound=Callable[..., Any])
OPTIONS = (
    TEXT_OR_JSON,
    click.option("--isolated", is_flag=True, help="Do not read settings files."),
    ALLOW_PATH,
    COLOR,
)
STORE = click.option(
    "--store",
    metavar="ADDRESS",
    help="The online store: redis://HOST:PORT, or an alias of your own settings; TRIALRUN_STORE where it is not given.",
)
ENGINE = click.option(
    "--engine",
    metavar="ADDRESS",
    help="What reads the sources: spark://HOST:PORT, or an alias of your own settings; TRIALRUN_ENGINE if not given.",
)
AT = click.option("--at", metavar="TIME", help=AT_HELP)
ACCESS = click.option("--access", type=click.Path(dir_okay=False), help="Your file of callers and of their policies.")
THEN_HELP = "Show what was served at this time: RFC 3339, or a date (midnight UTC)."
MAX_NAMES = 10


def workspace_options(command: Command) -> Command:
    """Give a command the options of every trial run."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def access_options(options: dict[str, Any]) -> list[str]:
    """The options that say which files are read, in parts of a command that stay together."""
    from shlex import quote

    return [
        *(["--isolated"] if options["isolated"] else []),
        *(f"--allow-path {quote(folder)}" for folder in allowed_folder_options()),
    ]


def dry_run_from_options(options: dict[str, Any]) -> DryRun:
    """The workspace of the working directory under trial, at the time of `--at`. Raises UsageError."""
    from trialrun.runtime.clock import FixedClock, SystemClock
    from trialrun.workspace.dry_run import dry_run

    at = options.get("at")
    clock = SystemClock() if at is None else FixedClock(parse_time(at))
    request = default_request((), options)
    return dry_run(
        request, clock, store=options.get("store"), engine=options.get("engine"), is_isolated=options["isolated"]
    )


def request_and_options(options: dict[str, Any]) -> tuple[CheckRequest, Options]:
    """The workspace of the working directory, and its choices for trial runs, as they are now. Raises UsageError."""
    from trialrun.workspace.dry_run import options_of

    request = default_request((), options)
    return request, options_of(request, options.get("engine"), is_isolated=options["isolated"])


def find_view(name: str, trial: DryRun) -> DeclaredResource[FeatureView]:
    """The view that a resource name, the end of one, or an id means. Raises UsageError, which names the nearest."""
    from trialrun.runtime.declaration import UndeclaredError

    try:
        return trial.catalog.view(name)
    except UndeclaredError as error:
        raise UsageError(
            f"{error}{suggest_names(name, error.candidates)}{_unreadable_files(trial.catalog.unreadable_paths)}"
        ) from error


def _unreadable_files(paths: Sequence[str]) -> str:
    """The files that the view may be in and that cannot be read."""
    return f"; run trialrun check to see what cannot be read in {', '.join(paths[:MAX_NAMES])}" if paths else ""


def suggest_names(name: str, known: Sequence[str]) -> str:
    """The nearest name, else all there are, where no name fits; empty if too many do."""
    from trialrun.values.resource_name import is_same_resource, last_id

    if any(is_same_resource(entry, name) for entry in known):  # it is named, by several
        return ""
    ids = sorted({last_id(entry) for entry in known})
    if not ids:
        return "; the workspace declares no view"
    listed = f"{', '.join(ids[:MAX_NAMES])}{', …' if len(ids) > MAX_NAMES else ''}"
    return did_you_mean(name, known) or f"; there are {listed}"


@contextmanager
def store_errors_as_usage() -> Iterator[None]:
    """Makes what keeps a store from being read or written a UsageError."""
    from trialrun.runtime.feature_view.store.interface import StoreError

    try:
        yield
    except StoreError as error:
        raise UsageError(str(error)) from error


def view_name(view: DeclaredResource[FeatureView]) -> str:
    """The resource name of a view that was found by its name."""
    return view.node.name or ""


def view_title(view: DeclaredResource[FeatureView], trial: DryRun) -> str:
    """The id of a view, for people; of a view whose id others have too, as much of its name as they do not have."""
    from trialrun.values.resource_name import is_same_resource, last_id

    name = view_name(view)
    id = last_id(name)
    same = [one for one in map(view_name, trial.catalog.views) if one != name and last_id(one) == id]
    parts = name.split("/")
    ends = ("/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1))
    return next((end for end in ends if not any(is_same_resource(one, end) for one in same)), name)


def document_error(
    view: DeclaredResource[FeatureView], rule: str, message: str, steps: Sequence[str | int]
) -> Diagnostic:
    """An error about a part of a view's document, of which the file may have less than the model: then about it all."""
    from trialrun.diagnostic import Diagnostic, Severity, SymbolicLocation

    return Diagnostic(
        rule=rule,
        severity=Severity.ERROR,
        message=message,
        path=view.path,
        range=view.locate(SymbolicLocation(view.node, tuple(steps))),
        document=view.document,
    )


class DocumentError(Exception):
    """A deed that a document of the workspace does not allow: the command ends with exit code 1."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def show_document_errors(diagnostics: Sequence[Diagnostic], trial: DryRun, color: str) -> None:
    """Show on standard error what is wrong in files, after what was printed before."""
    from trialrun.cli.report_error import show_diagnostics

    sys.stdout.flush()
    show_diagnostics(diagnostics, trial.request.source, color=color)


def errors_as_json(name: str, diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    """What programs are told where the documents of a view, or of a file without a name of one, are to blame."""
    errors = [
        {"path": diagnostic.path, "line": diagnostic.range.start.line, "message": diagnostic.message}
        for diagnostic in diagnostics
    ]
    return {"view": name or None, "errors": errors}


def report_view_errors(
    view: DeclaredResource[FeatureView], error: DocumentError, trial: DryRun, options: dict[str, Any]
) -> int:
    """Show what is to blame where a view cannot answer; the exit code."""
    from trialrun.report.json_encoding import json_text

    show_document_errors([error.diagnostic], trial, options["color"])
    if options["output_format"] == "json":
        errors = errors_as_json(view_name(view), [error.diagnostic])
        write_utf8([json_text({"version": 1, **errors}), "\n"])
    return 1


def page_layout(color: str) -> tuple[int, Paint]:
    """The width of a line and the paint for standard output."""
    from trialrun.report.color import painter, use_color
    from trialrun.report.terminal_width import terminal_columns

    return terminal_columns(sys.stdout, os.environ), painter(color=use_color(color, sys.stdout, os.environ))
