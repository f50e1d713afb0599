"""The pages of rules as an editor shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.workspace.live import Live


def rule_page(live: Live, path: str, rule_id: str) -> str | None:
    """The page of a rule, or of a policy in force for a file, in Markdown under its name; None where there is none."""
    from trialrun.lint import catalogue
    from trialrun.lint.page_markdown import page_markdown

    policies = live.request.profiles.of(path).policies.rules
    rule = catalogue.load(rule_id) if rule_id in catalogue.files() else policies.get(rule_id)
    return None if rule is None else f"# {rule_id}\n\n{page_markdown(rule)}"
