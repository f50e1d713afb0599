"""`trialrun explain ID`: the page of a rule or a change, or the row of an assumption, in the terminal."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from trialrun.cli.options import COLOR, default_request
from trialrun.documentation import assumptions, changes, sections_about
from trialrun.errors import UsageError
from trialrun.lint import registry
from trialrun.lint.settings import Profiles, read_settings
from trialrun.outputs.report_run import rule_page
from trialrun.report.color import use_color
from trialrun.report.terminal_width import wrap_text
from trialrun.values.suggest import did_you_mean
from trialrun.workspace import workspace_root
from trialrun.workspace.check_request import allow_named_paths
from trialrun.workspace.discovery import WorkspaceRoots
from trialrun.workspace.workspaces import workspaces

if TYPE_CHECKING:
    from trialrun.lint.policy import Policies
    from trialrun.lint.rule import Rule


def policies_in_use() -> Policies:
    """The policies of the settings that hold in the working directory. Raises UsageError."""
    root = workspace_root(os.getcwd())
    allow_named_paths(root)
    return Profiles(read_settings(root)).policies


def find_rule(rule_id: str) -> Rule:
    """The rule or policy of an id. Raises UsageError if there is none."""
    if rule_id in registry.files():
        return registry.load(rule_id)
    from trialrun.lint.policy.packs import load_policies, policy_files, shipped_packs

    packs = load_policies(policy_files(shipped_packs(), "", "the shipped packs"))
    known = {**packs.rules, **policies_in_use().rules}
    # a search for workspaces inside could go through the whole machine where this is none
    if rule_id not in known and WorkspaceRoots().root_of(os.getcwd()) is not None:
        request = default_request((), {"at": None, "isolated": False})
        known |= {name: rule for part in workspaces(request) for name, rule in part.profiles.policies.rules.items()}
    if rule_id not in known:
        names = [*registry.ids(), *known]
        begun = sorted({name for name in names if name.startswith(f"{rule_id}-")})
        prefixed = f"; rules with this prefix: {', '.join(begun)}" if begun else ""
        near = prefixed or did_you_mean(rule_id, names)
        raise UsageError(f'there is no rule "{rule_id}"{near or "; trialrun rules lists them"}')
    return known[rule_id]


WIDTH = 80


@click.command("explain")
@click.argument("rule_id", metavar="ID")
@COLOR
def command(rule_id: str, color: str) -> int:
    """Show the page of the rule ID: what it checks, why, its basis, and examples.

    ID may also be an assumption that a runtime result refers to (what the specification leaves open, what was chosen,
    why, and the setting that changes it), or a change of trialrun plan (what it is, and why it has its level).
    """
    if rule_id in assumptions():
        sys.stdout.write(_assumption(rule_id))
        return 0
    if rule_id in changes():
        from trialrun.changes.change import change_types

        change_type = change_types()[rule_id]
        sys.stdout.write(f"{rule_id}  {change_type.level.word} change\n\n{change_type.page()}")
        return 0
    return show_rule(rule_id, color)


def _assumption(name: str) -> str:
    """The row of an assumption as paragraphs."""
    silent, chosen, why, setting = assumptions()[name]
    parts = [("Not specified", silent), ("Chosen", chosen), ("Why", why), ("Setting", setting or "none")]
    paragraphs = ("\n".join(wrap_text(f"{title}: {text}", first=WIDTH, rest=WIDTH)) for title, text in parts)
    return f"{name}  assumption\n\n" + "\n\n".join(paragraphs) + "\n"


def show_rule(rule_id: str, color: str) -> int:
    """Print the page of a rule. Raises UsageError for a rule that does not exist."""
    sys.stdout.writelines(rule_page(find_rule(rule_id), color=use_color(color, sys.stdout, os.environ)))
    sys.stdout.writelines(f"\n{section}\n" for section in sections_about(rule_id))
    return 0
