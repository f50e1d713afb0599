"""The cache of results between runs: a result is found by what it depends on, and is the result of a fresh run.

The key is a digest of the bytes of the file, the suffix of its path, the tool, Python, the libraries, the rules and the
settings. Two inputs are used only by some rules and compared when a result is found: the date, and the SessionSchema
documents of the workspace.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, Range, RelatedLocation, ResolvedFix, Severity, TextEdit
from trialrun.lint import registry
from trialrun.lint.file_result import FileResult, restore_fact
from trialrun.version import __version__
from trialrun.workspace.cache_store import DIGEST_SIZE, LAYOUT, CacheStore, digest
from trialrun.workspace.condition_cache import ConditionCache

if TYPE_CHECKING:
    from trialrun.lint.selection import Selection
    from trialrun.lint.suppression.suppression import Suppression


LIBRARIES = ("pyyaml-", "pydantic-", "pydantic_core-", "cel_expr_python-", "protobuf-", "tzdata-", "pathspec-")


def environment_digest(selection: Selection) -> bytes:
    """A digest of the tool, Python, the libraries, the rules and the settings."""
    inputs = (
        tool_signature(),
        sorted(selection.rules),
        sorted(selection.gathered_rules),
        sorted((rule, int(severity)) for rule, severity in selection.severity_overrides.items()),
        sorted(selection.option_values.items()),
        selection.policies.digest,
        sorted((policy, sorted(values.items())) for policy, values in selection.policy_parameters.items()),
    )
    return digest(repr(inputs).encode("utf-8", "surrogatepass"))


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


class ResultCache:
    """The cache of one run: finds results, collects new ones, and writes them at the end.

    Results that depend on the date or on session types are only found for the same `day`, and the digest that `session`
    returns. A result cached without fixes is not found `with_fixes`; one with fixes is found without.
    """

    def __init__(
        self, day: str, session: Callable[[Selection], str], *, folder: str | None = None, with_fixes: bool = True
    ) -> None:
        self._day, self._session, self._with_fixes = day, session, with_fixes
        self._environments: dict[int, bytes] = {}
        self._new: list[tuple[bytes, str]] = []
        self._store = CacheStore(folder)
        self.conditions = ConditionCache(self._store, tool_signature)

    def key(
        self, content: bytes, path: str, selection: Selection, *, named: bool, kind: str | None, place: str = ""
    ) -> bytes:
        """The cache key for the result of a file, from the digest of its bytes.

        `place` is its absolute path, for results that depend on it.
        """
        if id(selection) not in self._environments:
            self._environments[id(selection)] = environment_digest(selection)
        key = blake2b(self._environments[id(selection)], digest_size=DIGEST_SIZE)
        key.update(f"{os.path.splitext(path)[1]}\0{named}\0{kind}\0{place}\0".encode("utf-8", "surrogatepass"))
        key.update(content)
        return key.digest()

    @property
    def is_new(self) -> bool:
        """Whether nothing has been cached yet."""
        return not self._store.has_rows

    def find(self, key: bytes, path: str, selection: Selection) -> FileResult | None:
        """The result of a file, if it is cached and its other inputs are unchanged."""
        text = self._store.find(key)
        try:
            row = None if text is None else json.loads(text)
            if row is None or (self._with_fixes and row["with_fixes"] is not True):
                return None
            if row["day"] not in (None, self._day):
                return None
            if row["session"] is not None and row["session"] != self._session(selection):
                return None
            return from_json(row, path)
        except (ValueError, KeyError, TypeError, IndexError):
            return None

    def add(self, key: bytes, result: FileResult, selection: Selection) -> None:
        """Collect a result, unless it reports an internal error."""
        if result.has_internal_error or not self._store.is_open:
            return
        day = self._day if result.uses_date else None
        session = self._session(selection) if result.uses_session else None
        terms = {"day": day, "session": session, "with_fixes": self._with_fixes}
        self._new.append((key, json.dumps({**terms, **to_json(result)})))

    def add_rows(self, rows: Iterable[tuple[bytes, str]]) -> None:
        """Collect rows of the database, such as those of conditions."""
        if self._store.is_open:
            self._new.extend(rows)

    def close(self) -> None:
        """Write new results and close the cache, which then finds nothing more."""
        if self._new:
            self._store.write(self._new)
            self._new = []
        self._store.close()


def to_json(result: FileResult) -> dict[str, Any]:
    """A result as JSON data, without the path."""
    suppressions: list[list[Any]] = []
    if result.suppressions:
        from trialrun.lint.suppression.suppression import suppression_to_json

        suppressions = [suppression_to_json(suppression) for suppression in result.suppressions]
    return {
        "suppressions": suppressions,
        "documents": result.documents,
        "diagnostics": [_diagnostic_row(diagnostic) for diagnostic in result.diagnostics],
        "facts": [
            [
                fact.rule,
                type(fact.value).__name__,
                fact.value,
                fact.document,
                fact.steps,
                fact.resource,
                fact.is_complete,
            ]
            for fact in result.facts
        ],
    }


def _diagnostic_row(diagnostic: Diagnostic) -> list[Any]:
    fix = diagnostic.fix
    return [
        diagnostic.rule,
        int(diagnostic.severity),
        diagnostic.message,
        diagnostic.range.to_json(),
        diagnostic.document,
        diagnostic.pointer,
        diagnostic.help,
        [[place.message, place.range.to_json()] for place in diagnostic.related],
        fix and [fix.title, fix.safe, [[edit.range.to_json(), edit.text] for edit in fix.edits]],
        diagnostic.fingerprint,
        diagnostic.resource,
        diagnostic.refusal,
    ]


def from_json(row: dict[str, Any], path: str) -> FileResult:
    """The result from the data of `to_json`, for a file at a path."""
    suppressions: list[Suppression] = []
    if row["suppressions"]:
        from trialrun.lint.suppression.suppression import suppression_from_json

        suppressions = [suppression_from_json(suppression, path) for suppression in row["suppressions"]]
    facts = [
        restore_fact(rule, kind, value, path, document, tuple(steps), resource, is_complete)
        for rule, kind, value, document, steps, resource, is_complete in row["facts"]
    ]
    diagnostics = [_diagnostic(diagnostic, path) for diagnostic in row["diagnostics"]]
    return FileResult(path, row["documents"], diagnostics, facts, suppressions=suppressions)


def _diagnostic(row: list[Any], path: str) -> Diagnostic:
    rule, severity, message, where, document, pointer, help_, related, fix, fingerprint, resource, refusal = row
    return Diagnostic(
        rule,
        Severity(severity),
        message,
        path,
        Range.from_json(where),
        document,
        pointer,
        help_,
        tuple(RelatedLocation(text, path, Range.from_json(one)) for text, one in related),
        fix and ResolvedFix(fix[0], fix[1], tuple(TextEdit(Range.from_json(one), text) for one, text in fix[2])),
        fingerprint,
        resource,
        refusal,
    )
