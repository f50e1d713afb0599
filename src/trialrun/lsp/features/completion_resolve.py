"""What is told of one completion, asked for when a person looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import Live


def documentation(live: Live, path: str, about: tuple[str, ...]) -> str | None:
    """What is known of a completion by its `about`, in Markdown; None where nothing is."""
    sort, *words = about
    known = TOLD.get(sort)
    return "\n\n".join(known(live, path, *words)) or None if known else None


def _field(live: Live, path: str, model: str, name: str) -> Iterator[str]:
    from trialrun.lsp.describe.field import field_paragraphs
    from trialrun.lsp.describe.model_field import Member
    from trialrun.model.kinds import part_named

    yield from field_paragraphs(Member(part_named(model)[1], name, ()))


def _rule(live: Live, path: str, rule: str) -> Iterator[str]:
    from trialrun.lsp.rule_docs import rule_page

    page = rule_page(live, path, rule)
    if page:
        yield page


def _zone(live: Live, path: str, name: str) -> Iterator[str]:
    from trialrun.lsp.describe.time_zone import zone_paragraphs

    yield from zone_paragraphs(name, live.request.now)


def _language(live: Live, path: str, tag: str) -> Iterator[str]:
    from trialrun.lsp.describe.language import language_paragraphs

    yield from language_paragraphs(tag)


def _enum(live: Live, path: str, title: str, value: str) -> Iterator[str]:
    from trialrun.lsp.describe.enum_docs import words_of

    words = words_of(title, value)
    if words:
        yield words


def _function(live: Live, path: str, name: str) -> Iterator[str]:
    from trialrun.lsp.describe.condition import does

    yield from does(name)


def _kind(live: Live, path: str, kind: str) -> Iterator[str]:
    from trialrun.model.kinds import model_of

    yield from filter(None, [model_of(kind).__doc__])


TOLD: Mapping[str, Callable[..., Iterator[str]]] = {
    "field": _field,
    "rule": _rule,
    "zone": _zone,
    "language": _language,
    "enum": _enum,
    "function": _function,
    "kind": _kind,
}
"""By sort, what tells of a completion."""
