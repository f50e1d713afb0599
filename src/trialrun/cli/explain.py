"""`trialrun explain ID`: the page of a rule, in the terminal."""

from __future__ import annotations

import os
import sys

import click


@click.command("explain")
@click.argument("rule_id", metavar="ID")
@click.option("--color", type=click.Choice(("auto", "always", "never")), default="auto", show_default=True)
def command(rule_id: str, color: str) -> int:
    """Show the page of the rule ID: what it says, why, what it rests on, and examples."""
    return show(rule_id, color)


def show(rule_id: str, color: str) -> int:
    """Print the page of a rule. Raises UsageError for a rule that does not exist."""
    from trialrun.cli.known_rules import rule_called
    from trialrun.cli.rule_page import rule_page
    from trialrun.report.color import wanted

    sys.stdout.writelines(rule_page(rule_called(rule_id), color=wanted(color, sys.stdout, os.environ)))
    return 0
