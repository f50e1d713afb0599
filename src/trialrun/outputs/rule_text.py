"""The texts of rules for reports, which know of no rules themselves."""

from __future__ import annotations

from functools import cache

from trialrun.lint.policy import NONE, Policies
from trialrun.report.interface import RuleText


@cache
def rule_text(rule_id: str, policies: Policies = NONE) -> RuleText | None:
    """What a report may tell of a rule of the catalogue, or of one of the policies; None for any other."""
    from trialrun.lint import registry
    from trialrun.lint.rule_docs import page
    from trialrun.lint.rule_docs_markdown import page_markdown
    from trialrun.outputs.rule_page import rule_page

    rule = registry.load(rule_id) if rule_id in registry.files() else policies.rules.get(rule_id)
    if rule is None:
        return None
    shown = page(rule.doc)
    plain = "".join(rule_page(rule, color=False))
    return RuleText(rule.group, rule.severity, rule.on, shown.law, shown.why, page_markdown(rule), plain)
