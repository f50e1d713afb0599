"""`trialrun rules`: every rule there is, the page of one, and what to do with policies; one file per subcommand."""

from __future__ import annotations

import sys
from importlib import import_module

import click

SUBCOMMANDS = {
    "show": "Show the page of a rule.",
    "diff": "Say what the default rules of another edition would newly report.",
    "test": "Run the examples of policies.",
    "new": "Start a policy.",
}


class Rules(click.Group):
    """A group that imports a subcommand only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all subcommands."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand of a name."""
        if cmd_name not in SUBCOMMANDS:
            return None
        command: click.Command = import_module(f"trialrun.cli.rules.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The subcommands with their one sentence, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUBCOMMANDS.items()))


@click.group("rules", cls=Rules, invoke_without_command=True)
@click.option("--output-format", type=click.Choice(("text", "json", "markdown")), default="text", show_default=True)
@click.pass_context
def command(context: click.Context, output_format: str) -> int:
    """List the rules, and the policies that the workspace uses; `rules show ID` prints the page of one."""
    if context.invoked_subcommand is not None:
        return 0
    if output_format == "markdown":
        from trialrun.lint.catalogue_page import catalogue_page

        sys.stdout.write(catalogue_page())
        return 0
    from trialrun.cli.known_rules import policies_in_use
    from trialrun.cli.rules.listing import as_json, as_table
    from trialrun.lint import catalogue

    rules = [*catalogue.everything(), *policies_in_use().rules.values()]
    sys.stdout.writelines((as_json if output_format == "json" else as_table)(rules))
    return 0
