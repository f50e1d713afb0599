"""Findings of rules across files, kept in the cache: a rule runs again only if the facts that it reads have changed.

A rule is judged by its facts, the settings of their paths, and whether a file could not be read. A finding also has
places in files, and a fact that is a guess is told by the text around it. So the findings of a rule are found by a
digest of all the former, and hold as long as the files that they point at have the same bytes. The facts of a rule that
runs are read from the cache, those of the others are not. Policies, which share a budget, and rules that read tables
run always.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic
from trialrun.lint import registry
from trialrun.lint.file_result import CheckedFile, Fact, FactsGone
from trialrun.working_folder import path_order
from trialrun.workspace.cache_store import DIGEST_SIZE
from trialrun.workspace.result_cache import ResultCache, finding_from_json, restore_facts

if TYPE_CHECKING:
    from trialrun.lint.workspace_rules import WorkspaceContext

MAX_FINDINGS = 5_000
"""More findings of one rule are not kept."""


class KeptFindings:
    """Judges the facts of the files in `checked`, all of which the cache has, by rules across files.

    `facts` are those that are here already: all of a file, or none.
    """

    def __init__(
        self, cache: ResultCache, checked: Mapping[str, CheckedFile], facts: Iterable[Fact], context: WorkspaceContext
    ) -> None:
        self._cache, self._context = cache, context
        paths = sorted(checked, key=path_order(checked))
        self._kept = {path: kept for path in paths if (kept := checked[path][2]) is not None}
        self._read: dict[tuple[str, str], list[Fact]] = {}
        self._with_facts: set[str] = set()
        for fact in facts:
            self._with_facts.add(fact.path)
            self._read.setdefault((fact.path, fact.rule), []).append(fact)
        self._environments = {path: cache.environment(context.selection_for(path)) for path in self._kept}
        self._lines: dict[str, dict[str, str]] = {}
        self._shared: set[str] = set()
        self._rows: dict[tuple[str, str], list[Any]] = {}

    def diagnostics(self, only: Set[str] | None = None) -> list[Diagnostic]:
        """The findings of all rules, or of some, sorted. Raises FactsGone."""
        from trialrun.lint.workspace_rules import READ_TABLES

        rules = sorted({rule for kept in self._kept.values() for rule in kept.digests if only is None or rule in only})
        keys = {rule: self._key(rule) for rule in rules if rule in registry.files() and rule not in READ_TABLES}
        known = {rule: findings for rule, key in keys.items() if (findings := self._find(key)) is not None}
        pending = [rule for rule in rules if rule not in known]
        self._read_lines(pending)
        found = [diagnostic for findings in known.values() for diagnostic in findings]
        found += (diagnostic for rule in pending for diagnostic in self._judge(rule, keys.get(rule)))
        return sorted(found, key=lambda diagnostic: diagnostic.sort_key)

    def _judge(self, rule: str, key: bytes | None) -> list[Diagnostic]:
        """Run a rule, and keep its findings under the key if it has one."""
        from trialrun.lint.workspace_rules import run_rule

        found = [one for one in run_rule(rule, self._facts(rule), self._context, are_sorted=True) if one]
        if key and len(found) <= MAX_FINDINGS and all(one.rule != "internal-error" for one in found):
            row = {"findings": found, "contents": self._contents(found)}
            self._cache.add_rows([(key, json.dumps(row))])
        return found

    def _read_lines(self, rules: Sequence[str]) -> None:
        """Read from the cache the facts for some rules that are not here, each text of them once."""
        for path, kept in self._kept.items():
            needed = [rule for rule in rules if rule in kept.digests] if path not in self._with_facts else ()
            if needed:
                lines = self._cache.fact_lines(bytes.fromhex(kept.key))
                if not lines.keys() >= {*needed}:
                    raise FactsGone
                self._lines[path] = {kept.digests[rule]: lines[rule] for rule in needed}
                counts = Counter(kept.digests[rule] for rule in needed)
                self._shared.update(digest for digest, count in counts.items() if count > 1)

    def _facts(self, rule: str) -> Iterator[Fact]:
        for path, kept in self._kept.items():
            yield from self._read.get((path, rule), ())
            if path in self._lines and (of_rule := kept.digests.get(rule)):
                rows = self._rows.get((path, of_rule)) or json.loads(self._lines[path][of_rule])
                if of_rule in self._shared:  # rules with equal facts share what they are made of
                    self._rows[path, of_rule] = rows
                yield from restore_facts(rule, rows, path)

    def _key(self, rule: str) -> bytes:
        key = blake2b(f"{rule} {self._context.unread}".encode(), digest_size=DIGEST_SIZE)
        for path, kept in self._kept.items():
            if of_rule := kept.digests.get(rule):
                key.update(self._environments[path])
                guessed_from = "" if kept.are_complete else kept.content
                key.update(f"{path}\0{of_rule}\0{guessed_from}\0".encode("utf-8", "surrogatepass"))
        return key.digest()

    def _find(self, key: bytes) -> list[Diagnostic] | None:
        try:
            row = json.loads(self._cache.find_text(key) or "")
            found = [finding_from_json(each) for each in row["findings"]]
            return found if row["contents"] == self._contents(found) else None
        except (ValueError, KeyError, TypeError, IndexError):
            return None

    def _contents(self, found: list[Diagnostic]) -> dict[str, str]:
        """The digests of the files that findings point at."""
        paths = {diagnostic.path for diagnostic in found}
        paths.update(place.path for diagnostic in found for place in diagnostic.related)
        return {path: self._kept[path].content for path in sorted(paths)}
