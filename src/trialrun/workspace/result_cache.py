"""The cache of results between runs: a result is found by what it depends on, and is the result of a fresh run.

The key is a digest of the bytes of the file, the suffix of its path, the tool, Python, the libraries, the rules and the
settings. Two inputs are used only by some rules and compared when a result is found: the date, and the SessionSchema
documents of the workspace.

A row has the findings in its first line, and the facts of each rule in a further one, which rules with equal facts
share: most runs need few of them.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, NotChecked, Range, RelatedLocation, ResolvedFix, Severity, TextEdit
from trialrun.lint import registry
from trialrun.lint.file_result import Fact, FactsGone, FileResult, KeptFacts, restore_fact
from trialrun.version import __version__
from trialrun.workspace.cache_store import DIGEST_SIZE, LAYOUT, CacheStore, digest
from trialrun.workspace.condition_cache import ConditionCache

if TYPE_CHECKING:
    from trialrun.lint.selection import Selection
    from trialrun.lint.suppression.suppression import Suppression


LIBRARIES = (
    "pyyaml-",
    "pydantic-",
    "pydantic_core-",
    "cel_expr_python-",
    "protobuf-",
    "tzdata-",
    "pathspec-",
    "z3_solver-",
)


@cache
def tool_signature() -> str:
    """The tool, Python, the libraries and the rules, as a text that identifies their versions."""
    signatures = _signatures([registry.PACKAGE, registry.rules_folder()])
    return repr((LAYOUT, __version__, sys.version, _libraries(), signatures))


def _libraries() -> list[str]:
    """The names and versions of the libraries that results depend on, from the folders of the installation."""
    found: set[str] = set()
    for folder in sys.path:
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        found.update(name for name in names if name.lower().startswith(LIBRARIES) and name.endswith(".dist-info"))
    return sorted(found)


def _signatures(folders: Iterable[str]) -> list[tuple[str, int, int]]:
    """Path, size and time of every source file, so that an edited tool has a cache of its own."""
    found: list[tuple[str, int, int]] = []
    for folder in folders:
        for here, below, names in os.walk(folder):
            below[:] = sorted(name for name in below if name != "__pycache__")
            for name in sorted(names):
                status = os.stat(os.path.join(here, name))
                found.append((os.path.join(here, name), status.st_size, status.st_mtime_ns))
    return found


MAX_PENDING = 8_000_000
"""Characters of new rows that are kept in memory; with more, they are written."""


class ResultCache:
    """The cache of one run: finds results, collects new ones, and writes them at the end.

    Results that depend on the date or on session types are only found for the same `day`, and the digest that `session`
    returns. A result cached without fixes is not found `with_fixes`; one with fixes is found without.
    """

    def __init__(self, day: str, session: Callable[[Selection], str], *, with_fixes: bool = True) -> None:
        self._day, self._session, self._with_fixes = day, session, with_fixes
        self._environments: dict[int, bytes] = {}
        self._new: list[tuple[bytes, str]] = []
        self._pending = 0
        self._store = CacheStore()
        self.conditions = ConditionCache(self._store, tool_signature)

    def key(
        self, content: bytes, path: str, selection: Selection, *, named: bool, kind: str | None, place: str = ""
    ) -> bytes:
        """The cache key for the result of a file, from the digest of its bytes.

        `place` is its absolute path, for results that depend on it.
        """
        key = blake2b(self.environment(selection), digest_size=DIGEST_SIZE)
        key.update(f"{os.path.splitext(path)[1]}\0{named}\0{kind}\0{place}\0".encode("utf-8", "surrogatepass"))
        key.update(content)
        return key.digest()

    def environment(self, selection: Selection) -> bytes:
        """What results depend on apart from the files, as a digest."""
        if id(selection) not in self._environments:
            inputs = (
                tool_signature(),
                sorted(selection.rules),
                sorted(selection.gathered_rules),
                sorted((rule, int(severity)) for rule, severity in selection.severity_overrides.items()),
                sorted(selection.option_values.items()),
                selection.policies.digest,
                sorted((policy, sorted(values.items())) for policy, values in selection.policy_parameters.items()),
            )
            self._environments[id(selection)] = digest(repr(inputs).encode("utf-8", "surrogatepass"))
        return self._environments[id(selection)]

    @property
    def is_new(self) -> bool:
        """Whether nothing has been cached yet."""
        return not self._store.has_rows

    def find(
        self, key: bytes, content: bytes, path: str, selection: Selection, *, with_facts: bool = True
    ) -> FileResult | None:
        """The result of a file, if it is cached and its other inputs are unchanged."""
        text = self._store.find(key)
        try:
            head, _, facts = (text or "").partition("\n")
            row = json.loads(head)
            if self._with_fixes and row["with_fixes"] is not True:
                return None
            if row["day"] not in (None, self._day):
                return None
            if row["session"] is not None and row["session"] != self._session(selection):
                return None
            rows = [json.loads(line) for line in facts.splitlines()] if with_facts else []
            row["facts"] = {rule: rows[at] for rule, at in row["rules"].items()} if with_facts else {}
            result = from_json(row, path)
            result.kept = _kept_facts(key, content, row)
        except (ValueError, KeyError, TypeError, IndexError):
            return None
        return result

    def find_without_facts(self, key: bytes, path: str) -> FileResult | None:
        """The result of a file whose other inputs are known to be unchanged, without its facts."""
        text = self._store.find(key)
        try:
            return from_json({**json.loads((text or "").partition("\n")[0]), "facts": {}}, path)
        except (ValueError, KeyError, TypeError, IndexError):
            return None

    def fact_lines(self, key: bytes) -> dict[str, str]:
        """The facts of a file by rule, as JSON; empty if its result is not cached."""
        self._write()
        head, *lines = (self._store.find(key) or "").split("\n")
        try:
            return {rule: lines[at] for rule, at in json.loads(head)["rules"].items()}
        except (ValueError, KeyError, TypeError, IndexError):
            return {}

    def facts(self, kept: KeptFacts, rules: Iterable[str], path: str) -> Iterator[Fact]:
        """The facts of the file at a path for some rules. Raises FactsGone."""
        needed = [rule for rule in rules if rule in kept.digests]
        lines = self.fact_lines(bytes.fromhex(kept.key)) if needed else {}
        if not lines.keys() >= {*needed}:
            raise FactsGone
        for rule in needed:
            yield from restore_facts(rule, json.loads(lines[rule]), path)

    def add(self, key: bytes, content: bytes, result: FileResult, selection: Selection) -> None:
        """Collect a result, unless it reports an internal error; its facts are sorted by that."""
        if result.has_internal_error or not self._store.is_open:
            return
        result.facts.sort(key=lambda fact: fact.sort_key)
        day = self._day if result.uses_date else None
        session = self._session(selection) if result.uses_session else None
        row = {"day": day, "session": session, "with_fixes": self._with_fixes, **to_json(result)}
        facts = {rule: json.dumps(of_rule) for rule, of_rule in row.pop("facts").items()}
        lines = list(dict.fromkeys(facts.values()))
        row["rules"] = {rule: lines.index(line) for rule, line in facts.items()}
        row["digests"] = [digest(line.encode()).hex() for line in lines]
        row["are_complete"] = all(fact.is_complete for fact in result.facts)
        text = "\n".join([json.dumps(row), *lines])
        self._new.append((key, text))
        result.kept = _kept_facts(key, content, row)
        self._pending += len(text)
        if self._pending > MAX_PENDING:
            self._write()

    def find_text(self, key: bytes) -> str | None:
        """The text of another row; None if it is not there."""
        return self._store.find(key)

    def add_rows(self, rows: Iterable[tuple[bytes, str]]) -> None:
        """Collect rows of the database, such as those of conditions."""
        if self._store.is_open:
            self._new.extend(rows)

    def close(self) -> None:
        """Write new results and close the cache, which then finds nothing more."""
        self._write()
        self._store.close()

    def _write(self) -> None:
        if self._new:
            self._store.write(self._new)
            self._new, self._pending = [], 0


def to_json(result: FileResult) -> dict[str, Any]:
    """A result as JSON data; its findings are tuples, which are lists there."""
    facts: dict[str, list[Any]] = {}
    for fact in result.facts:
        kind = type(fact.value).__name__
        row = [kind, fact.value, fact.document, fact.steps, fact.resource, fact.is_complete]
        facts.setdefault(fact.rule, []).append(row)
    return {
        "suppressions": result.suppressions,
        "documents": result.documents,
        "not_checked": result.not_checked,
        "diagnostics": result.diagnostics,
        "facts": facts,
    }


def _kept_facts(key: bytes, content: bytes, row: Mapping[str, Any]) -> KeptFacts:
    by_rule = {rule: row["digests"][at] for rule, at in row["rules"].items()}
    return KeptFacts(key.hex(), content.hex(), by_rule, row["are_complete"])


def from_json(row: dict[str, Any], path: str) -> FileResult:
    """The result from the data of `to_json`, for a file at a path."""
    suppressions: list[Suppression] = []
    if row["suppressions"]:
        from trialrun.lint.suppression.suppression import suppression_from_json

        suppressions = [suppression_from_json(suppression, path) for suppression in row["suppressions"]]
    facts = [fact for rule, rows in row["facts"].items() for fact in restore_facts(rule, rows, path)]
    diagnostics = [finding_from_json(diagnostic, path) for diagnostic in row["diagnostics"]]
    gaps = [NotChecked(path, what, why) for _, what, why in row["not_checked"]]
    return FileResult(path, row["documents"], diagnostics, facts, not_checked=gaps, suppressions=suppressions)


def restore_facts(rule: str, rows: list[Any], path: str) -> Iterator[Fact]:
    """The facts of a file for a rule from their JSON data."""
    for kind, value, document, steps, resource, is_complete in rows:
        yield restore_fact(rule, kind, value, path, document, tuple(steps), resource, is_complete)


def finding_from_json(row: list[Any], path: str | None = None) -> Diagnostic:
    """The finding that JSON has as a list; `path` is now that of its file."""
    rule, severity, message, own, where, document, pointer, help_, related, fix, *rest = row
    fingerprint, resource, refusal, gap = rest
    return Diagnostic(
        rule,
        Severity(severity),
        message,
        path or own,
        Range.from_json(where),
        document,
        pointer,
        help_,
        tuple(RelatedLocation(text, path or other, Range.from_json(one)) for text, other, one in related),
        fix and ResolvedFix(fix[0], fix[1], tuple(TextEdit(Range.from_json(one), text) for one, text in fix[2])),
        fingerprint,
        resource,
        refusal,
        gap and NotChecked(*gap),
    )
