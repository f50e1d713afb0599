"""The texts of rules for reports, which know of no rules themselves."""

from __future__ import annotations

from functools import cache

from trialrun.report.interface import RuleText


@cache
def rule_text(rule_id: str) -> RuleText | None:
    """What a report may tell of a rule of the catalogue; None for any other."""
    from trialrun.cli.rule_page import rule_page
    from trialrun.lint import catalogue
    from trialrun.lint.page import page
    from trialrun.lint.page_markdown import page_markdown

    if rule_id not in catalogue.files():
        return None
    rule = catalogue.load(rule_id)
    shown = page(rule.doc)
    plain = "".join(rule_page(rule, color=False))
    return RuleText(rule.group, rule.severity, rule.on, shown.law, shown.why, page_markdown(rule), plain)
