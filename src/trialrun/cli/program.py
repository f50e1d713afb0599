"""The commands by name, as click runs them; the two whose plain lines are carried out without click stand here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import click

from trialrun.cli.check import CHECK_OPTIONS, run_check
from trialrun.cli.lsp import run_lsp
from trialrun.cli.options import SHARED_OPTIONS, file_like_an_option, give_options, join_names, parse_time
from trialrun.cli.output import report_error
from trialrun.documentation import EDITORS, editor_settings
from trialrun.errors import USAGE_EXIT, UsageError
from trialrun.values.time_zone import IANA_VERSION
from trialrun.version import __version__

COMMANDS = {
    "init": "Write a first workspace to a folder, or settings and a hook for the documents there.",
    "new": "Print a small sound document of a kind, or a copy of one under another name.",
    "check": "Lint files, folders or the whole workspace.",
    "sync": "Read the sources of views and serve their values, or show what that would do.",
    "fetch": "Show the values that a view serves for entities.",
    "search": "Find the entities of a view that are nearest to an entity or a vector.",
    "suppressions": "List the suppressions, with reason and expiry.",
    "baseline": "Write the known findings to a file, or remove those that are fixed.",
    "rules": "List the rules, show one, or create and test policies.",
    "explain": "Show the page of a rule, an assumption or a change.",
    "docs": "Show a page of the documentation.",
    "schema": "Print the JSON Schema of a kind of document.",
    "session": "Simulate an order at a store, scripted or interactively, and show what the agent does.",
    "schedule": "Show when views are synced next, with a timeline.",
    "resolve": "Show the effective configuration of a store and where each value comes from.",
    "languages": "Show what customers of each language hear, gaps first.",
    "explore": "Run random sessions at a store and report unexpected behavior.",
    "prove": "Prove which upsells are never offered, or show the session that offers them.",
    "plan": "Show what the changes between two git revisions do, and whom they reach.",
    "test": "Run the scenarios of the workspace and report failed expectations.",
    "serve": "Serve the operations of both APIs to unchanged clients on this machine.",
    "report": "Write one HTML file that shows the workspace to people.",
    "lsp": "Run the language server: findings while you type, fixes, and where a value comes from.",
    "export": "Print documents as the JSON of the API, or as canonical YAML.",
    "import": "Write the resources of an API, of Terraform and of other programs as documents.",
    "settings": "Show the effective settings and where each comes from.",
}
VERSION_TEXT = f"trialrun %(version)s (time zones of tzdata {IANA_VERSION})"


class SuggestingGroup(click.Group):
    """A group that answers a name that no command has with the nearest that one has."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name, or an error that names the nearest."""
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            from trialrun.values.suggest import did_you_mean

            ctx.fail(f'there is no command "{args[0]}"{did_you_mean(args[0], names)}')
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, as they are declared."""
        return list(self.commands)


class LazyGroup(SuggestingGroup):
    """The group of all commands with their one sentence each; a command's module is imported when it is called."""

    def __init__(self, *arguments: Any, sentences: Mapping[str, str], **further: Any) -> None:
        super().__init__(*arguments, **further)
        self.sentences = sentences

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self.sentences)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name in self.commands or cmd_name not in self.sentences:
            return self.commands.get(cmd_name)
        command: click.Command = import_module(f"trialrun.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their sentences, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.sentences.items()))


@click.group(
    cls=LazyGroup,
    sentences=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Lint FeatureView and ChannelConfig files, and give them a trial run before production does.",
)
@click.version_option(__version__, "-V", "--version", message=VERSION_TEXT)
def program() -> None:
    """Lint and run resource files."""


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


@program.command("check", cls=CheckCommand)
@click.argument("paths", nargs=-1, type=click.Path(readable=False))
@give_options(*CHECK_OPTIONS)
def check(paths: tuple[str, ...], **options: Any) -> int:
    """Lint files, folders or, without PATHS, the whole workspace.

    A path of - reads standard input. Exit code 0: no findings at or above --fail-on; 1: findings; 2: wrong usage or
    settings; 3: an internal error of trialrun.
    """
    return run_check(paths, options)


@program.command("lsp")
@give_options(*(option for option in SHARED_OPTIONS if option.name != "--jobs"))
@click.option(
    "--settings",
    type=click.Choice([*EDITORS]),
    metavar="EDITOR",
    help=f"Print the settings for an editor, and end: {', '.join(EDITORS)}.",
)
@click.version_option(__version__, "--version", message=VERSION_TEXT)
@click.option(
    "--stdio",
    is_flag=True,
    hidden=True,
    help="Accepted because some editors add it; standard input and output are always used.",
)
@click.option(
    "--clientProcessId",
    hidden=True,
    expose_value=False,
    help="Accepted because some editors add it; the request initialize says it, too.",
)
def lsp(**options: Any) -> int:
    """Run the language server: findings while you type, fixes, and where a value comes from.

    The editor starts it and talks to it over standard input and output; docs/editors.md shows how to set it up.
    Findings are those of check in the folder that is open in the editor.
    """
    if options["settings"]:
        print(editor_settings(options["settings"]), end="")
        return 0
    return run_lsp(
        select=tuple(join_names(options["select"])),
        ignore=tuple(join_names(options["ignore"])),
        policies=options["policies"],
        now=None if options["at"] is None else parse_time(options["at"]),
        is_isolated=options["isolated"],
        cache=not options["no_cache"],
    )


def run_program(arguments: Sequence[str]) -> int:
    """Carry out a command as click reads the command line; the exit code."""
    try:
        code = program.main(list(arguments), prog_name="trialrun", standalone_mode=False)
    except click.ClickException as error:
        report_error(error)
        return USAGE_EXIT
    except click.exceptions.Abort as error:
        raise KeyboardInterrupt from error
    return code if isinstance(code, int) else 0
