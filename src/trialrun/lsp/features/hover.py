"""Hover: the meaning of a value, its field, and the rules that report it."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.lint.positions import find_value
from trialrun.lint.suppression.suppression import MENTION, parse_directives
from trialrun.lsp.describe.field import field_paragraphs
from trialrun.lsp.describe.rules import policy_at, rule_summary, rule_with_example
from trialrun.lsp.describe.value import describe_value
from trialrun.lsp.describe.value_location import HoverText, alias_at, value_location_at
from trialrun.lsp.results import Object, markdown
from trialrun.parser.comments import comments
from trialrun.text import Span
from trialrun.working_folder import absolute_path
from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

PART = "\n\n---\n\n"


def hover(workspace: OpenWorkspace, path: str, offset: int) -> Object | None:
    """The description of what is at an offset; None if nothing is known."""
    file = workspace.workspace_file(path) if not path.endswith(".toml") else None  # its editors have our schema
    if file is None or not 0 <= offset <= len(file.source.text):
        return None
    texts = list(_hover_texts(workspace, file, offset))
    blocks = list(filter(None, ("\n\n".join(filter(None, text.paragraphs)) for text in texts)))
    around = (text.span for text in texts if text.span.start <= offset <= text.span.end)
    if not blocks:
        return None
    return {"contents": markdown(PART.join(blocks)), "range": file.range(next(around, Span(offset, offset)))}


def _hover_texts(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> Iterator[HoverText]:
    """The descriptions at an offset, most specific first; the first one determines the highlighted range."""
    if alone := rule_in_comment(workspace, file, offset) or baseline_rule_at(workspace, file, offset):
        yield alone
        return
    if of_text := policy_at(workspace, file, offset) or alias_at(file, offset):
        yield of_text
    elif place := value_location_at(workspace, file, offset):
        value = describe_value(place)
        yield value
        if not value.is_all:
            shown = None if place.spot.is_key else place.value
            yield HoverText(place.spot.span, tuple(field_paragraphs(place.member, shown)))
    yield from filter(None, [findings_at(workspace, file, offset)])


MAX_RULES = 3
"""Maximum number of rules that are explained at one location; further ones show their summary."""


def findings_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The explanations of the rules with findings at an offset, at the narrowest range."""
    source, position = file.source, file.source.position(offset)
    here = [one for one in workspace.diagnostics(file.path) if one.range.start <= position <= one.range.end]
    if not here:
        return None
    spans = [Span(source.offset(one.range.start), source.offset(one.range.end)) for one in here]
    rules = enumerate(dict.fromkeys(one.rule for one in here))
    texts = [rule_summary(workspace, file.path, rule, reasons=number < MAX_RULES) for number, rule in rules]
    return HoverText(min(spans, key=lambda span: (span.end - span.start, span.start)), tuple(filter(None, texts)))


def rule_in_comment(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The documentation of the rule named in a comment such as `# trialrun: ignore[rule-id]`."""
    text = file.source.text
    if not MENTION.search(file.source.line(file.source.position(offset).line)):
        return None
    for comment in comments(file.parsed, MENTION):
        for directive in parse_directives(text[comment.span.start : comment.span.end], comment.span.start):
            for name in directive.names:
                is_here = name.span.start <= offset <= name.span.end
                if is_here and (page := rule_with_example(workspace, file.path, name.text)):
                    return HoverText(name.span, (page,))
    return None


def baseline_rule_at(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> HoverText | None:
    """The documentation of the rule in an entry of a baseline."""
    baseline = workspace.request.profiles.settings.baseline_file
    if baseline is None or absolute_path(file.path) != absolute_path(baseline):
        return None
    spot = file.node_at(offset)
    if spot is None or spot.is_key or not spot.path or spot.path[-1] != "rule":
        return None
    rule = find_value(spot.document.value, spot.path)
    page = rule_with_example(workspace, file.path, rule) if isinstance(rule, str) else None
    return HoverText(spot.span, (page,)) if page else None
