"""Groups of commands: a name that is none is answered with the nearest, and a command is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


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


class LazyGroup(SuggestingGroup):
    """A group whose commands are the modules of a package, with their one sentence each."""

    def __init__(self, *arguments: Any, package: str, sentences: Mapping[str, str], **further: Any) -> None:
        super().__init__(*arguments, **further)
        self.package, self.sentences = package, sentences

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return list(self.sentences)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name."""
        if cmd_name not in self.sentences:
            return None
        command: click.Command = import_module(f"{self.package}.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their sentences, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.sentences.items()))
