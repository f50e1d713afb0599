"""`trialrun rules show ID`: the page of a rule, as `trialrun explain ID` prints it."""

from __future__ import annotations

import click

from trialrun.cli import explain
from trialrun.cli.options import COLOR


@click.command("show")
@click.argument("rule_id", metavar="ID")
@COLOR
def command(rule_id: str, color: str) -> int:
    """Show the page of the rule ID."""
    return explain.show_rule(rule_id, color)
