"""References to files and policies, which are not declared in documents."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.guarded_path import TooManyEntries, matching_files
from trialrun.lsp.results import Location
from trialrun.text import Position
from trialrun.working_folder import absolute_path

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile

MAX_FILES: Final = 50
_ignored = re.compile(r"#[^\r\n]*?trialrun:\s*ignore(?:-file)?\[([^\]\r\n]*)")
_rule = re.compile(r"[a-z][a-z0-9-]*")
_START: Final = Range(Position(1, 1), Position(1, 1))


def file_references(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> Iterator[Location]:
    """The files, or the policy, that the text at an offset names."""
    rule = _rule_at(file, offset)
    if rule is not None:
        yield from _policy(workspace, file.path, rule)
        return
    node_at_offset = file.node_at(offset)
    part = file.resource_at(node_at_offset) if node_at_offset and not node_at_offset.is_key else None
    if node_at_offset is None or part is None:
        return
    if part.kind == "Source":
        node: Any = part.model.node
        for field in ("files", "database"):
            if node_at_offset.path == part.model.path(SymbolicLocation(node, (field,))):
                yield from _files(file.path, getattr(node, field))
    elif part.kind == "Scenario" and node_at_offset.path[-1:] == ("file",):
        yield from _ending(workspace, str(_value(node_at_offset.document.value, node_at_offset.path)))


def _rule_at(file: WorkspaceFile, offset: int) -> str | None:
    """The rule at an offset of a suppression comment."""
    start = file.source.text.rfind("\n", 0, offset) + 1
    for comment in _ignored.finditer(file.source.text, start):
        for rule in _rule.finditer(file.source.text, *comment.span(1)):
            if rule.start() <= offset <= rule.end():
                return rule[0]
        return None
    return None


def _policy(workspace: OpenWorkspace, path: str, rule: str) -> Iterator[Location]:
    from trialrun.display_path import display_path

    policies = workspace.request.profiles.of(path).policies
    for policy_file in sorted(policies.files) if rule in policies.rules else ():
        file = workspace.workspace_file(display_path(policy_file))
        for document in file.parsed.documents if file else ():
            if file and isinstance(document.value, dict) and document.value.get("id") == rule:
                yield Location(file.path, file.range(document.span(("id",))))


def _files(path: str, pattern: str | None) -> Iterator[Location]:
    """The files that match a pattern, relative to the file at `path`."""
    from trialrun.display_path import display_path

    if not pattern or os.path.isabs(pattern):
        return
    try:
        files = matching_files(pattern, os.path.dirname(absolute_path(path)))
    except (OSError, ValueError, TooManyEntries):  # outside of the work tree; the rule about the Source reports it
        return
    yield from (Location(display_path(file), _START) for file in files[:MAX_FILES])


def _ending(workspace: OpenWorkspace, named: str) -> Iterator[Location]:
    """The files of the workspace whose paths end with a text, at the line after its colon."""
    path, _, line = named.partition(":")
    at = Position(int(line), 1) if line.isdecimal() and int(line) else Position(1, 1)
    for file in workspace.workspace_files() if path else ():
        if file.path == path or file.path.endswith(f"/{path}"):
            yield Location(file.path, Range(at, at))


def _value(value: Any, path: tuple[str | int, ...]) -> Any:
    from trialrun.lint.positions import find_value

    return find_value(value, path)
