"""`trialrun check`: lint files, folders or the whole workspace, and say what is wrong where."""

from __future__ import annotations

from typing import Any

import click

from trialrun.cli.option import give_options
from trialrun.cli.plain_arguments import file_like_an_option
from trialrun.cli.run_check import CHECK_OPTIONS, run_check
from trialrun.errors import UsageError


class CheckCommand(click.Command):
    """The command; a repository whose files are passed on by a program cannot choose options by their names."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments. Raises UsageError where a discovered file has the name of an option."""
        if argument := file_like_an_option(args):
            raise UsageError(
                f'"{argument}" is a file that looks like an option; write -- between the options and the '
                "paths (args: [--] in a hook)"
            )
        return super().parse_args(ctx, args)


@click.command("check", cls=CheckCommand)
@click.argument("paths", nargs=-1, type=click.Path(readable=False))
@give_options(*CHECK_OPTIONS)
def command(paths: tuple[str, ...], **options: Any) -> int:
    """Lint files, folders or, without PATHS, the whole workspace.

    A path of - reads standard input. Exit code 0: no findings at or above --fail-on; 1: findings; 2: wrong usage or
    settings; 3: an internal error of trialrun.
    """
    return run_check(paths, options)
