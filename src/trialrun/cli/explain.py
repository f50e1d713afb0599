"""`trialrun explain ID`: the page of a rule or a change, or the row of an assumption, in the terminal."""

from __future__ import annotations

import os
import sys

import click

from trialrun.cli.options import COLOR

WIDTH = 80


@click.command("explain")
@click.argument("rule_id", metavar="ID")
@COLOR
def command(rule_id: str, color: str) -> int:
    """Show the page of the rule ID: what it checks, why, its basis, and examples.

    ID may also be an assumption that a runtime result refers to (what the specification leaves open, what was chosen,
    why, and the setting that changes it), or a change of trialrun plan (what it is, and why it has its level).
    """
    from trialrun.documentation import assumptions, changes

    if rule_id in assumptions():
        sys.stdout.write(_assumption(rule_id))
        return 0
    if rule_id in changes():
        sys.stdout.write(_change(rule_id))
        return 0
    return show_rule(rule_id, color)


def _change(id: str) -> str:
    """The page of a kind of change."""
    from trialrun.changes.change import change_types

    change_type = change_types()[id]
    return f"{id}  {change_type.level.word} change\n\n{change_type.page()}"


def _assumption(name: str) -> str:
    """The row of an assumption as paragraphs."""
    from trialrun.documentation import assumptions
    from trialrun.report.wrap import wrap_text

    silent, chosen, why, setting = assumptions()[name]
    parts = [("Not specified", silent), ("Chosen", chosen), ("Why", why), ("Setting", setting or "none")]
    paragraphs = ("\n".join(wrap_text(f"{title}: {text}", first=WIDTH, rest=WIDTH)) for title, text in parts)
    return f"{name}  assumption\n\n" + "\n\n".join(paragraphs) + "\n"


def show_rule(rule_id: str, color: str) -> int:
    """Print the page of a rule. Raises UsageError for a rule that does not exist."""
    from trialrun.cli.rule_lookup import find_rule
    from trialrun.documentation import sections_about
    from trialrun.outputs.report_run import rule_page
    from trialrun.report.color import use_color

    sys.stdout.writelines(rule_page(find_rule(rule_id), color=use_color(color, sys.stdout, os.environ)))
    sys.stdout.writelines(f"\n{section}\n" for section in sections_about(rule_id))
    return 0
