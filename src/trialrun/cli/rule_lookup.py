"""The rules that commands can speak of: the catalogue, and the policies that are in use or shipped."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from trialrun.errors import UsageError
from trialrun.values.suggest import did_you_mean

if TYPE_CHECKING:
    from trialrun.lint.policy import Policies
    from trialrun.lint.rule import Rule


def policies_in_use() -> Policies:
    """The policies of the settings that hold in the working directory. Raises UsageError."""
    from trialrun.lint.settings import Profiles, read_settings
    from trialrun.workspace import workspace_root
    from trialrun.workspace.check_request import allow_named_paths

    root = workspace_root(os.getcwd())
    allow_named_paths(root)
    return Profiles(read_settings(root)).policies


def find_rule(rule_id: str) -> Rule:
    """The rule or policy of an id. Raises UsageError if there is none."""
    from trialrun.lint import registry

    if rule_id in registry.files():
        return registry.load(rule_id)
    from trialrun.lint.policy.packs import PolicyReferences, load_policies, shipped_packs

    packs = load_policies([PolicyReferences(list(shipped_packs()), "", "the shipped packs")])
    known = {**packs.rules, **policies_in_use().rules}
    if rule_id not in known:
        known |= _policies_of_nested_workspaces()
    if rule_id not in known:
        near = _beginning_with(rule_id, [*registry.ids(), *known]) or did_you_mean(rule_id, [*registry.ids(), *known])
        raise UsageError(f'there is no rule "{rule_id}"{near or "; trialrun rules lists them"}')
    return known[rule_id]


def _policies_of_nested_workspaces() -> dict[str, Rule]:
    """The policies that workspaces inside of the working directory name, by their ids."""
    from trialrun.cli.check_options import default_request
    from trialrun.workspace.discovery import WorkspaceRoots
    from trialrun.workspace.workspaces import workspaces

    if WorkspaceRoots().root_of(os.getcwd()) is None:  # a search could go through the whole machine
        return {}
    request = default_request((), {"at": None, "isolated": False})
    return {name: rule for part in workspaces(request) for name, rule in part.profiles.policies.rules.items()}


def _beginning_with(start: str, names: Iterable[str]) -> str:
    """The names that begin with some of their words, such as `cron`, as the end of a message."""
    found = sorted({name for name in names if name.startswith(f"{start}-")})
    return f"; rules with this prefix: {', '.join(found)}" if found else ""
