"""Rule texts for reporters, which do not import rules themselves."""

from __future__ import annotations

from functools import cache

from trialrun.lint.policy import NONE, Policies
from trialrun.report.interface import RuleText


@cache
def rule_text(rule_id: str, policies: Policies = NONE) -> RuleText | None:
    """What a report may tell of a rule of the catalogue, or of one of the policies; None for any other."""
    from trialrun.lint import registry
    from trialrun.lint.rule_docs import parse_docs
    from trialrun.lint.rule_docs_markdown import rule_markdown
    from trialrun.outputs.rule_page import rule_page

    rule = registry.load(rule_id) if rule_id in registry.files() else policies.rules.get(rule_id)
    if rule is None:
        return None
    docs = parse_docs(rule.doc)
    plain = "".join(rule_page(rule, color=False))
    return RuleText(rule.group, rule.severity, rule.on, docs.summary, docs.why, rule_markdown(rule), plain)
