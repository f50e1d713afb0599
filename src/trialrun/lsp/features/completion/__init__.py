"""What may be written at a place: fields, values, names of the workspace, conditions, also in a broken document."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.lsp.features.completion.cursor import Cursor, InComment
    from trialrun.lsp.features.completion.expected_type import Meaning
    from trialrun.lsp.results import Completion, Completions
    from trialrun.text import Source
    from trialrun.workspace.open_workspace import Live

MOST = 200
"""How many of a long list are sent; the letters that a person writes next bring up the others."""


def completion(live: Live, path: str, offset: int) -> Completions:
    """What may be written at an offset of a file; nothing where nothing can be told."""
    from trialrun.lsp.results import Completions

    items = tuple(_items(live, path, offset))
    shown = tuple(sorted(items, key=lambda one: one.sort)[:MOST]) if len(items) > MOST else items
    return Completions(shown, is_incomplete=len(items) > MOST)


def _items(live: Live, path: str, offset: int) -> Iterator[Completion]:
    from trialrun.parser import source

    data = live.files.bytes_of(path)
    if data is None:
        return
    if not path.endswith(".toml"):  # editors of TOML have the schema of the settings
        yield from _in_resource(live, path, source(data, path), offset)


def _in_resource(live: Live, path: str, source: Source, offset: int) -> Iterator[Completion]:
    """What may be written by the first reading of the place that leads to something."""
    from trialrun.lsp.features.completion.cursor import cursors_at

    for cursor in cursors_at(source, offset):
        found = list(_of_cursor(live, path, cursor))
        if found:
            yield from found
            return


def _of_cursor(live: Live, path: str, cursor: Cursor | InComment) -> Iterator[Completion]:
    from trialrun.lsp.features.completion.cursor import InComment
    from trialrun.lsp.features.completion.expected_type import meaning
    from trialrun.lsp.features.completion.position_kind import at_place

    if isinstance(cursor, InComment):
        from trialrun.lsp.features.completion.rules import in_comment

        yield from in_comment(live, cursor)
        return
    found = meaning(cursor, live.request.profiles.kind_by_glob(path))
    if found is not None and found.kind is None and _is_policy(live, path, found):
        from trialrun.lsp.features.completion.policies import in_policy

        yield from in_policy(cursor, found)
    elif found is not None:
        yield from at_place(live, path, cursor, found)


def _is_policy(live: Live, path: str, found: Meaning) -> bool:
    """Whether a document is a policy, by its file or by its keys."""
    from trialrun.lint.policy import is_policy

    keys = {entry.key.meant: "" for entry in found.root.entries}
    return is_policy(keys) or os.path.abspath(path) in live.request.profiles.policies.files
