"""What may be written at a place: fields, values, names of the workspace, conditions, also in a broken document."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.lsp.answer import Completion, Completions
    from trialrun.lsp.features.completion.cursor import Cursor
    from trialrun.lsp.features.completion.meaning import Meaning
    from trialrun.model.node import Node
    from trialrun.text import Source
    from trialrun.workspace.live import Live

SETTINGS = ("trialrun.toml", "pyproject.toml")
MOST = 200
"""How many of a long list are sent; the letters that a person writes next bring up the others."""


def completion(live: Live, path: str, offset: int) -> Completions:
    """What may be written at an offset of a file; nothing where nothing can be told."""
    from trialrun.lsp.answer import Completions

    items = tuple(_items(live, path, offset))
    shown = tuple(sorted(items, key=lambda one: one.sort)[:MOST]) if len(items) > MOST else items
    return Completions(shown, is_incomplete=len(items) > MOST)


def _items(live: Live, path: str, offset: int) -> Iterator[Completion]:
    from trialrun.tree import source

    data = live.files.bytes_of(path)
    if data is None:
        return
    if os.path.basename(path) in SETTINGS:
        from trialrun.lsp.features.completion.settings import in_settings

        yield from in_settings(live, source(data, path), offset)
    else:
        yield from _in_resource(live, path, source(data, path), offset)


def _in_resource(live: Live, path: str, source: Source, offset: int) -> Iterator[Completion]:
    from trialrun.lsp.features.completion.cursor import InComment, cursor_at
    from trialrun.lsp.features.completion.meaning import meaning

    cursor = cursor_at(source, offset)
    if isinstance(cursor, InComment):
        from trialrun.lsp.features.completion.rules import in_comment

        yield from in_comment(live, cursor)
    elif cursor is not None:
        found = meaning(cursor, live.request.profiles.kind_by_glob(path))
        if found is not None:
            yield from _at(live, path, cursor, found)


def _at(live: Live, path: str, cursor: Cursor, found: Meaning) -> Iterator[Completion]:
    from trialrun.lsp.features.completion.fields import field_names
    from trialrun.lsp.features.completion.sketch import Mapping
    from trialrun.lsp.features.completion.values import values

    shape, container, first = found.shape, cursor.container, cursor.scalar.is_first
    dash = "- " if cursor.scalar.needs_dash or (shape.listed and not cursor.is_key) else ""
    if cursor.is_key:
        if shape.model is not None and not shape.listed and isinstance(container, Mapping):
            yield from field_names(cursor, shape.model, container)
        elif found.kind is None and container is found.root and found.root.get("apiVersion") is None:
            yield from field_names(cursor, _any_kind(), found.root)
    elif shape.model is not None:
        if first and not cursor.is_in_brackets:
            yield from field_names(cursor, shape.model, Mapping(), dash=dash)
    elif found.kind is None and first and (not cursor.steps or _is_item_of_root(cursor)):
        yield from field_names(cursor, _any_kind(), found.root)
    elif first or not shape.listed:
        yield from values(live, path, cursor, found, dash=dash)


def _is_item_of_root(cursor: Cursor) -> bool:
    """Whether the cursor is in an item of a list of resources that has nothing yet."""
    from trialrun.lsp.features.completion.sketch import Sequence

    return len(cursor.steps) == 1 and isinstance(cursor.container, Sequence)


def _any_kind() -> type[Node]:
    """A message that has a kind and nothing else yet."""
    from trialrun.model.node import Resource

    return Resource
