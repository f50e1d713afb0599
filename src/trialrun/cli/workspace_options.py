"""What the commands of trial runs share: their options, the workspace under trial, and the view that a name means."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from trialrun.cli.check_options import requested_plainly
from trialrun.cli.options import ALLOW_PATH, AT_HELP, moment
from trialrun.cli.output import write_utf8
from trialrun.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trialrun.diagnostic import Diagnostic
    from trialrun.model.feature_view import FeatureView
    from trialrun.report.color import Paint
    from trialrun.runtime.declaration import Declared
    from trialrun.workspace.dry_run import Trial

Command = TypeVar("Command", bound=Callable[..., Any])
OPTIONS = (
    click.option("--output-format", type=click.Choice(("text", "json")), default="text", show_default=True),
    click.option("--isolated", is_flag=True, help="Read no settings file."),
    ALLOW_PATH,
    click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True),
)
AT = click.option("--at", metavar="TIME", help=AT_HELP)
THEN_HELP = "Answer what was served at an RFC 3339 time, or a date, which stands for its beginning in UTC."
MOST_NAMES = 10


def trial_options(command: Command) -> Command:
    """Give a command the options of every trial run."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def trial_of(options: dict[str, Any]) -> Trial:
    """The workspace of the working directory under trial, at the time of `--at`. Raises UsageError."""
    from trialrun.runtime.clock import SetClock, SystemClock
    from trialrun.workspace.dry_run import trial

    at = options.get("at")
    return trial(requested_plainly((), options), SystemClock() if at is None else SetClock(moment(at)))


def view_called(name: str, trial: Trial) -> Declared[FeatureView]:
    """The view that a resource name, the end of one, or an id means. Raises UsageError, which names the nearest."""
    from trialrun.runtime.declaration import NotDeclared

    try:
        return trial.catalog.view(name)
    except NotDeclared as error:
        raise UsageError(f"{error}{hint(name, error.known)}{_unread(trial.catalog.troubled)}") from error


def _unread(paths: Sequence[str]) -> str:
    """The files that the view may be in and that cannot be read."""
    return f"; trialrun check says what cannot be read in {', '.join(paths[:MOST_NAMES])}" if paths else ""


def hint(name: str, known: Sequence[str]) -> str:
    """The nearest name, else all there are, where no name fits; nothing where too many do."""
    from trialrun.values.resource_name import is_same, last_id

    if any(is_same(one, name) for one in known):  # it is named, by several
        return ""
    ids = sorted({last_id(one) for one in known})
    if not ids:
        return "; the workspace declares no view"
    listed = f"{', '.join(ids[:MOST_NAMES])}{', …' if len(ids) > MOST_NAMES else ''}"
    return did_you_mean(name, known) or f"; there are {listed}"


@contextmanager
def stored() -> Iterator[None]:
    """Makes what keeps a store from being read or written a UsageError."""
    from trialrun.runtime.feature_view.store.interface import CannotStore

    try:
        yield
    except CannotStore as error:
        raise UsageError(str(error)) from error


def name_of(view: Declared[FeatureView]) -> str:
    """The resource name of a view that was found by its name."""
    return view.node.name or ""


def title_of(view: Declared[FeatureView], trial: Trial) -> str:
    """The id of a view, for people; of a view whose id others have too, as much of its name as they do not have."""
    from trialrun.values.resource_name import is_same, last_id

    name = name_of(view)
    id = last_id(name)
    same = [one for one in map(name_of, trial.catalog.views) if one != name and last_id(one) == id]
    parts = name.split("/")
    ends = ("/".join(parts[start:]) for start in range(len(parts) - 1, -1, -1))
    return next((end for end in ends if not any(is_same(one, end) for one in same)), name)


def blamed(view: Declared[FeatureView], rule: str, message: str, steps: Sequence[str | int]) -> Diagnostic:
    """An error about a part of a view's document, of which the file may have less than the model: then about it all."""
    from trialrun.diagnostic import Diagnostic, Place, Severity

    return Diagnostic(
        rule=rule,
        severity=Severity.ERROR,
        message=message,
        path=view.path,
        range=view.locate(Place(view.node, tuple(steps))),
        document=view.document,
    )


class Blamed(Exception):
    """A deed that a document of the workspace does not allow: the command ends with exit code 1."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def tell(diagnostics: Sequence[Diagnostic], trial: Trial, color: str) -> None:
    """Show on standard error what is wrong in files, after what was printed before."""
    from trialrun.cli.report_error import show

    sys.stdout.flush()
    show(diagnostics, trial.request.source, color=color)


def refused_object(name: str, diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    """What programs are told where the documents of a view, or of a file without a name of one, are to blame."""
    errors = [{"path": one.path, "line": one.range.start.line, "message": one.message} for one in diagnostics]
    return {"view": name or None, "errors": errors}


def refused(view: Declared[FeatureView], error: Blamed, trial: Trial, options: dict[str, Any]) -> int:
    """Show what is to blame where a view cannot answer; the exit code."""
    from trialrun.report.json_encoding import json_text

    tell([error.diagnostic], trial, options["color"])
    if options["output_format"] == "json":
        told = refused_object(name_of(view), [error.diagnostic])
        write_utf8([json_text({"version": 1, **told}), "\n"])
    return 1


def page(color: str) -> tuple[int, Paint]:
    """The width of a line and the paint for standard output."""
    from trialrun.report.color import painter, wanted
    from trialrun.report.terminal_width import columns

    return columns(sys.stdout, os.environ), painter(color=wanted(color, sys.stdout, os.environ))
