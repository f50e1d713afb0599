"""Findings of rules across files, kept in the cache: a rule runs again only if the facts that it reads have changed.

A rule is judged by its facts, the settings of their paths, and whether a file could not be read. A finding also has
places in files, and a fact that is a guess is told by the text around it. So the findings of a rule are found by a
digest of all the former, and hold as long as the files that they point at have the same bytes. The facts of a rule that
runs are read from the cache, those of the others are not. Policies read documents as a whole, and share a budget, so
that they are always judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic
from trialrun.lint import registry
from trialrun.lint.file_result import Fact, FactsGone, KeptFacts
from trialrun.workspace.cache_store import DIGEST_SIZE
from trialrun.workspace.result_cache import ResultCache, finding_from_json, finding_to_json

if TYPE_CHECKING:
    from trialrun.lint.workspace_rules import WorkspaceContext
    from trialrun.workspace.check import ResultAccumulator

MAX_FINDINGS = 5_000
"""More findings of one rule are not kept."""


class KeptFindings:
    """Judges the facts of `checked`, all of which are in the cache, by rules across files."""

    def __init__(self, cache: ResultCache, checked: ResultAccumulator, context: WorkspaceContext) -> None:
        self._cache, self._context = cache, context
        self._kept = {path: kept for path, (_, _, kept) in sorted(checked.kept.items()) if kept is not None}
        self._read: dict[str, list[Fact]] = {}
        self._with_facts = {fact.path for fact in checked.facts}
        for fact in checked.facts:
            self._read.setdefault(fact.rule, []).append(fact)
        self._environments = {path: cache.environment(context.selection_for(path)) for path in self._kept}

    def diagnostics(self) -> list[Diagnostic]:
        """The findings of all rules, sorted. Raises FactsGone."""
        rules = sorted({rule for kept in self._kept.values() for rule in kept.digests})
        found = [diagnostic for rule in rules for diagnostic in self._of_rule(rule)]
        return sorted(found, key=lambda diagnostic: diagnostic.sort_key)

    def _of_rule(self, rule: str) -> list[Diagnostic]:
        from trialrun.lint.workspace_rules import run_rule

        is_kept = rule in registry.files()
        key = self._key(rule)
        known = self._find(key) if is_kept else None
        if known is not None:
            return known
        found = [diagnostic for diagnostic in run_rule(rule, self._facts(rule), self._context) if diagnostic]
        if is_kept and len(found) <= MAX_FINDINGS and all(one.rule != "internal-error" for one in found):
            row = {"findings": list(map(finding_to_json, found)), "contents": self._contents(found)}
            self._cache.add_rows([(key, json.dumps(row))])
        return found

    def _facts(self, rule: str) -> Iterator[Fact]:
        yield from self._read.get(rule, ())
        for path, kept in self._kept.items():
            if rule in kept.digests and path not in self._with_facts:
                facts = self._cache.facts(bytes.fromhex(kept.key), rule, path)
                if facts is None:
                    raise FactsGone
                yield from facts

    def _key(self, rule: str) -> bytes:
        key = blake2b(f"{rule} {self._context.unread}".encode(), digest_size=DIGEST_SIZE)
        for path, kept in self._kept.items():
            if of_rule := kept.digests.get(rule):
                key.update(self._environments[path])
                key.update(f"{path}\0{of_rule}\0{_guessed_from(kept)}\0".encode("utf-8", "surrogatepass"))
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
        paths = {place.path for diagnostic in found for place in (diagnostic, *diagnostic.related)}
        return {path: self._kept[path].content for path in sorted(paths)}


def _guessed_from(kept: KeptFacts) -> str:
    """The digest of the text that tells which facts are guesses; empty if none is."""
    return "" if kept.are_complete else kept.content
