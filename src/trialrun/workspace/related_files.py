"""The files that are not checked themselves but have to do with those that are: rules across files need their facts.

Documents of different files speak of each other by names, so only a file that has one of the names in it can matter,
and the companion documents, which say what there is. A file that may hide a name behind an escape is taken along.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache

from trialrun.lint import registry
from trialrun.lint.file_result import Fact, FileResult
from trialrun.lint.rule import declaration
from trialrun.values.resource_name import last_id
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.kind_scan import declared_kinds, may_hide_a_name
from trialrun.workspace.lint_files import FileLinter

ESCAPABLE = re.compile(r"""[\s'"\\]+""")
"""What a name may be broken at, or written otherwise, in a file."""
MAX_NAMES = 400


def lint_related_files(
    linting: FileLinter, facts: Iterable[Fact] | None, known: Collection[str]
) -> Iterator[FileResult]:
    """The reports of the files that the facts have to do with, or of all, without those of the `known` paths."""
    names = None if facts is None else _names(facts)
    parts = _parts(names)
    others = (file for file in linting.files.find() if file.display_path not in known)
    matter = [discovered_file for discovered_file in others if _is_related(discovered_file, linting, parts)]
    return linting.lint(matter, declared=linting.declared)


def _names(facts: Iterable[Fact]) -> set[str] | None:
    """What documents refer to each other by, names or the ids at their ends.

    None if a rule does not say what its facts are known by, or where a name was not read.
    """
    names: set[str] = set()
    for fact in facts:
        keys, by_id = _keys(fact.rule)
        told = {name for key in keys for name in _texts(getattr(fact.value, key, None))}
        if not keys or (by_id and not told):
            return None
        names.update(map(last_id, told) if by_id else told)
    return names


@cache
def _keys(rule_id: str) -> tuple[frozenset[str], bool]:
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
    """What a file has in it that one of the names is in; None if every file may matter.

    Of each name the longest part is looked for that every way of writing it leaves whole.
    """
    if names is None:
        return None
    parts = {longest_verbatim_part(name) for name in names}
    if len(parts) > MAX_NAMES or "" in parts:
        return None
    return [part.encode("utf-8", "surrogatepass") for part in sorted(parts)]


def longest_verbatim_part(name: str) -> str:
    """The longest part of a name that every way of writing it leaves whole."""
    return max(ESCAPABLE.split(name), key=len)


def _is_related(found: DiscoveredFile, linting: FileLinter, parts: list[bytes] | None) -> bool:
    data = linting.files.read(found)
    if not isinstance(data, bytes):
        return False
    if parts is None or any(part in data for part in parts) or may_hide_a_name(data):
        return True
    return bool(declared_kinds(data, by_path=linting.profiles.kind_by_glob(found.display_path)))
