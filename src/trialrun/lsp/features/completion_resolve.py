"""Documentation of one completion item, requested when the user selects it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def completion_resolve(workspace: OpenWorkspace, path: str, about: tuple[str, ...]) -> str | None:
    """What is known of a completion by its `about`, in Markdown; None if nothing is."""
    sort, *words = about
    known = DOCUMENTATION.get(sort)
    return "\n\n".join(known(workspace, path, *words)) or None if known else None


def _field(workspace: OpenWorkspace, path: str, model: str, name: str) -> Iterator[str]:
    from trialrun.lsp.describe.field import field_paragraphs
    from trialrun.lsp.describe.model_field import ModelField
    from trialrun.model.kinds import find_message

    yield from field_paragraphs(ModelField(find_message(model)[1], name, ()))


def _rule(workspace: OpenWorkspace, path: str, rule: str) -> Iterator[str]:
    from trialrun.lsp.rule_docs import rule_page

    page = rule_page(workspace, path, rule)
    if page:
        yield page


def _zone(workspace: OpenWorkspace, path: str, name: str) -> Iterator[str]:
    from trialrun.lsp.describe.time_zone import zone_paragraphs

    yield from zone_paragraphs(name, workspace.request.now)


def _language(workspace: OpenWorkspace, path: str, tag: str) -> Iterator[str]:
    from trialrun.lsp.describe.language import language_paragraphs

    yield from language_paragraphs(tag)


def _enum(workspace: OpenWorkspace, path: str, title: str, value: str) -> Iterator[str]:
    from trialrun.lsp.describe.enum_docs import enum_description

    words = enum_description(title, value)
    if words:
        yield words


def _function(workspace: OpenWorkspace, path: str, name: str) -> Iterator[str]:
    from trialrun.lsp.describe.condition import function_docs
    from trialrun.values.cel.policy_functions import LIBRARY as POLICIES

    yield from function_docs(name, POLICIES)


def _kind(workspace: OpenWorkspace, path: str, kind: str) -> Iterator[str]:
    from trialrun.model.kinds import model_of

    yield from filter(None, [model_of(kind).__doc__])


DOCUMENTATION: Mapping[str, Callable[..., Iterator[str]]] = {
    "field": _field,
    "rule": _rule,
    "zone": _zone,
    "language": _language,
    "enum": _enum,
    "function": _function,
    "kind": _kind,
}
"""By sort, what tells of a completion."""
