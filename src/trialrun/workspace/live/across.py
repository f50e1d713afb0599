"""What rules across files say of an open workspace, judged again by the rules whose facts changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trialrun.lint.report import Fact
from trialrun.workspace.check import judgement

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.workspace.linting import Linting


class Across:
    """The facts of all files, and what was last said about them; `stale` are the rules to judge by again."""

    def __init__(self) -> None:
        self.stale: set[str] = set()
        self._facts: dict[str, dict[str, list[Fact]]] = {}
        self._said: dict[str, list[Diagnostic]] = {}

    def put(self, path: str, facts: Iterable[Fact]) -> None:
        """A file has these facts from now on. Where they are as before, only what is said of the file is stale."""
        before, after = self._facts.pop(path, {}), _by_rule(facts)
        if after:
            self._facts[path] = after
        self.stale.update(rule for rule in {*before, *after} if before.get(rule) != after.get(rule))
        self.stale.update(one.rule for known in self._said.values() for one in known if _speaks_of(one, path))

    def doubt(self) -> None:
        """Every rule is to be judged by again."""
        self.stale.update(rule for known in self._facts.values() for rule in known)
        self.stale.update(one.rule for known in self._said.values() for one in known)

    def of(self, path: str) -> list[Diagnostic]:
        """What was last said about a file."""
        return self._said.get(path, [])

    def judge(self, linting: Linting, *, unread: bool) -> None:
        """Judge again by the stale rules; `unread`: some file could not be read at all."""
        rules, self.stale = self.stale, set()
        facts = [fact for known in self._facts.values() for rule in rules & known.keys() for fact in known[rule]]
        judged = judgement(linting, facts, unread=unread)
        self._said = {path: [one for one in known if one.rule not in rules] for path, known in self._said.items()}
        for one in judged:
            self._said.setdefault(one.path, []).append(one)
        self._said = {path: known for path, known in self._said.items() if known}


def _by_rule(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    found: dict[str, list[Fact]] = {}
    for fact in facts:
        found.setdefault(fact.rule, []).append(fact)
    return found


def _speaks_of(one: Diagnostic, path: str) -> bool:
    return one.path == path or any(place.path == path for place in one.related)
