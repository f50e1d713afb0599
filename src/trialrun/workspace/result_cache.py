"""The cache between runs: results of files, and conditions that were checked, in one database.

A result is found by a digest of the bytes of the file, the suffix of its path, the tool, Python, the libraries, the
rules and the settings. Two inputs are used only by some rules and compared when a result is found: the date, and the
SessionSchema documents of the workspace. Results of rules across files are computed from the facts, and not cached.

Most edits of a file change none of its conditions, and a condition that is known needs neither our parser nor the CEL
engine, whose start alone takes longer than reading the file. It is found by a digest of the tool, the libraries and the
session types, followed by one of its text and the enabled extension libraries of CEL. A row has everything that rules
read of a `CheckResult` except for the syntax tree, which the few rules that need it parse again. A worker must not use
the database of the process that it is forked from: all rows for the session types are loaded before, and workers return
the rows of new conditions with their results. No condition is checked by the process that they are forked from, since a
text of a file may crash the checker.

The database is in the user's cache folder and not in the repository, so that a cloned repository cannot bring results.
A cache may lose content, but must never return wrong content: a row is valid only if its digest fits the key and the
text. Every error, except for a locked database or a full disk, causes the database to be recreated.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from trialrun.cache_dir import private_cache_dir
from trialrun.diagnostic import Diagnostic, NotChecked, Range, RelatedLocation, ResolvedFix, Severity, TextEdit
from trialrun.lint import registry
from trialrun.lint.file_result import FileResult, restore_fact
from trialrun.version import __version__

if TYPE_CHECKING:
    import sqlite3

    from trialrun.lint.selection import Selection
    from trialrun.lint.suppression.suppression import Suppression
    from trialrun.values.cel import CheckResult, Schema
    from trialrun.values.problem import Problem


LAYOUT = 6
FILE_NAME = "verdicts-{}.sqlite"
MAX_ROWS = 200_000
MAX_BYTES = 500_000_000
"""What rows may take; those of 20,000 files take about 180 MB. Beyond it, the older half is deleted, and its place used
again. A database of twice the size is recreated, since it never gets smaller."""
SCHEMA = "CREATE TABLE verdicts (key BLOB UNIQUE, report TEXT, digest BLOB)"
COMPANION_SUFFIXES = ("-journal", "-wal", "-shm")
"""Suffixes of files that SQLite creates next to a database."""
HARMLESS_ERRORS = ("BUSY", "LOCKED", "FULL", "READONLY", "CANTOPEN", "PERM", "AUTH", "INTERRUPT")
"""SQLite errors that do not mean damage: another process is writing, or the disk is full or read-only."""


class CacheStore:
    """A map from key to text in a database. Errors never raise: what cannot be read is missing."""

    def __init__(self, folder: str | None = None) -> None:
        folder = private_cache_dir(folder)
        self._file = folder and os.path.join(folder, FILE_NAME.format(LAYOUT))
        if folder and self._file and not os.path.lexists(self._file):
            _remove_older_layouts(folder)
        self._database = self._open()

    @property
    def is_open(self) -> bool:
        """Whether the database is open."""
        return self._database is not None

    @property
    def has_rows(self) -> bool:
        """Whether there is any row."""
        if self._database is None:
            return False
        try:
            return self._database.execute("SELECT 1 FROM verdicts LIMIT 1").fetchone() is not None
        except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
            self._handle_error(error)
            return False

    def find(self, key: bytes) -> str | None:
        """The text of a key; None if it is missing or damaged."""
        if self._database is None:
            return None
        try:
            row = self._database.execute("SELECT report, digest FROM verdicts WHERE key = ?", (key,)).fetchone()
        except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
            self._handle_error(error)
            return None
        if row is None:
            return None
        if not isinstance(row[0], str) or row[1] != row_digest(key, row[0]):
            self._recreate()
            return None
        return row[0]

    def find_range(self, first: bytes, last: bytes) -> Iterator[tuple[bytes, str]]:
        """The undamaged rows whose keys are in a range, in the order of the keys."""
        if self._database is None:
            return
        query = "SELECT key, report, digest FROM verdicts WHERE key BETWEEN ? AND ? ORDER BY key"
        try:
            for key, text, digest in self._database.execute(query, (first, last)):
                if isinstance(text, str) and digest == row_digest(key, text):
                    yield key, text
        except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
            self._handle_error(error)

    def write(self, rows: Iterable[tuple[bytes, str]]) -> None:
        """Write rows in one transaction, and delete the oldest ones if there are too many."""
        if self._database is None:
            return
        signed = [(key, text, row_digest(key, text)) for key, text in rows]
        try:
            with self._database as database:
                database.executemany("INSERT OR REPLACE INTO verdicts (key, report, digest) VALUES (?, ?, ?)", signed)
                database.execute(
                    "DELETE FROM verdicts WHERE rowid <= (SELECT max(rowid) FROM verdicts) - ?", (MAX_ROWS,)
                )
                if _used_bytes(database) > MAX_BYTES:
                    middle = "(SELECT (min(rowid) + max(rowid)) / 2 FROM verdicts)"
                    database.execute(f"DELETE FROM verdicts WHERE rowid <= {middle}")
        except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
            self._handle_error(error)

    def close(self) -> None:
        """Close the database."""
        if self._database is not None:
            _close(self._database)
            self._database = None

    def _open(self) -> sqlite3.Connection | None:
        """Open the database, or create one; None if neither is possible."""
        if not self._file:
            return None
        for _ in range(2):
            if not _is_own_file(self._file) or _size(self._file) > 2 * MAX_BYTES:
                remove_store(self._file)
            database = _connect(self._file)
            if not isinstance(database, Exception):
                return database
            if _is_harmless(database):
                return None
            remove_store(self._file)
        return None

    def _handle_error(self, error: Exception) -> None:
        if _is_harmless(error):
            return
        self._recreate()

    def _recreate(self) -> None:
        """Replace a damaged database by an empty one."""
        self.close()
        if self._file:
            remove_store(self._file)
            self._database = self._open()


def row_digest(key: bytes, text: str) -> bytes:
    """The digest of a row, which proves that it is undamaged."""
    digest = blake2b(key, digest_size=16)
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.digest()


def remove_store(file: str) -> None:
    """Delete a database with its companion files, as far as permitted."""
    for end in ("", *COMPANION_SUFFIXES):
        with suppress(OSError):
            os.remove(file + end)


def _remove_older_layouts(folder: str) -> None:
    """Delete the databases of older versions, which nothing would ever make smaller."""
    for layout in range(1, LAYOUT):
        file = os.path.join(folder, FILE_NAME.format(layout))
        if os.path.lexists(file):
            remove_store(file)


def _connect(file: str) -> sqlite3.Connection | Exception:
    """A connection to the database, or the error that prevents it."""
    import sqlite3

    try:
        database = sqlite3.connect(file, timeout=1)
    except (sqlite3.Error, OSError) as error:
        return error
    try:
        database.execute("PRAGMA trusted_schema = OFF")
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = OFF")
        tables = database.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        if not tables:
            database.execute(SCHEMA.replace("TABLE", "TABLE IF NOT EXISTS"))
        elif tables != [(SCHEMA,)]:
            raise sqlite3.DatabaseError("the store has other tables than ours")
    except Exception as error:  # noqa: BLE001 - damage shows in any error, such as one of decoding its message
        _close(database)
        return error
    return database


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:
        return 0


def _used_bytes(database: sqlite3.Connection) -> int:
    """The bytes of all pages that are in use."""
    pages, free, size = (
        database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
    )
    return int((pages - free) * size)


def _is_harmless(error: Exception) -> bool:
    name = getattr(error, "sqlite_errorname", None) or ""
    return isinstance(error, OSError) or name.removeprefix("SQLITE_").startswith(HARMLESS_ERRORS)


def _is_own_file(file: str) -> bool:
    """Whether it is safe to open: a regular file of this user, not a link, or nothing yet."""
    for end in ("", *COMPANION_SUFFIXES):
        try:
            status = os.lstat(file + end)
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode) or (hasattr(os, "geteuid") and status.st_uid != os.geteuid()):
            return False
    return True


def _close(database: sqlite3.Connection) -> None:
    import sqlite3

    with suppress(sqlite3.Error):
        database.close()


DIGEST_SIZE = 20
MAX_LOADED_LENGTH = 5_000_000
"""Characters of rows that are kept for workers, about 20,000 rows; they check further conditions again."""
MAX_ROW_LENGTH = 20_000
"""Longer rows are not cached: their conditions have very many problems, or are very long."""
MAX_RESULTS = 4096
"""Results kept in memory, of the conditions asked for last."""
PROBLEM_FIELDS = ("code", "start", "end", "message", "replacement", "replaced_range", "assumed_text")


class ConditionCache:
    """Checks conditions; results of earlier runs are taken from the database, new ones are collected as rows of it.

    `tool` returns what identifies the tool and its libraries. Without a `store`, nothing is kept after the run.
    """

    def __init__(self, store: CacheStore | None, tool: Callable[[], str]) -> None:
        self._store, self._tool = store, tool
        self._process = os.getpid()
        self._loaded: dict[bytes, str] = {}
        self._loaded_length = 0
        self._new: list[tuple[bytes, str]] = []
        self.check: Callable[[str, Schema, frozenset[str]], CheckResult] = lru_cache(MAX_RESULTS)(self._check)
        self._schema_key = lru_cache(16)(self._digest_of_schema)

    def load(self, schema: Schema) -> bool:
        """Load the known conditions for a schema, for workers to find; False if there are none."""
        if self._store is None:
            return False
        prefix, before = self._schema_key(schema), len(self._loaded)
        for key, row in self._store.find_range(prefix, prefix + b"\xff" * DIGEST_SIZE):
            self._loaded_length += len(row)
            if self._loaded_length > MAX_LOADED_LENGTH:
                break
            self._loaded[key] = row
        return len(self._loaded) > before

    def take_new_rows(self) -> list[tuple[bytes, str]]:
        """The rows for conditions that were checked since the last call."""
        rows, self._new = self._new, []
        return rows

    def _check(self, text: str, schema: Schema, extensions: frozenset[str]) -> CheckResult:
        if self._store is None:
            return _check_expression(text, schema, extensions)
        key = self._schema_key(schema) + digest(json.dumps([sorted(extensions), text]).encode())
        known = self._find(key, self._store)
        if known is not None:
            return known
        result = _check_expression(text, schema, extensions)
        row = json.dumps(condition_to_json(result))
        if len(row) <= MAX_ROW_LENGTH and self._store.is_open:
            self._new.append((key, row))
        return result

    def _find(self, key: bytes, store: CacheStore) -> CheckResult | None:
        row = self._loaded.get(key)
        if row is None and self._process == os.getpid():
            row = store.find(key)
        try:
            return None if row is None else condition_from_json(json.loads(row))
        except (ValueError, KeyError, TypeError, IndexError, RecursionError):
            return None

    def _digest_of_schema(self, schema: Schema) -> bytes:
        types = {name: dict(fields) for name, fields in schema.types.items()}
        return digest(json.dumps([self._tool(), types, dict(schema.variables), schema.library]).encode())


def _check_expression(text: str, schema: Schema, extensions: frozenset[str]) -> CheckResult:
    from trialrun.values import cel  # known conditions do not need it

    return cel.check_expression(text, schema=schema, extensions=extensions)


def condition_to_json(result: CheckResult) -> list[Any]:
    """A checked condition as JSON data, without the syntax tree."""
    lists = (result.problems, result.optional_reads, result.extension_uses, result.portability)
    rows = [[[getattr(problem, name) for name in PROBLEM_FIELDS] for problem in problems] for problems in lists]
    return [*rows, result.type, result.constant, result.key, result.failing]


def condition_from_json(row: list[Any]) -> CheckResult:
    """The checked condition from the data of `condition_to_json`."""
    from trialrun.values.cel.check import CheckResult

    problems, optional_reads, extension_uses, portability, type_, constant, key, failing = row
    return CheckResult(
        _problems(problems),
        None,
        type_,
        constant,
        key,
        _problems(optional_reads),
        _problems(extension_uses),
        failing and (failing[0], failing[1]),
        _problems(portability),
    )


def _problems(rows: list[list[Any]]) -> tuple[Problem, ...]:
    if not rows:
        return ()
    from trialrun.values.problem import Problem

    return tuple(
        Problem(code, start, end, message, replacement, replaced and tuple(replaced), assumed and tuple(assumed))
        for code, start, end, message, replacement, replaced, assumed in rows
    )


LIBRARIES = ("pyyaml-", "pydantic-", "pydantic_core-", "cel_expr_python-", "protobuf-", "tzdata-", "pathspec-")


def digest(data: bytes) -> bytes:
    """The digest of the bytes of a file, or of a text."""
    return blake2b(data, digest_size=DIGEST_SIZE).digest()


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
        key.update(f"{os.path.splitext(path)[1]}\\0{named}\\0{kind}\\0{place}\\0".encode("utf-8", "surrogatepass"))
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
        "not_checked": [[gap.what, gap.why] for gap in result.not_checked],
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
    gaps = [NotChecked(path, what, why) for what, why in row["not_checked"]]
    return FileResult(path, row["documents"], diagnostics, facts, not_checked=gaps, suppressions=suppressions)


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
