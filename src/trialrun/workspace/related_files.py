"""Files that are not checked but whose facts rules across files need.

Documents refer to each other by names, so only files that contain one of the names matter, and companion documents.
Files that may hide a name behind an escape are included.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache

from trialrun.lint import registry
from trialrun.lint.file_result import Fact, FileResult
from trialrun.lint.rule import declaration
from trialrun.values.resource_name import last_id
from trialrun.workspace.discovery import DiscoveredFile, without_links
from trialrun.workspace.kind_scan import declared_kinds, may_hide_a_name
from trialrun.workspace.lint_files import FileLinter

ESCAPABLE = re.compile(r"""[\s'"\\]+""")
"""Characters at which a name may be broken, or that may be escaped."""
MAX_NAMES = 400


def lint_related_files(
    linting: FileLinter, facts: Iterable[Fact] | None, known: Collection[str]
) -> Iterator[FileResult]:
    """The results of the files related to the facts, or of all files, without those of the `known` paths."""
    names = None if facts is None else _names(facts)
    parts = _parts(names)
    given = [DiscoveredFile(path, path, is_named=True) for path in known]
    others = (file for file in without_links([*given, *linting.files.find()]) if file.display_path not in known)
    matter = [discovered_file for discovered_file in others if _is_related(discovered_file, linting, parts)]
    return linting.lint(matter, declared=linting.declared)


def _names(facts: Iterable[Fact]) -> set[str] | None:
    """The names, or ids at their ends, by which documents refer to each other.

    None if a rule does not declare the keys of its facts, or a name could not be read.
    """
    names: set[str] = set()
    for fact in facts:
        keys, by_id = _keys(fact.rule)
        names_of_fact = {name for key in keys for name in _texts(getattr(fact.value, key, None))}
        if not keys or (by_id and not names_of_fact):
            return None
        names.update(map(last_id, names_of_fact) if by_id else names_of_fact)
    return names


@cache
def _keys(rule_id: str) -> tuple[frozenset[str], bool]:
    if rule_id not in registry.files():  # a policy may read any document
        return frozenset(), False
    gatherers = [declaration(gatherer) for gatherer in registry.load(rule_id).gatherers]
    return frozenset(key for gatherer in gatherers for key in gatherer.keys), any(
        gatherer.by_id for gatherer in gatherers
    )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def _parts(names: set[str] | None) -> list[bytes] | None:
    """The byte strings that a related file contains; None if every file may be related.

    For each name, its longest part that is the same in every spelling.
    """
    if names is None:
        return None
    parts = {longest_verbatim_part(name) for name in names}
    if len(parts) > MAX_NAMES or "" in parts:
        return None
    return [part.encode("utf-8", "surrogatepass") for part in sorted(parts)]


def longest_verbatim_part(name: str) -> str:
    """The longest part of a name that is the same in every spelling."""
    return max(ESCAPABLE.split(name), key=len)


def _is_related(discovered_file: DiscoveredFile, linting: FileLinter, parts: list[bytes] | None) -> bool:
    data = linting.files.read(discovered_file)
    if not isinstance(data, bytes):
        return False
    if parts is None or any(part in data for part in parts) or may_hide_a_name(data):
        return True
    return bool(declared_kinds(data, by_path=linting.profiles.kind_by_glob(discovered_file.display_path)))
