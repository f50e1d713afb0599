"""Adds suppressions for all findings of a check: comments in YAML, tables in the settings for everything else.

Nothing is written here. The workspace is checked again with the new texts until no finding is left that a suppression
can silence, so a finding that appears only then gets one too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from trialrun.diagnostic import Diagnostic
from trialrun.lint.settings import Profiles
from trialrun.lint.suppression.add_ignores import add_ignores, suppress_table, table_place
from trialrun.lint.suppression.suppression import ignore_comment, is_at_or_below
from trialrun.lint.suppression.suppressors import NOT_SUPPRESSIBLE
from trialrun.model.wrapper import resources
from trialrun.parser import parse
from trialrun.parser.decode import encode
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.check import CheckResult
from trialrun.workspace.check_request import CheckRequest

MAX_ROUNDS: Final = 5
NEVER: Final = "it cannot be suppressed"
UNREAD: Final = "parts of the file are not read; fix it"
NO_TEXT: Final = "the file has invalid bytes or characters; fix these first"
NO_PLACE: Final = "neither a comment nor a table can be put where it covers it alone"
UNREAD_RULES: Final = frozenset({"syntax-error", "encoding-error", "resource-limit", "unreadable-file"})
"""Findings of files of which something is not checked; to silence them would hide more than is known."""
BYTE_ORDER_MARK: Final = "\ufeff"

Check = Callable[[CheckRequest], CheckResult]
ChangedText = tuple[str, bytes | None, bytes]
"""A file by its displayed path, before and after; None before one that is new."""


def added_ignores(
    request: CheckRequest, check: Check, reason: str, until: str | None = None
) -> tuple[Sequence[ChangedText], CheckResult, Sequence[tuple[Diagnostic, str]]]:
    """The suppressions for all findings that `check` reports, each with the reason and the last day.

    They are the files to write. Returned are also the result before, and the findings that are left, each with why.
    """
    texts = _Texts(request, reason, until)
    before = result = check(request)
    for _ in range(MAX_ROUNDS):
        texts.open_workspaces(result.workspaces)
        if not texts.add(texts.unsuppressed(result.diagnostics)):
            break
        result = check(request.with_texts(texts.changed()))
    rest = texts.unsuppressed(result.diagnostics)
    return texts.files(), before, [(each, texts.refused.get(_key(each), NO_PLACE)) for each in rest]


FindingKey = tuple[str, str, int, str, str]


def _key(diagnostic: Diagnostic) -> FindingKey:
    """Identifies a finding while lines move."""
    return diagnostic.rule, diagnostic.path, diagnostic.document, diagnostic.pointer, diagnostic.message


class _Texts:
    """The texts of files and settings with suppressions."""

    def __init__(self, request: CheckRequest, reason: str, until: str | None) -> None:
        self.refused: dict[FindingKey, str] = {}
        self._request = request
        self._reason, self._until = reason, until
        self._workspaces: list[tuple[str, Profiles]] = []
        self._originals: dict[str, bytes] = {}
        self._changed: dict[str, bytes] = {}
        self._settings: dict[str, tuple[bytes | None, str]] = {}
        self._tables: list[tuple[str, str, frozenset[str]]] = []

    def open_workspaces(self, workspaces: Sequence[tuple[str, Profiles]]) -> None:
        """Take over the workspaces of a result, inner ones first."""
        known = workspaces or [(self._request.root, self._request.profiles)]
        self._workspaces = sorted(known, key=lambda workspace: -len(workspace[0]))

    def unsuppressed(self, diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
        """The findings that no new table covers."""
        return [one for one in diagnostics if not self._has_table(one.path, one.pointer, one.rule)]

    def changed(self) -> dict[str, bytes]:
        """The files with comments, by their paths."""
        return dict(self._changed)

    def files(self) -> list[ChangedText]:
        """All files that change, the settings last."""
        files: list[ChangedText] = [(path, self._originals[path], data) for path, data in sorted(self._changed.items())]
        for file, (before, added) in sorted(self._settings.items()):
            files.append((display_path(file), before, (before or b"") + added.encode()))
        return files

    def add(self, diagnostics: Sequence[Diagnostic]) -> bool:
        """Add suppressions for findings; returns whether any was added."""
        by_path: dict[str, list[Diagnostic]] = {}
        for diagnostic in diagnostics:
            if diagnostic.rule in NOT_SUPPRESSIBLE | UNREAD_RULES:
                self.refused[_key(diagnostic)] = NEVER if diagnostic.rule in NOT_SUPPRESSIBLE else UNREAD
            elif _key(diagnostic) not in self.refused:
                by_path.setdefault(diagnostic.path, []).append(diagnostic)
        before = len(self._tables), dict(self._changed)
        for path, found in by_path.items():
            self._add_tables(path, self._add_comments(path, found))
        return before != (len(self._tables), self._changed)

    # ---- comments

    def _add_comments(self, path: str, found: Sequence[Diagnostic]) -> Sequence[Diagnostic]:
        """Add the comments to a file; returns the findings that need a table."""
        if not path.lower().endswith((".yaml", ".yml", ".tf", ".tofu")):
            return found
        data = self._changed.get(path) or self._request.files.bytes_of(path)
        if data is None:
            return found
        parsed = parse(data, path)
        if not any(True for document in parsed.documents for _ in resources(document.value)):
            return found  # a file of another program stays as it is
        if encode(parsed.source) != data:
            self.refused.update((_key(diagnostic), NO_TEXT) for diagnostic in found)
            return ()
        source, left = add_ignores(parsed, found, lambda rules: ignore_comment(rules, self._reason, self._until))
        if source.text != parsed.source.text:
            self._originals.setdefault(path, data)
            self._changed[path] = encode(source)
        return left

    # ---- tables

    def _add_tables(self, path: str, found: Sequence[Diagnostic]) -> None:
        by_pointer: dict[str, dict[str, None]] = {}
        for diagnostic in found:
            by_pointer.setdefault(diagnostic.pointer, {})[diagnostic.rule] = None
        for pointer, rules in sorted(by_pointer.items()):
            self._add_table(path, pointer, [rule for rule in rules if not self._has_table(path, pointer, rule)])

    def _has_table(self, path: str, pointer: str, rule: str) -> bool:
        return any(
            path == other and rule in rules and is_at_or_below(pointer, above) for other, above, rules in self._tables
        )

    def _add_table(self, path: str, pointer: str, rules: Sequence[str]) -> None:
        root, profiles = self._workspace_of(path)
        place = table_place(path, profiles, root)
        if place is None or not rules:
            return
        known = self._settings.get(place[0])
        data, so_far = known or (self._request.files.bytes_of(place[0]), "")
        text = (data or b"").decode("utf-8", "replace").removeprefix(BYTE_ORDER_MARK) + so_far
        added = suppress_table(text, place, pointer, sorted(rules), self._reason, self._until)
        if added is not None:
            self._settings[place[0]] = data, so_far + added
            self._tables.append((path, pointer, frozenset(rules)))

    def _workspace_of(self, path: str) -> tuple[str, Profiles]:
        file = absolute_path(path)
        inner = (each for each in self._workspaces if file.startswith(os.path.join(each[0], "")))
        return next(inner, self._workspaces[-1])
