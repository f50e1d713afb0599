"""Go to definition, find references, and search for names in the workspace."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from typing import Any, Final

from trialrun.diagnostic import Range, SymbolicLocation
from trialrun.guarded_path import TooManyEntries, matching_files
from trialrun.lint.positions import find_value
from trialrun.lsp.results import Object, location
from trialrun.lsp.symbols.edit import anchor_at
from trialrun.lsp.symbols.index import declarations, find_references, occurrence_at, occurrences, range_of
from trialrun.lsp.symbols.occurrence import Occurrence
from trialrun.text import Position
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.open_workspace import OpenWorkspace, WorkspaceFile


def goto_definition(workspace: OpenWorkspace, path: str, offset: int) -> list[Object]:
    """The declarations of the name at an offset, in the order of paths; of an alias its anchor.

    Elsewhere the files or the policy that are named.
    """
    file = workspace.workspace_file(path)
    if file and (anchored := anchor_at(file, offset)):
        return [location(path, file.range(anchored[1].span))]
    occurrence = occurrence_at(workspace, path, offset)
    if occurrence is None:
        return [location(*place) for place in dict.fromkeys(file_references(workspace, file, offset))] if file else []
    return _locations(workspace, declarations(workspace, occurrence))


def references(workspace: OpenWorkspace, path: str, offset: int, *, with_declarations: bool = True) -> list[Object]:
    """The places that name what is named at an offset, in the order of paths; none where there is no name of ours."""
    file = workspace.workspace_file(path)
    if file and (anchored := anchor_at(file, offset)):
        anchor = anchored[1]
        spans = (anchor.span, *anchor.aliases) if with_declarations else anchor.aliases
        return [location(path, file.range(span)) for span in spans]
    occurrence = occurrence_at(workspace, path, offset)
    found = find_references(workspace, occurrence) if occurrence else []
    return _locations(workspace, [one for one in found if with_declarations or not one.declares])


def _locations(workspace: OpenWorkspace, found: list[Occurrence]) -> list[Object]:
    places = {(one.path, range_) for one in found if (range_ := range_of(workspace, one))}
    return [location(*place) for place in sorted(places)]


SYMBOL_KINDS: Final = {
    "upsell": 19,  # Object
    "session type": 5,  # Class
    "session variable": 13,  # Variable
    "session field": 8,  # Field
    "config": 2,  # Module
    "brand": 3,  # Namespace
    "store": 19,  # Object
    "binding": 20,  # Key
    "item": 14,  # Constant
    "modifier": 22,  # EnumMember
    "modifier group": 10,  # Enum
    "daypart": 24,  # Event
    "online store": 3,  # Namespace
    "view": 5,  # Class
    "feature group": 23,  # Struct
    "feature": 8,  # Field
    "source": 1,  # File
    "column": 8,  # Field
}
"""The symbol kind of each kind of name."""
MAX_NAMES = 300
"""Names that are reported at once: a person narrows them down by writing on."""
MAX_SECONDS = 2.0
"""Seconds in which texts are read that were not read before; the next question goes on where this one stopped."""


def workspace_symbols(workspace: OpenWorkspace, path: str, query: str) -> list[Object]:
    """The declared names that have the letters of a query in their order, the nearest ones first."""
    wanted = "".join(query.lower().split())
    ranked = sorted(
        ((rank, one.text, one.path, index), one)
        for index, one in enumerate(_declared(workspace))
        if (rank := rank_of(_own_name(one), wanted)) is not None
    )
    symbols: list[Object] = []
    for _, one in ranked:
        range_ = range_of(workspace, one) if len(symbols) < MAX_NAMES else None
        if range_ is not None:
            scope = f"{one.kind} {one.scope}".strip()
            known = {"name": _own_name(one), "kind": SYMBOL_KINDS[one.kind], "containerName": scope}
            symbols.append({"location": location(one.path, range_), **known})
    return symbols


def rank_of(name: str, wanted: str) -> tuple[int, int] | None:
    """How near a name is to the letters that are wanted, less being nearer; None if it does not have them all."""
    folded = name.lower()
    if folded.startswith(wanted):
        return 0, len(name)
    if (at := folded.find(wanted)) > 0:
        return (1 if not folded[at - 1].isalnum() else 2), len(name)
    start = at = folded.find(wanted[0])
    for letter in wanted[1:]:
        at = folded.find(letter, at + 1) if at >= 0 else at
    return (3, at - start) if at >= 0 else None


def _declared(workspace: OpenWorkspace) -> Iterator[Occurrence]:
    end = time.monotonic() + MAX_SECONDS
    for file in workspace.workspace_files():
        found = occurrences(workspace, file)
        yield from (one for one in found if one.declares and one.kind != "bound variable")
        if time.monotonic() > end:
            return


def _own_name(occurrence: Occurrence) -> str:
    """The name without that of the parent before it."""
    start, end = occurrence.chars or (0, len(occurrence.text))
    return occurrence.text[start:end]


MAX_FILES: Final = 50
_ignored = re.compile(r"#[^\r\n]*?trialrun:\s*ignore(?:-file)?\[([^\]\r\n]*)")
_rule_id = re.compile(r"[a-z][a-z0-9-]*")
_START: Final = Range(Position(1, 1), Position(1, 1))
Place = tuple[str, Range]
"""A range of a file, by the path that is shown."""


def file_references(workspace: OpenWorkspace, file: WorkspaceFile, offset: int) -> Iterator[Place]:
    """The files, or the policy, that the text at an offset names."""
    rule = _rule_at(file, offset)
    if rule is not None:
        yield from _policy(workspace, file.path, rule)
        return
    spot = file.node_at(offset)
    part = file.resource_at(spot) if spot and not spot.is_key else None
    if spot is None or part is None:
        return
    if part.kind == "Source":
        node: Any = part.model.node
        for field in ("files", "database"):
            if spot.path == part.model.path(SymbolicLocation(node, (field,))):
                yield from _matching(file.path, getattr(node, field))
    elif part.kind == "Scenario" and spot.path[-1:] == ("file",):
        yield from _ending(workspace, str(find_value(spot.document.value, spot.path)))


def _rule_at(file: WorkspaceFile, offset: int) -> str | None:
    start = file.source.text.rfind("\n", 0, offset) + 1
    for comment in _ignored.finditer(file.source.text, start):
        for rule in _rule_id.finditer(file.source.text, *comment.span(1)):
            if rule.start() <= offset <= rule.end():
                return rule[0]
        return None
    return None


def _policy(workspace: OpenWorkspace, path: str, rule: str) -> Iterator[Place]:
    policies = workspace.request.profiles.of(path).policies
    for policy_file in sorted(policies.files) if rule in policies.rules else ():
        file = workspace.workspace_file(display_path(policy_file))
        for document in file.parsed.documents if file else ():
            if file and isinstance(document.value, dict) and document.value.get("id") == rule:
                yield file.path, file.range(document.span(("id",)))


def _matching(path: str, pattern: str | None) -> Iterator[Place]:
    """The files that match a pattern, relative to the file at `path`."""
    if not pattern or os.path.isabs(pattern):
        return
    try:
        files = matching_files(pattern, os.path.dirname(absolute_path(path)))
    except (OSError, ValueError, TooManyEntries):  # outside of the work tree; the rule about the Source reports it
        return
    yield from ((display_path(file), _START) for file in files[:MAX_FILES])


def _ending(workspace: OpenWorkspace, named: str) -> Iterator[Place]:
    """The files of the workspace whose paths end with a text, at the line after its colon."""
    path, _, line = named.partition(":")
    at = Position(int(line), 1) if line.isdecimal() and int(line) else Position(1, 1)
    for file in workspace.workspace_files() if path else ():
        if file.path == path or file.path.endswith(f"/{path}"):
            yield file.path, Range(at, at)
