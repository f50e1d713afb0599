"""The verdicts of a workspace that is edited: those of `check`, kept up to date file by file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from trialrun.lint.report import Fact, Report, shared
from trialrun.workspace.check import Looked, judgement
from trialrun.workspace.declaring import declared_kinds
from trialrun.workspace.discovery import Found, shown_path
from trialrun.workspace.files import Files
from trialrun.workspace.linting import Linting, Terms
from trialrun.workspace.live.reading import Reading
from trialrun.workspace.session import DECLARES

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.values.cel import Schema
    from trialrun.workspace.check import Request


class Live:
    """A workspace that stays open. `request` says where it is and under which settings, as for `check`.

    `put` takes what an editor holds, `drop` what it holds no more, `touch` what changed on disk. The findings of a file
    are those of `check` over the same texts, once `step` has nothing left to do.
    """

    def __init__(self, request: Request) -> None:
        self.request = request
        self.revision = 0
        """Another number after every change of a text, of what there is, and of the settings."""
        self._overlay: dict[str, bytes | None] = {}
        self.files = Files(request.root, request.profiles.settings.exclude, self._overlay)
        self._begin()

    def _begin(self) -> None:
        """Forget every verdict: what all of them go by has changed."""
        self.revision += 1
        terms = Terms(self.files, self.request.profiles, self.request.now, jobs=1, cache=self.request.cache)
        self._of_disk, self._of_editor = Linting(terms), Linting(replace(terms, cache=False))
        self._found = {one.shown: one for one in self.files.found()}
        self._waiting = dict(self._found)
        self._reports: dict[str, Report] = {}
        self._facts: dict[str, list[Fact]] = {}
        self._across: dict[str, list[Diagnostic]] = {}
        self._readings: dict[str, Reading] = {}
        self._says: dict[str, tuple[frozenset[str], bytes]] = {}
        self._stale: set[str] = set()
        self._unread = False
        for shown, found in self._found.items():
            self._says[shown] = self._saying(found)
        self.declared = self._declared()

    def over(self, request: Request) -> Live:
        """The same texts of the editor under another request, with nothing linted yet."""
        live = Live(request)
        for file, data in self._overlay.items():
            if data is not None:
                live.put(file, data)
        return live

    def put(self, file: str, data: bytes) -> None:
        """Lay a text of an editor over a file, by its absolute path."""
        self._overlay[file] = data
        self._changed(file)

    def drop(self, file: str) -> None:
        """The editor has closed a file: what is on disk counts again."""
        self._overlay.pop(file, None)
        self._changed(file)

    def touch(self, file: str) -> None:
        """A file changed, came or went on disk."""
        if file not in self._overlay:
            self._changed(file)

    @property
    def linting(self) -> Linting:
        """The linting of texts that an editor holds."""
        return self._of_editor

    @property
    def is_waiting(self) -> bool:
        """Whether there is something left for `step`."""
        return bool(self._waiting or self._stale)

    def step(self) -> set[str]:
        """Do a little of what is left: lint one file, or judge across files; the paths whose findings may be others."""
        if self._waiting:
            shown = next(iter(self._waiting))
            self._lint(self._waiting.pop(shown))
            return {shown}
        return self._judge()

    def finish(self) -> None:
        """Do all that is left."""
        while self.is_waiting:
            self.step()

    def diagnostics(self, path: str) -> list[Diagnostic]:
        """The findings of a file as it is shown, in order; those across files as they were last judged."""
        if path in self._waiting:
            self._lint(self._waiting.pop(path))
        report = self._reports.get(path)
        if report is None:
            return []
        looked = Looked()
        looked.take(report)
        looked.diagnostics.extend(self._across.get(path, ()))
        outcome = looked.outcome(self._of_editor, whole=False).without(self.request.baseline)
        return outcome.diagnostics

    def reading(self, path: str) -> Reading | None:
        """A text of the workspace, of the editor where it holds one; None where there is none or it is not ours."""
        known = self._readings.get(path)
        if known is None:
            data = self.files.bytes_of(path)
            if data is None:
                return None
            known = self._readings[path] = Reading(data, path, self.request.profiles.kind_by_glob)
        return known

    def readings(self) -> Iterator[Reading]:
        """Every text of the workspace that holds something of ours, in the order of paths."""
        for shown in sorted(self._found):
            if not isinstance(self.files.read(self._found[shown]), bytes):
                continue
            reading = self.reading(shown)
            if reading is not None:
                yield reading

    def types(self, path: str) -> Schema:
        """The types and variables that the conditions of a file may read: those that it is linted against."""
        return self._of_editor.sessions.of(self.request.profiles.of(path).session_schema).types.schema

    def _changed(self, file: str) -> None:
        self.revision += 1
        shown = shown_path(file)
        self._readings.pop(shown, None)
        found = next((one for one in self.files.found() if one.shown == shown), None)
        before = self._says.get(shown, (frozenset[str](), b""))
        after = self._saying(found) if found else (frozenset[str](), b"")
        self._says[shown] = after
        if found is None:
            self._found.pop(shown, None)
            self._forget(shown)
        else:
            self._found[shown] = found
            self._waiting[shown] = found
        if before != after and (before[1] != after[1] or self._declared() != self.declared):
            self._begin()

    def _saying(self, found: Found) -> tuple[frozenset[str], bytes]:
        """What a file says that all others go by: kinds of companion documents, and types of the session."""
        data = self.files.read(found)
        if not isinstance(data, bytes):
            return frozenset(), b""
        kinds = declared_kinds(data, by_path=self.request.profiles.kind_by_glob(found.shown))
        return frozenset(kinds), data if DECLARES in data else b""

    def _declared(self) -> frozenset[str]:
        return frozenset(kind for kinds, _ in self._says.values() for kind in kinds)

    def _forget(self, shown: str) -> None:
        self._waiting.pop(shown, None)
        self._reports.pop(shown, None)
        self._stale.update(fact.rule for fact in self._facts.pop(shown, ()))

    def _lint(self, found: Found) -> None:
        linting = self._of_editor if os.path.abspath(found.file) in self._overlay else self._of_disk
        self._forget(found.shown)
        for report in linting.reports([found], declared=self.declared):
            self._reports[found.shown] = report
            self._facts[found.shown] = [shared(fact, report.path) for fact in report.facts]
            self._stale.update(fact.rule for fact in report.facts)

    def _judge(self) -> set[str]:
        """Judge again by the rules whose facts changed."""
        rules, self._stale = self._stale, set()
        facts = [fact for known in self._facts.values() for fact in known if fact.rule in rules]
        judged = judgement(self._of_editor, facts, unread=self._unread)
        touched = {path for path, known in self._across.items() if any(one.rule in rules for one in known)}
        across = {path: [one for one in known if one.rule not in rules] for path, known in self._across.items()}
        for one in judged:
            across.setdefault(one.path, []).append(one)
        self._across = across
        return touched | {one.path for one in judged}
