"""Completion of fields, values, declared names and conditions, also in invalid documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.lsp.features.completion.cursor import CommentCursor, Cursor
    from trialrun.lsp.features.completion.expected_type import ExpectedType
    from trialrun.lsp.results import Completion, Completions
    from trialrun.text import Source
    from trialrun.workspace.open_workspace import OpenWorkspace

MAX_ITEMS = 200
"""Maximum number of items sent; typing more narrows the list down."""


def completion(workspace: OpenWorkspace, path: str, offset: int) -> Completions:
    """The completion items at an offset; empty if the position is unknown."""
    from trialrun.lsp.results import Completions

    items = tuple(_items(workspace, path, offset))
    shown = tuple(sorted(items, key=lambda one: one.sort_text)[:MAX_ITEMS]) if len(items) > MAX_ITEMS else items
    return Completions(shown, is_incomplete=len(items) > MAX_ITEMS)


def _items(workspace: OpenWorkspace, path: str, offset: int) -> Iterator[Completion]:
    from trialrun.parser import read_source

    data = workspace.files.bytes_of(path)
    if data is None:
        return
    if not path.endswith(".toml"):  # TOML editors complete settings by their JSON Schema
        yield from _in_resource(workspace, path, read_source(data, path), offset)


def _in_resource(workspace: OpenWorkspace, path: str, source: Source, offset: int) -> Iterator[Completion]:
    """The items for the first interpretation of the position that yields any."""
    from trialrun.lsp.features.completion.cursor import possible_cursors

    for cursor in possible_cursors(source, offset):
        completions = list(_of_cursor(workspace, path, cursor))
        if completions:
            yield from completions
            return


def _of_cursor(workspace: OpenWorkspace, path: str, cursor: Cursor | CommentCursor) -> Iterator[Completion]:
    from trialrun.lsp.features.completion.cursor import CommentCursor
    from trialrun.lsp.features.completion.expected_type import expected_type
    from trialrun.lsp.features.completion.position_kind import completions_at

    if isinstance(cursor, CommentCursor):
        from trialrun.lsp.features.completion.rules import comment_completions

        yield from comment_completions(workspace, cursor)
        return
    expected = expected_type(cursor, workspace.request.profiles.kind_by_glob(path))
    if expected is not None and expected.kind is None and _is_policy(workspace, path, expected):
        from trialrun.lsp.features.completion.policies import policy_completions

        yield from policy_completions(cursor, expected)
    elif expected is not None:
        yield from completions_at(workspace, path, cursor, expected)


def _is_policy(workspace: OpenWorkspace, path: str, found: ExpectedType) -> bool:
    """Whether a document is a policy, by its path or its keys."""
    from trialrun.lint.policy import is_policy

    keys = {entry.key.decoded: "" for entry in found.root.entries}
    return is_policy(keys) or absolute_path(path) in workspace.request.profiles.policies.files
