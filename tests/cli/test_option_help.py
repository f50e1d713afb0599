"""Every option of every command says what it does."""

from __future__ import annotations

from collections.abc import Iterator

import click

from trialrun.cli.program import program


def options_without_help(command: click.Command, path: str) -> Iterator[str]:
    """Options of a command, and of those below it, of which `--help` prints the name alone."""
    context = click.Context(command, info_name=path)
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden and not parameter.help:
            yield f"{path} {parameter.opts[0]}"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options_without_help(below, f"{path} {name}")


def test_every_option_has_a_help_text() -> None:
    assert list(options_without_help(program, "trialrun")) == []
