"""Cache of lint results between runs.

The key is a digest of the bytes of the file, the suffix of its path, the tool, Python, the libraries, the rules and the
settings. Two inputs are used only by some rules and compared when a result is found: the date, and the SessionSchema
documents of the workspace. Results of rules across files are not cached: they are computed from the facts. Conditions
are cached by themselves, for changed files with unchanged conditions (`condition_cache`). The cache is in the user's
cache folder and not in the repository, so that a cloned repository cannot bring results. A cache that is unreadable or
damaged is ignored (`cache_store`).
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
from trialrun.lint.file_result import Fact, FileResult, restore_fact
from trialrun.version import __version__
from trialrun.workspace.cache_store import LAYOUT, CacheStore
from trialrun.workspace.condition_cache import ConditionCache

if TYPE_CHECKING:
    from trialrun.lint.selection import Selection
    from trialrun.lint.suppression.suppression import Suppression

LIBRARIES = ("pyyaml-", "pydantic-", "pydantic_core-", "cel_expr_python-", "protobuf-", "tzdata-", "pathspec-")


class CacheKeys:
    """The inputs of this run apart from the file: `day` and `session` for results that depend on them."""

    def __init__(self, day: str, session: Callable[[Selection], str]) -> None:
        self.day = day
        self.session = session
        self._fixed: dict[int, bytes] = {}

    def key(
        self, content: bytes, path: str, selection: Selection, *, named: bool, kind: str | None, place: str = ""
    ) -> bytes:
        """The cache key for the result of a file, from the digest of its bytes.

        `place` is its absolute path, for results that depend on it.
        """
        key = blake2b(self._of(selection), digest_size=20)
        key.update(f"{os.path.splitext(path)[1]}\\0{named}\\0{kind}\\0{place}\\0".encode("utf-8", "surrogatepass"))
        key.update(content)
        return key.digest()

    def _of(self, selection: Selection) -> bytes:
        fixed = self._fixed.get(id(selection))
        if fixed is None:
            fixed = self._fixed[id(selection)] = environment_digest(selection)
        return fixed


def digest(data: bytes) -> bytes:
    """The digest of the bytes of a file."""
    return blake2b(data, digest_size=20).digest()


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
    return blake2b(repr(inputs).encode("utf-8", "surrogatepass"), digest_size=20).digest()


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

    A result cached without fixes is not found `with_fixes`; one with fixes is found without.
    """

    def __init__(self, conditions: CacheKeys, *, folder: str | None = None, with_fixes: bool = True) -> None:
        self._conditions = conditions
        self._with_fixes = with_fixes
        self._new: list[tuple[bytes, str]] = []
        self._store = CacheStore(folder)
        self.conditions = ConditionCache(self._store, tool_signature)

    def key(
        self, content: bytes, path: str, selection: Selection, *, named: bool, kind: str | None, place: str = ""
    ) -> bytes:
        """The cache key for the result of a file, from the digest of its bytes."""
        return self._conditions.key(content, path, selection, named=named, kind=kind, place=place)

    @property
    def is_new(self) -> bool:
        """Whether nothing has been cached yet."""
        return not self._store.has_rows

    def find(self, key: bytes, path: str, selection: Selection) -> FileResult | None:
        """The result of a file, if it is cached and its other inputs are unchanged."""
        text = self._store.find(key)
        try:
            return None if text is None else self._valid(json.loads(text), path, selection)
        except (ValueError, KeyError, TypeError, IndexError):
            return None

    def _valid(self, kept: dict[str, Any], path: str, selection: Selection) -> FileResult | None:
        if self._with_fixes and kept["with_fixes"] is not True:
            return None
        if kept["day"] not in (None, self._conditions.day):
            return None
        if kept["session"] is not None and kept["session"] != self._conditions.session(selection):
            return None
        return from_json(kept, path)

    def add(self, key: bytes, report: FileResult, selection: Selection) -> None:
        """Collect a result, unless it reports an internal error."""
        if report.has_internal_error or not self._store.is_open:
            return
        day = self._conditions.day if report.uses_date else None
        session = self._conditions.session(selection) if report.uses_session else None
        terms = {"day": day, "session": session, "with_fixes": self._with_fixes}
        self._new.append((key, json.dumps({**terms, **to_json(report)})))

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


def to_json(report: FileResult) -> dict[str, Any]:
    """A result as JSON data, without the path."""
    return {
        "suppressions": _suppression_rows(report),
        "documents": report.documents,
        "diagnostics": [_diagnostic_row(diagnostic) for diagnostic in report.diagnostics],
        "facts": [_fact_row(fact) for fact in report.facts],
    }


def _suppression_rows(report: FileResult) -> list[list[Any]]:
    if not report.suppressions:
        return []
    from trialrun.lint.suppression.suppression import suppression_to_json

    return [suppression_to_json(suppression) for suppression in report.suppressions]


def _fact_row(fact: Fact) -> list[Any]:
    kind = type(fact.value).__name__
    return [fact.rule, kind, fact.value, fact.document, fact.steps, fact.resource, fact.is_complete]


def _diagnostic_row(diagnostic: Diagnostic) -> list[Any]:
    fix = diagnostic.fix and [
        diagnostic.fix.title,
        diagnostic.fix.safe,
        [[edit.range.to_json(), edit.text] for edit in diagnostic.fix.edits],
    ]
    related = [[place.message, place.range.to_json()] for place in diagnostic.related]
    where = [diagnostic.range.to_json(), diagnostic.document, diagnostic.pointer]
    known = [diagnostic.fingerprint, diagnostic.resource]
    return [
        diagnostic.rule,
        int(diagnostic.severity),
        diagnostic.message,
        *where,
        diagnostic.help,
        related,
        fix,
        *known,
        diagnostic.refusal,
    ]


def from_json(kept: dict[str, Any], path: str) -> FileResult:
    """The result from the data of `to_json`, for a file at a path."""
    return FileResult(
        path,
        kept["documents"],
        [_diagnostic(row, path) for row in kept["diagnostics"]],
        [_fact(row, path) for row in kept["facts"]],
        suppressions=_suppressions(kept["suppressions"], path),
    )


def _fact(row: list[Any], path: str) -> Fact:
    rule, kind, value, document, steps, resource, is_complete = row
    return restore_fact(rule, kind, value, path, document, tuple(steps), resource, is_complete)


def _suppressions(rows: list[list[Any]], path: str) -> list[Suppression]:
    if not rows:
        return []
    from trialrun.lint.suppression.suppression import suppression_from_json

    return [suppression_from_json(row, path) for row in rows]


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
