"""Pages of the rules that report a position, or that a comment names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.lsp.describe.value_location import HoverText
from trialrun.text import Span

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

MAX_RULES = 3
"""Rules whose reasons are told at one place; of further ones the law."""


def findings_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The reasons of the rules that find something at an offset, at the narrowest of their places."""
    from trialrun.lsp.rule_docs import rule_summary

    source = file.source
    position = source.position(offset)
    found = [one for one in workspace.diagnostics(file.path) if one.range.start <= position <= one.range.end]
    if not found:
        return None
    spans = [Span(source.offset(one.range.start), source.offset(one.range.end)) for one in found]
    rules = dict.fromkeys(one.rule for one in found)
    told = [rule_summary(workspace, file.path, rule, reasons=number < MAX_RULES) for number, rule in enumerate(rules)]
    return HoverText(min(spans, key=lambda span: (span.end - span.start, span.start)), tuple(filter(None, told)))


def rule_in_comment(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The page of the rule that a comment names at an offset, as in `# trialrun: ignore[rule-id]`."""
    from trialrun.lint.suppression.directive import MENTION, parse_directives
    from trialrun.lsp.rule_docs import rule_with_example
    from trialrun.parser.comments import comments

    text = file.source.text
    line = file.source.line(file.source.position(offset).line)
    if not MENTION.search(line):
        return None
    named = (
        name
        for comment in comments(file.parsed, MENTION)
        for directive in parse_directives(text[comment.span.start : comment.span.end], comment.span.start)
        for name in directive.names
        if name.span.start <= offset <= name.span.end
    )
    for name in named:
        page = rule_with_example(workspace, file.path, name.text)
        if page:
            return HoverText(name.span, (page,))
    return None
