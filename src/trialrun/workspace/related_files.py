"""Files that are not checked but whose facts rules across files need.

Documents refer to each other by names, so only files that contain one of the names matter, and companion documents.
Files that may hide a name behind an escape are included.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache

from trialrun.lint import registry
from trialrun.lint.file_result import Fact, FileResult
from trialrun.lint.rule import declaration
from trialrun.values.resource_name import last_id
from trialrun.workspace.kind_scan import declared_kinds, may_hide_a_name
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.scan_files import Candidate

ESCAPABLE = re.compile(r"""[\s'"\\]+""")
"""Characters at which a name may be broken, or that may be escaped."""
MAX_NAMES = 400


class RelatedFiles:
    """The files of a workspace around the `checked` paths. They are read once, and only their facts are gathered."""

    def __init__(self, linting: FileLinter, checked: Collection[str]) -> None:
        self.scan = linting.scan([file for file in linting.files.find() if file.display_path not in checked])
        self._linting = linting
        self._rest = self.scan.candidates

    def results(self, facts: Iterable[Fact] | None) -> Iterator[FileResult]:
        """The results of the files related to the facts, or of all files, and of those that cannot be read.

        A brand has the names of all configs that apply together with one that it names.
        """
        gatherer = self._linting.gatherer(self.scan)
        known = None if facts is None else list(facts)
        related = self._take_related(None if known is None else _names(known))
        rules, further = {fact.rule for fact in known or ()}, list[Fact]()
        for result in gatherer.results(self.scan.unreadable, related):
            further += [fact for fact in result.facts if fact.rule in rules and _keys(fact.rule)[1]]
            yield result
        yield from gatherer.results((), self._take_related(_names(further)))

    def rest(self) -> Iterator[FileResult]:
        """The results of the other files."""
        return self._linting.gatherer(self.scan).results((), self._take_related(None))

    def _take_related(self, names: set[str] | None) -> list[Candidate]:
        """The files that may contain one of the names, or all files, each at most once."""
        parts = _parts(names)
        related = [candidate for candidate in self._rest if parts is None or self._is_related(candidate, parts)]
        taken = {id(candidate) for candidate in related}
        self._rest = [candidate for candidate in self._rest if id(candidate) not in taken]
        return related

    def _is_related(self, candidate: Candidate, parts: Sequence[bytes]) -> bool:
        data = self.scan.data(candidate) or self._linting.files.read(candidate.found)
        if not isinstance(data, bytes):
            return True
        if any(part in data for part in parts) or may_hide_a_name(data):
            return True
        return bool(declared_kinds(data, by_path=self._linting.profiles.kind_by_glob(candidate.found.display_path)))


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
