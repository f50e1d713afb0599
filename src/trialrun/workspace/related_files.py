"""Files that are not checked but whose facts rules across files need.

Documents refer to each other by names, so only files that contain one of the names matter, and companion documents.
Files that may hide a name behind an escape are included.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

from trialrun.lint import registry
from trialrun.lint.file_result import Fact, FileResult
from trialrun.lint.rule import declaration
from trialrun.model.kinds import declared_kinds, may_hide_a_name
from trialrun.values.resource_name import last_id
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.discovery import DiscoveredFile, WorkspaceRoots, without_links
from trialrun.workspace.file_system import Candidate
from trialrun.workspace.lint_files import FileLinter

ESCAPABLE = re.compile(r"""[\s'"\\]+""")
"""Characters at which a name may be broken, or that may be escaped."""
NAME_CHARACTER = re.compile(rb"[\w-]")
MAX_NAMES = 400
MAX_UNDECLARED_FILES = 500
"""Files that are read around a named one in a folder that nobody declared a workspace, such as a home folder."""
UNDECLARED = (
    f"there are more than {MAX_UNDECLARED_FILES} files, and no settings say that they belong together; "
    "write a trialrun.toml at the top of the workspace"
)


def judged_rules(facts: Iterable[Fact]) -> set[str]:
    """The rules that may have findings about some facts; the others compare them with those of other documents."""
    return {fact.rule for fact in facts if type(fact.value) not in _gathering(fact.rule).context}


class RelatedFiles:
    """The files of a workspace around the `checked` paths. They are read once, and only their facts are gathered."""

    def __init__(self, linter: FileLinter, checked: Collection[str]) -> None:
        given = [DiscoveredFile(path, path, is_named=True) for path in checked]
        others = [file for file in without_links([*given, *linter.files.find()]) if file.display_path not in checked]
        if len(others) > MAX_UNDECLARED_FILES and WorkspaceRoots().root_of(absolute_path(linter.files.root)) is None:
            others = [DiscoveredFile(display_path(linter.files.root), linter.files.root, limit=UNDECLARED)]
        self.scan = linter.scan(others)
        self._linter = linter
        self._rest = self.scan.candidates

    def results(self, facts: Sequence[Fact] | None, *, with_facts: bool = True) -> Iterator[FileResult]:
        """The results of the files related to the facts, or of all files, and of those that cannot be read.

        What applies together with a config is named by the brands that name the config. Without facts, those that are
        needed to find other files are read from the cache. Raises FactsGone.
        """
        gatherer = self._linter.gatherer()
        rules = sorted({fact.rule for fact in facts or () if _gathering(fact.rule).by_id})
        further, named = list[Iterator[Fact]](), self._take(self._may_contain(facts))
        for result in gatherer.results(self.scan.unreadable, named, with_facts=with_facts):
            further.append(self._facts(result, rules))
            yield result
        kind_of = self._linter.profiles.kind_by_glob
        companions = self._take(
            lambda candidate, data: bool(declared_kinds(data, by_path=kind_of(candidate.found.display_path)))
        )
        rest = [*companions, *self._take(self._may_contain(chain.from_iterable(further)))]
        yield from gatherer.results((), rest, with_facts=with_facts)

    def _facts(self, result: FileResult, rules: Sequence[str]) -> Iterator[Fact]:
        """The facts of a file for some rules, wherever they are."""
        if result.facts or result.kept is None or self._linter.result_cache is None:
            return (fact for fact in result.facts if fact.rule in rules)
        return self._linter.result_cache.facts(result.kept, rules, result.path)

    def rest(self) -> Iterator[FileResult]:
        """The results of the other files."""
        return self._linter.gatherer().results((), self._rest)

    def _take(self, is_related: Callable[[Candidate, bytes], bool]) -> list[Candidate]:
        """The related files among those that were not taken before."""
        taken, rest = list[Candidate](), list[Candidate]()
        for candidate in self._rest:
            data = candidate.kept or self._linter.files.read(candidate.found)
            is_taken = not isinstance(data, bytes) or is_related(candidate, data)
            (taken if is_taken else rest).append(candidate)
        self._rest = rest
        return taken

    def _may_contain(self, facts: Iterable[Fact] | None) -> Callable[[Candidate, bytes], bool]:
        """Whether a file may contain one of the names in some facts; any file may, if they are not known."""
        parts = None if facts is None else _parts_of_names(facts)
        return lambda _, data: parts is None or any(_contains(data, part) for part in parts) or may_hide_a_name(data)


class _Gathering(NamedTuple):
    """What a rule says about its facts."""

    keys: frozenset[str]
    by_id: bool
    context: frozenset[type]


def _parts_of_names(facts: Iterable[Fact]) -> list[bytes] | None:
    """The parts of names, or ids at their ends, by which documents refer to each other: a related file contains one.

    For each name, its longest part that is the same in every spelling. None if every file may be related: a rule does
    not declare the keys of its facts, a name could not be read, or there are many.
    """
    parts: set[str] = set()
    for fact in facts:
        keys, by_id, _ = _gathering(fact.rule)
        names = [name for key in keys for name in _texts(getattr(fact.value, key, None))]
        if not keys or (by_id and not names):
            return None
        parts.update(longest_verbatim_part(last_id(name) if by_id else name) for name in names)
        if len(parts) > MAX_NAMES or "" in parts:
            return None
    return [part.encode("utf-8", "surrogatepass") for part in sorted(parts)]


@cache
def _gathering(rule_id: str) -> _Gathering:
    if rule_id not in registry.files():  # a policy may read any document
        return _Gathering(frozenset(), False, frozenset())
    gatherers = [declaration(gatherer) for gatherer in registry.load(rule_id).gatherers]
    return _Gathering(
        frozenset(key for gatherer in gatherers for key in gatherer.keys),
        any(gatherer.by_id for gatherer in gatherers),
        frozenset(fact for gatherer in gatherers for fact in gatherer.context),
    )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(item)


def _contains(data: bytes, part: bytes) -> bool:
    """Whether a text contains a part of a name that no letter, digit, `_` or `-` continues on either side."""
    at = data.find(part)
    while at >= 0:
        if not (NAME_CHARACTER.match(data, at - 1) if at else None) and not NAME_CHARACTER.match(data, at + len(part)):
            return True
        at = data.find(part, at + 1)
    return False


def longest_verbatim_part(name: str) -> str:
    """The longest part of a name that is the same in every spelling."""
    return max(ESCAPABLE.split(name), key=len)
