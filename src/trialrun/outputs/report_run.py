"""Input of the reporters: the result of a check, with the texts of its rules, also for the terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.policy import NONE, Policies
from trialrun.report.color import painter, severity_style
from trialrun.report.interface import RuleText, Run, Summary, printable_path
from trialrun.report.terminal_width import escape_lines
from trialrun.version import HOME_PAGE, __version__

if TYPE_CHECKING:
    from trialrun.lint.rule import Rule
    from trialrun.workspace import CheckRequest, CheckResult


class _RuleTexts:
    """The texts of rules, and of the policies of some workspaces, which are given by their roots.

    Of policies of one id with different texts, the first has that id alone; the others have the path of the first
    workspace with their text as a scope.
    """

    def __init__(self, workspaces: Sequence[tuple[str, Policies]]) -> None:
        self._policies = dict(workspaces)
        self._top = os.path.commonpath(list(self._policies))
        self._root_of = cache(self._uncached_root_of)

    def text(self, rule_id: str, path: str) -> RuleText | None:
        """The text of a rule, or of the policy that the workspace of a file has."""
        has_policy = {root: policies for root, policies in self._policies.items() if rule_id in policies.rules}
        texts = {root: text for root, policies in has_policy.items() if (text := rule_text(rule_id, policies))}
        if not texts:
            return rule_text(rule_id)
        own = texts.get(self._root_of(os.path.dirname(os.path.abspath(path))))
        first, *_ = texts.values()
        if own is None or own == first:
            return first
        root = next(root for root, text in texts.items() if text == own)
        return own._replace(scope=printable_path(os.path.relpath(root, self._top)))

    def _uncached_root_of(self, folder: str) -> str:
        """The innermost root around a folder, empty if there is none."""
        inside = os.path.join(folder, "")
        around = [root for root in self._policies if inside.startswith(os.path.join(root, ""))]
        return max(around, key=len, default="")


def report_run(request: CheckRequest, outcome: CheckResult, fail_on: str) -> Run:
    """The run of a check; `fail_on` is the word of the severity from which findings count as a failure."""
    counts = dict.fromkeys(("error", "warning", "note"), 0)
    for diagnostic in outcome.diagnostics:
        counts[diagnostic.severity.word] += 1
    summary = Summary(
        outcome.files,
        outcome.documents,
        counts["error"],
        counts["warning"],
        counts["note"],
        suppressed=len(outcome.suppressed),
        baselined=outcome.baselined,
        passed_over=outcome.skipped,
    )
    workspaces = outcome.workspaces or [(request.root, request.profiles)]
    return Run(
        outcome.diagnostics,
        request.source_reader(),
        summary,
        __version__,
        suppressed=outcome.suppressed,
        files=outcome.paths,
        rules=_RuleTexts([(root, profiles.policies) for root, profiles in workspaces]).text,
        fail_on=Severity[fail_on.upper()],
        has_internal_error=outcome.has_internal_error,
        home=HOME_PAGE,
        not_checked=outcome.not_checked,
    )


@cache
def rule_text(rule_id: str, policies: Policies = NONE) -> RuleText | None:
    """What a report may tell of a rule of the catalogue, or of one of the policies; None for any other."""
    from trialrun.lint import registry
    from trialrun.lint.rule_docs import parse_docs, rule_markdown

    rule = registry.load(rule_id) if rule_id in registry.files() else policies.rules.get(rule_id)
    if rule is None:
        return None
    docs = parse_docs(rule.doc)
    plain = "".join(rule_page(rule, color=False))
    return RuleText(rule.group, rule.severity, rule.on, docs.summary, docs.why, rule_markdown(rule), plain)


def rule_page(rule: Rule, *, color: bool) -> Iterator[str]:
    """The rule's law, its reasons, what it rests on, and its examples with arrows at their findings."""
    from trialrun.lint.rule_docs import TITLES, parse_docs

    paint = painter(color=color)
    docs = parse_docs(escape_lines(rule.doc, with_colors=False))  # that of a policy is text of the repository
    state = "" if rule.on else ", off by default"
    yield f"{paint(rule.id, 'rule')}  {paint(rule.severity.word, severity_style(rule.severity))}{state}\n\n"
    yield f"{docs.summary}\n"
    for text in (docs.why, docs.specification):
        if text:
            yield f"\n{text}\n"
    for example in docs.examples:
        model = f", as {example.model}" if example.model else ""
        yield f"\n{paint(TITLES[example.kind] + model, 'place')}\n\n"
        for line, arrows in example.annotated():
            comments = paint("".join(f"  # <- {arrow}" for arrow in arrows), "related")
            yield f"    {line}{comments}\n" if line or comments else "\n"
    if rule.options:
        yield "\nSettings: " + ", ".join(f"{name} ({value or 'unset'})" for name, value in rule.options.items()) + "\n"
