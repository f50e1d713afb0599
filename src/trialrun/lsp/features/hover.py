"""Hover: the meaning of a value, its field, and the rules that report it."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lint.suppression.directive import MENTION, parse_directives
from trialrun.lsp.describe.field import field_paragraphs, value_at
from trialrun.lsp.describe.policy import policy_at
from trialrun.lsp.describe.value import describe_value
from trialrun.lsp.describe.value_location import HoverText, alias_at, value_location_at
from trialrun.lsp.results import Hover
from trialrun.lsp.rule_docs import rule_summary, rule_with_example
from trialrun.parser.comments import comments
from trialrun.text import Span
from trialrun.working_folder import absolute_path
from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

PART = "\n\n---\n\n"


def hover(workspace: OpenWorkspace, path: str, offset: int) -> Hover | None:
    """The description of what is at an offset; None if nothing is known."""
    if path.endswith(".toml"):  # editors of TOML have the schema of the settings
        return None
    file = workspace.workspace_file(path)
    if file is None or not 0 <= offset <= len(file.source.text):
        return None
    return _hover(file, list(_hover_texts(workspace, file, offset)), offset)


def _hover_texts(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> Iterator[HoverText]:
    """The descriptions at an offset, most specific first; the first one determines the highlighted range."""
    alone = rule_in_comment(workspace, file, offset) or baseline_rule_at(workspace, file, offset)
    if alone is not None:
        yield alone
        return
    hover_text = policy_at(workspace, file, offset) or alias_at(file, offset)
    yield from [hover_text] if hover_text else _of_resource(workspace, file, offset)
    yield from filter(None, [findings_at(workspace, file, offset)])


def _of_resource(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> Iterator[HoverText]:
    """The value at an offset, then its field."""
    place = value_location_at(workspace, file, offset)
    if place is None:
        return
    value = describe_value(place)
    yield value
    if not value.is_all:
        yield HoverText(
            place.spot.span, tuple(field_paragraphs(place.member, None if place.spot.is_key else place.value))
        )


def _hover(file: WorkspaceFile, hover_texts: list[HoverText], offset: int) -> Hover | None:
    blocks = ["\n\n".join(filter(None, hover_text.paragraphs)) for hover_text in hover_texts]
    if not any(blocks):
        return None
    around = (hover_text.span for hover_text in hover_texts if hover_text.span.start <= offset <= hover_text.span.end)
    return Hover(PART.join(filter(None, blocks)), file.range(next(around, Span(offset, offset))))


MAX_RULES = 3
"""Maximum number of rules that are explained at one location; further ones show their summary."""


def findings_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The explanations of the rules with findings at an offset, at the narrowest range."""
    source = file.source
    position = source.position(offset)
    here = [
        diagnostic
        for diagnostic in workspace.diagnostics(file.path)
        if diagnostic.range.start <= position <= diagnostic.range.end
    ]
    if not here:
        return None
    spans = [Span(source.offset(diagnostic.range.start), source.offset(diagnostic.range.end)) for diagnostic in here]
    rules = dict.fromkeys(diagnostic.rule for diagnostic in here)
    summaries = [
        rule_summary(workspace, file.path, rule, reasons=number < MAX_RULES) for number, rule in enumerate(rules)
    ]
    return HoverText(min(spans, key=lambda span: (span.end - span.start, span.start)), tuple(filter(None, summaries)))


def rule_in_comment(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The documentation of the rule named in a comment such as `# trialrun: ignore[rule-id]`."""
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


def baseline_rule_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The documentation of the rule in an entry of a baseline."""
    baseline = workspace.request.profiles.settings.baseline_file
    if baseline is None or absolute_path(file.path) != absolute_path(baseline):
        return None
    node_at_offset = file.node_at(offset)
    if node_at_offset is None or node_at_offset.is_key or not node_at_offset.path or node_at_offset.path[-1] != "rule":
        return None
    rule = value_at(node_at_offset.document, node_at_offset.path)
    page = rule_with_example(workspace, file.path, rule) if isinstance(rule, str) else None
    return HoverText(node_at_offset.span, (page,)) if page else None
