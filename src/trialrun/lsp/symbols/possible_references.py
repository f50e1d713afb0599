"""Possible references in free text (reported, not renamed)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Path
from trialrun.lsp.symbols.occurrence import Occurrence
from trialrun.values.resource_name import is_same_resource

if TYPE_CHECKING:
    from trialrun.parser import Document
    from trialrun.workspace.open_workspace import OpenWorkspace
    from trialrun.workspace.open_workspace.workspace_file import WorkspaceFile

MAX_POSSIBLE_REFERENCES: Final = 200
"""Maximum number of locations: nobody confirms more one by one."""
_TALKED_OF: Final = frozenset(
    {"item", "modifier", "modifier group", "upsell", "config", "binding", "store", "feature group", "source"}
)
_NOT_SAID: Final = frozenset({"kind", "createTime", "updateTime", "etag"})


def find_possible_references(workspace: OpenWorkspace, occurrence: Occurrence, text: str) -> list[Occurrence]:
    """Locations where the text of a name occurs as words, and is not a known name."""
    from trialrun.lsp.symbols.index import content_filter

    if occurrence.kind not in _TALKED_OF or len(text) < 2:
        return []
    words = _words(text, _longer(workspace, text))
    may_contain = content_filter(text)
    files = (file for file in workspace.workspace_files() if may_contain(file.data) and file.resources)
    places = (place for file in files for place in _doubted_in(workspace, file, occurrence.scope, words))
    locations = islice(places, MAX_POSSIBLE_REFERENCES)
    return [
        Occurrence(occurrence.kind, text, path, number, steps, chars=chars) for path, number, steps, chars in locations
    ]


def _doubted_in(
    workspace: OpenWorkspace, file: WorkspaceFile, scope: str, words: re.Pattern[str]
) -> Iterator[tuple[str, int, Path, tuple[int, int]]]:
    """The locations in a file, without resources of another scope."""
    from trialrun.lsp.symbols.collect import scope_of
    from trialrun.lsp.symbols.index import occurrences

    named: dict[tuple[int, Path], list[tuple[int, int] | None]] = {}
    for occurrence in occurrences(workspace, file):
        if not occurrence.at_key:
            named.setdefault((occurrence.document, occurrence.steps), []).append(occurrence.chars)
    others = [part for part in file.resources if _is_of_another(scope_of(part.model.node), scope)]
    for document in file.parsed.documents:
        apart = [part.root for part in others if part.document is document]
        for steps, chars in _places(document, words):
            is_named = any(span is None or _meet(span, chars) for span in named.get((document.index, steps), ()))
            is_apart = any(steps[: len(root)] == root for root in apart)
            if not (is_named or is_apart or document.is_aliased(steps)):
                yield file.path, document.index, steps, chars


def _longer(workspace: OpenWorkspace, text: str) -> list[str]:
    """The declared names that contain a text: where one of them occurs, only that is meant."""
    from trialrun.lsp.symbols.index import content_filter, occurrences

    may_contain = content_filter(text)
    files = (
        workspace_file
        for workspace_file in workspace.workspace_files()
        if may_contain(workspace_file.data) and workspace_file.resources
    )
    found = {
        occurrence.text
        for file in files
        for occurrence in occurrences(workspace, file)
        if occurrence.declares and text in occurrence.text
    }
    return sorted(found - {text}, key=len, reverse=True)[:MAX_POSSIBLE_REFERENCES]


def _words(text: str, longer: Iterable[str]) -> re.Pattern[str]:
    """A pattern for the words of a text, captured as a group; longer names that contain it are skipped."""
    names = "".join(f"{re.escape(name)}|" for name in longer)
    return re.compile(rf"(?<![\w/-])(?:{names}({re.escape(text)}))(?![\w/-]|\.\w)")


def _is_of_another(scope: str, own: str) -> bool:
    """Whether a document belongs to another brand or project."""
    return bool(scope and own) and not is_same_resource(scope, own)


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _places(document: Document, words: re.Pattern[str]) -> Iterator[tuple[Path, tuple[int, int]]]:
    """The texts of a document that contain the words, with the range of each."""
    waiting: list[tuple[Path, Any]] = [((), document.value)]
    while waiting:
        steps, value = waiting.pop()
        if isinstance(value, str):
            if not steps or steps[-1] not in _NOT_SAID:
                yield from ((steps, match.span(1)) for match in words.finditer(value) if match[1])
        elif isinstance(value, dict):
            waiting.extend(((*steps, key), each) for key, each in value.items())
        elif isinstance(value, list):
            waiting.extend(((*steps, at), each) for at, each in enumerate(value))
