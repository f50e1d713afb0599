"""Conditions that earlier runs checked, in the database of results.

Most edits of a file change none of its conditions, and a condition that is known needs neither our parser nor the CEL
engine, whose start alone takes longer than reading the file. It is found by a digest of the tool, the libraries and the
session types, followed by one of its text and the enabled extension libraries of CEL. A row has everything that rules
read of a `CheckResult` except for the syntax tree, which the few rules that need it parse again. A worker must not use
the database of the process that it is forked from: all rows for the session types are loaded before, and workers return
the rows of new conditions with their results. No condition is checked by the process that they are forked from, since a
text of a file may crash the checker.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from trialrun.workspace.cache_store import DIGEST_SIZE, CacheStore, digest

if TYPE_CHECKING:
    from trialrun.values import Problem
    from trialrun.values.cel import CheckResult, Schema

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
    from trialrun.values import Problem

    return tuple(
        Problem(code, start, end, message, replacement, replaced and tuple(replaced), assumed and tuple(assumed))
        for code, start, end, message, replacement, replaced, assumed in rows
    )
