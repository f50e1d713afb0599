"""Hover: the meaning of a value, its field, and the rules that report it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.results import Hover
from trialrun.text import Span

if TYPE_CHECKING:
    from trialrun.lsp.describe.value_location import HoverText
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

PART = "\n\n---\n\n"


def hover(workspace: OpenWorkspace, path: str, offset: int) -> Hover | None:
    """What is known about the place at an offset; None where nothing is."""
    if path.endswith(".toml"):  # editors of TOML have the schema of the settings
        return None
    file = workspace.workspace_file(path)
    if file is None or not 0 <= offset <= len(file.source.text):
        return None
    return _hover(file, list(_told(workspace, file, offset)), offset)


def _told(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> Iterator[HoverText]:
    """What is said at an offset, the most telling first; the first one says which characters are spoken of."""
    from trialrun.lsp.describe.aliases import alias_at
    from trialrun.lsp.describe.finding import findings_at, rule_in_comment
    from trialrun.lsp.describe.policy import policy_at
    from trialrun.lsp.describe.rule_id import baseline_rule_at

    alone = rule_in_comment(workspace, file, offset) or baseline_rule_at(workspace, file, offset)
    if alone is not None:
        yield alone
        return
    found = policy_at(workspace, file, offset) or alias_at(file, offset)
    yield from [found] if found else _of_resource(workspace, file, offset)
    yield from filter(None, [findings_at(workspace, file, offset)])


def _of_resource(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> Iterator[HoverText]:
    """What the value at an offset means, then its field."""
    from trialrun.lsp.describe.field import field_paragraphs
    from trialrun.lsp.describe.value import describe_value
    from trialrun.lsp.describe.value_location import HoverText, value_location_at

    place = value_location_at(workspace, file, offset)
    if place is None:
        return
    value = describe_value(place)
    yield value
    if not value.is_all:
        yield HoverText(
            place.spot.span, tuple(field_paragraphs(place.member, None if place.spot.is_key else place.value))
        )


def _hover(file: WorkspaceFile, told: list[HoverText], offset: int) -> Hover | None:
    blocks = ["\n\n".join(filter(None, one.paragraphs)) for one in told]
    if not any(blocks):
        return None
    around = (one.span for one in told if one.span.start <= offset <= one.span.end)
    return Hover(PART.join(filter(None, blocks)), file.range(next(around, Span(offset, offset))))
