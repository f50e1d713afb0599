"""Pages of rules in Markdown, as an editor shows them."""

from __future__ import annotations

from trialrun.lint import registry
from trialrun.lint.rule import Rule
from trialrun.lint.rule_docs import first_example, prose_markdown, rule_markdown
from trialrun.workspace.open_workspace import OpenWorkspace


def rule_page(workspace: OpenWorkspace, path: str, rule_id: str) -> str | None:
    """The page of a rule, or of a policy in effect for a file, in Markdown under its name; None if there is none."""
    rule = _rule(workspace, path, rule_id)
    return None if rule is None else f"# {rule_id}\n\n{rule_markdown(rule)}"


def rule_summary(workspace: OpenWorkspace, path: str, rule_id: str, *, reasons: bool = True) -> str | None:
    """The law of a rule under its name, and its reasons with what they rest on, but not its examples."""
    rule = _rule(workspace, path, rule_id)
    if rule is None:
        return None
    law, *why = prose_markdown(rule)
    return "\n\n".join([f"**{rule_id}**: {law}", *(why if reasons else [])])


def rule_with_example(workspace: OpenWorkspace, path: str, rule_id: str) -> str | None:
    """The law and the reasons of a rule with its first bad example, as it is put right where the page says how."""
    rule = _rule(workspace, path, rule_id)
    short = rule_summary(workspace, path, rule_id)
    return None if rule is None or short is None else "\n\n".join([short, *first_example(rule)])


def _rule(workspace: OpenWorkspace, path: str, rule_id: str) -> Rule | None:
    policies = workspace.request.profiles.of(path).policies.rules
    return registry.load(rule_id) if rule_id in registry.files() else policies.get(rule_id)
