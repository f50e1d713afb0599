"""`trialrun init [FOLDER]`: a first workspace, or settings and a hook for documents that are there."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from trialrun.cli.options import default_request, require_working_folder
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import resolve_target
from trialrun.report.summary import pluralize
from trialrun.report.terminal_width import escape_controls
from trialrun.templates.starter import CONTENTS, HOOKS, STORE, hook_lines, init_plan, starter_file
from trialrun.working_folder import display_path
from trialrun.workspace.write_files import FileNotWritten, create_files

if TYPE_CHECKING:
    from trialrun.templates.starter import InitPlan


@click.command("init")
@click.argument("folder", metavar="[FOLDER]", default=os.curdir, type=click.Path(readable=False))
def command(folder: str) -> int:
    """Write a small workspace to FOLDER, by default the working directory, with comments that explain it.

    It has a view with 50 rows, a config, a brand with two stores, a menu, a scenario, settings and a pre-commit hook.
    Where there are documents already, only missing settings and a missing hook are written. Nothing is overwritten;
    either all files are written or none.
    """
    require_working_folder()
    if "\0" in folder:
        raise UsageError("the name of a folder cannot contain NUL")
    if os.path.lexists(folder) and not os.path.isdir(folder):
        raise UsageError(f"{folder} is not a folder; name one, or a new one")
    try:
        resolve_target(folder, named_in=os.getcwd())
    except OSError as error:
        raise UsageError(f"{folder} cannot be written to: {os_error_reason(error)}") from error
    request = default_request((folder,), {"isolated": False}) if os.path.isdir(folder) else None
    plan = init_plan(folder, request)
    try:
        create_files(folder, plan.files, named_in=os.getcwd())
    except FileNotWritten as error:
        file = os.path.normpath(os.path.join(folder, error.path))
        raise UsageError(f"{file} cannot be written: {error}; nothing was written") from error
    sys.stdout.writelines(f"{line}\n" for line in _lines(folder, plan))
    return 0


def _lines(folder: str, plan: InitPlan) -> Iterator[str]:
    place = "" if os.path.realpath(folder) == os.path.realpath(os.curdir) else f" in {escape_controls(folder)}"
    there = [pluralize(len(plan.documents), "file") + " with documents"] if plan.documents else []
    there += [display_path(file) for file in (plan.settings, None if plan.needs_hook else plan.hooks) if file]
    if there:
        yield escape_controls(f"there already: {', '.join(there)}")
    yield f"wrote {pluralize(len(plan.files), 'file')}{place}:" if plan.files else "nothing to write"
    width = max(map(len, plan.files), default=0)
    yield from (f"  {path:<{width}}  {CONTENTS[path]}" for path in plan.files)
    if plan.needs_hook and plan.hooks:
        is_there = os.path.lexists(plan.hooks)
        task = "add this hook to repos in" if is_there else "pre-commit reads the file at the top; write this to"
        yield from ("", f"{task} {escape_controls(display_path(plan.hooks))}:", "")
        yield from (hook_lines() if is_there else starter_file(HOOKS).decode()).splitlines()
    yield ""
    yield from _next_commands(folder, plan)


def _next_commands(folder: str, plan: InitPlan) -> Iterator[str]:
    is_here = os.path.realpath(folder) == os.path.realpath(os.curdir)
    yield "next:" if is_here else f"next, after cd {escape_controls(shlex.quote(folder))}:"
    commands: Sequence[tuple[str, str]] = (
        ("trialrun check", "lint the workspace"),
        ("trialrun test", "play the scenario"),
        (f"trialrun session {STORE}", "order something, and see what is offered and why"),
    )
    if plan.documents:
        commands = (
            ("trialrun check", "lint the workspace"),
            ("trialrun check --fix --diff", "show what can be fixed safely"),
            ('trialrun check --add-ignores "known before"', "suppress what is left, with a reason"),
        )
    width = max(len(command) for command, _ in commands)
    yield from (f"  {command:<{width}}  {meaning}" for command, meaning in commands)
    if not plan.documents:
        yield "trialrun docs tutorial goes on from there"
