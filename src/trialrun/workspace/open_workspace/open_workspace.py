"""The verdicts of a workspace that is edited: those of `check`, kept up to date file by file."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Set
from copy import copy
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.workspace.discovery import Found, shown_path
from trialrun.workspace.file_system import Files
from trialrun.workspace.open_workspace.file_index import Listing
from trialrun.workspace.open_workspace.lint_queue import Interrupted, Lintings
from trialrun.workspace.open_workspace.location_free_facts import Unplaced
from trialrun.workspace.open_workspace.parsed_file import Reading
from trialrun.workspace.open_workspace.parsed_files import Readings
from trialrun.workspace.open_workspace.results import Reports
from trialrun.workspace.open_workspace.shared_inputs import CommonGround

if TYPE_CHECKING:
    from trialrun.diagnostic import Diagnostic
    from trialrun.values.cel import Schema
    from trialrun.workspace.check import Outcome, Request
    from trialrun.workspace.lint_files import Linting


TABLES = ".json"
"""How the files end that may be tables as well as files of ours."""


class Live:
    """A workspace that stays open. `request` says where it is and under which settings, as for `check`.

    `put` takes what an editor holds, `drop` what it holds no more, `touch` what changed on disk. The findings of a file
    are those of `check` over the same texts, once `step` has nothing left to do. A file outside of the workspace is
    judged by itself. While a file is linted `is_wanted` is asked with its absolute path; Interrupted is raised where it
    says no, and the file is left for another time.
    """

    def __init__(
        self,
        request: Request,
        overlay: dict[str, bytes | None] | None = None,
        *,
        is_wanted: Callable[[str], bool] = lambda file: True,
        turns_to: Callable[[str | None], None] = lambda path: None,
    ) -> None:
        self.request = request
        self.turns_to = turns_to
        """Say which text is read for a question about many; None when it is read."""
        self._lintings = Lintings(is_wanted)
        self._is_wanted = is_wanted
        self._is_listed = True
        self.revision = 0
        """Another number after every change of a text, of what there is, and of the settings."""
        self._overlay = overlay or {}
        self.files = Files(
            request.root,
            request.profiles.settings.exclude,
            self._overlay,
            kind_by_glob=request.profiles.kind_by_glob,
        )
        self._listing = Listing(self.files, self._overlay)
        self._ground = CommonGround(request.profiles)
        self._readings = Readings()
        self._is_ours: dict[str, bool] = {}
        self._reports = Reports()
        self._waiting: dict[str, Found] = {}
        self._changed_at: dict[str, int] = {}
        self._left_out: set[str] = set()
        self._found = self._listing.found()
        for shown, found in self._found.items():
            self._ground.take(shown, self._shared_text(found))
        self._begin()

    def over(self, request: Request) -> Live:
        """The same texts of the editor under another request, with nothing linted yet; this one is over."""
        live = Live(request, self._overlay, is_wanted=self._is_wanted, turns_to=self.turns_to)
        live._left_out = self._left_out
        live._reports.across.keep(self._reports.across, lambda one: one.rule in request.profiles.of(one.path).rules)
        if request.profiles.settings.kinds == self.request.profiles.settings.kinds:
            from trialrun.workspace.open_workspace.catalog_cache import hand_over

            hand_over(self, live)
        self._reports.clear()
        self._waiting.clear()
        self._readings = Readings()
        return live

    def copied(self) -> Live:
        """The workspace as it is now, to try other texts in: what is done to one is nothing to the other."""
        live = copy(self)
        live._overlay = dict(self._overlay)
        live.files = self.files.under(live._overlay)
        live._listing = self._listing.under(live.files, live._overlay)
        live._ground, live._readings = self._ground.copied(), self._readings.copied()
        live._reports, live._waiting, live._found = self._reports.copied(), dict(self._waiting), dict(self._found)
        live._changed_at, live._is_ours = dict(self._changed_at), dict(self._is_ours)
        live._left_out = set(self._left_out)
        live._lintings = self._lintings.under(live.files)
        return live

    def lint(self, files: Iterable[str]) -> None:
        """Lint some files, by their absolute paths."""
        for shown in map(shown_path, files):
            if shown in self._waiting:
                self.turns_to(shown)
                self._lint(self._waiting.pop(shown))
        self.turns_to(None)

    def differing(self, other: Live, files: Iterable[str]) -> set[str]:
        """The rules across files of which some files, by their absolute paths, have other facts than there."""
        return self._reports.across.differing(other._reports.across, map(shown_path, files))

    def told(self, files: Iterable[str], rules: Iterable[str]) -> list[Diagnostic]:
        """What is wrong in some files, suppressed or not, and what rules across files say, without their places."""
        from trialrun.lint.workspace_rules import Court

        profiles = self.request.profiles
        court = Court(profiles.whole, profiles.of, Unplaced(self.files.bytes_of), self._reports.has_unread)
        return self._reports.told(map(shown_path, files), rules, court)

    def judge(self) -> None:
        """Judge across all files that have been linted."""
        while self._reports.across.next_rule:
            self._reports.judge_on(self._lintings.of_editor)

    def at(self, now: datetime) -> bool:
        """The clock says this: on another day every file is linted again. Whether it is another day."""
        before, self.request = self.request.now, replace(self.request, now=now)
        if before.date() == now.date():
            return False
        self._begin()
        return True

    def put(self, file: str, data: bytes) -> None:
        """Lay a text of an editor over a file, by its absolute path."""
        file = os.path.abspath(file)
        self._overlay[file] = data
        self._left_out.discard(shown_path(file))
        self._changed(file)

    def leave_out(self, file: str) -> None:
        """Take a file as one that cannot be read, until there is another text of it: looking at it takes too long."""
        file = os.path.abspath(file)
        self._overlay[file] = b""
        self._left_out.add(shown_path(file))
        self._changed(file)

    def leave_out_rule(self, rule: str) -> None:
        """Do not judge across files by a rule under these settings: it takes too long."""
        self._reports.across.leave_out(rule)

    def drop(self, file: str) -> None:
        """The editor has closed a file: what is on disk counts again."""
        file = os.path.abspath(file)
        self._overlay.pop(file, None)
        self._left_out.discard(shown_path(file))
        self._changed(file)
        self._touch(file)

    def touch(self, *files: str) -> None:
        """Files, or whole folders, changed, came or went on disk."""
        self._touch(*files)
        self.look()

    def _touch(self, *files: str) -> None:
        for file in files:
            if shown_path(file) in self._left_out:
                self.drop(file)
        paths = [*map(os.path.abspath, files)]
        strange = {file for file in paths if not self._listing.knows(file)}
        for file in paths:
            if file not in self._overlay and file not in strange:
                self._changed(file)
        if strange:
            self._is_listed = False
        if strange or any(file.endswith(TABLES) for file in paths):
            self._reports.across.doubt()  # what is no resource may be a table that a rule reads, from the disk

    def look(self) -> None:
        """List the files again where some may have come or gone: once, however many were told of."""
        if not self._is_listed:
            self._is_listed = True
            for file in self._listing.again():
                self._changed(file)

    @property
    def declared(self) -> frozenset[str]:
        """The kinds of companion documents that the workspace has."""
        return self._ground.declared

    @property
    def linting(self) -> Linting:
        """The linting of texts that an editor holds."""
        return self._lintings.of_editor

    @property
    def next_path(self) -> str | None:
        """The file that `step` lints next; None where it judges across files, or nothing is left."""
        return next(iter(self._waiting), None)

    @property
    def next_rule(self) -> str | None:
        """The rule that `step` judges by next; None where it lints a file, or nothing is left."""
        return None if self._waiting else self._reports.across.next_rule

    @property
    def left(self) -> int:
        """How many files are left to lint."""
        return len(self._waiting)

    @property
    def is_waiting(self) -> bool:
        """Whether there is something left for `step`."""
        return bool(self._waiting or self._reports.across.next_rule or not self._is_listed)

    def step(self) -> set[str]:
        """Do a little of what is left: lint one file, or judge across files.

        The paths whose findings may be others.
        """
        touched = set[str]()
        if not self._is_listed:
            self.look()
        elif self._waiting:
            shown = next(iter(self._waiting))
            self._lint(self._waiting.pop(shown))
            touched = {shown}
        else:
            self._lintings.keep_verdicts()
            touched = self._reports.judge_on(self._lintings.of_editor)
        return touched if self.is_waiting else {*self._reports.paths, *self._settings_path}

    def finish(self) -> None:
        """Do all that is left."""
        while self.is_waiting:
            self.step()

    def diagnostics(self, path: str) -> list[Diagnostic]:
        """The findings of a file as it is shown, in order; those across files as they were last judged."""
        self.look()
        if path in self._waiting:
            self._lint(self._waiting.pop(path))
        outcome = self._outcome(self._judged_with(path))
        return [one for one in outcome.diagnostics if one.path == path]

    def all_diagnostics(self) -> dict[str, tuple[Diagnostic, ...]]:
        """The findings of every file that has some, by its path; of what is not linted yet as they were."""
        outcome = self._outcome(self._reports.paths)
        found: dict[str, list[Diagnostic]] = {}
        for one in outcome.diagnostics:
            found.setdefault(one.path, []).append(one)
        return {path: tuple(of_file) for path, of_file in found.items()}

    def _outcome(self, paths: Iterable[str]) -> Outcome:
        outcome = self._reports.outcome(paths, self._lintings.of_editor, whole=not self.is_waiting)
        return outcome.without(self.request.baseline)

    def reading(self, path: str) -> Reading | None:
        """A text of the workspace, of the editor where it holds one; None where there is none or it is not ours."""
        known = self._readings.get(path)
        if known is None:
            data = self.files.bytes_of(path)
            if data is None:
                return None
            known = self._readings.keep(Reading(data, path, self.request.profiles.kind_by_glob))
        return known

    @property
    def paths(self) -> Set[str]:
        """The paths of all files that there are, open ones among them."""
        return self._found.keys()

    def signs(self) -> dict[str, object]:
        """Something else for every text of a path: the text itself where an editor has it."""
        return {**self._listing.signs, **{shown_path(file): data for file, data in self._overlay.items()}}

    def changed_at(self, path: str) -> int:
        """The revision at which a text last changed, came or went; 0 where it never did."""
        return self._changed_at.get(path, 0)

    def changed_after(self, revision: int) -> set[str]:
        """The paths whose text has changed, come or gone since a revision."""
        return {path for path, at in self._changed_at.items() if at > revision}

    def readings(self, paths: Collection[str] | None = None) -> Iterator[Reading]:
        """Every text of the workspace that holds something of ours, in the order of paths, or those of some paths."""
        self.look()
        for shown in sorted(self._found if paths is None else self._found.keys() & set(paths)):
            reading = self.reading(shown) if self._is_ours.get(shown, True) else None
            if reading is not None and self._is_shared(reading):
                yield reading

    def _is_shared(self, reading: Reading) -> bool:
        """Whether others of the workspace may have to do with a text; one that is foreign is not kept."""
        shown = reading.path
        if shown not in self._is_ours:
            inside = self._listing.has_inside(os.path.abspath(shown))
            self._is_ours[shown] = inside and self.files.may_be_ours(shown, reading.data)
        if not self._is_ours[shown]:
            self._readings.forget(shown)
        return self._is_ours[shown]

    def types(self, path: str) -> Schema:
        """The types and variables that the conditions of a file may read: those that it is linted against."""
        return self._lintings.of_editor.sessions.of(self.request.profiles.of(path).session_schema).types.schema

    def _begin(self) -> None:
        """Lint all files again: what they go by has changed. Until then the verdicts are as they were."""
        self.revision += 1
        self._lintings.begin(self.request, self.files, self._ground.texts)
        opened = [shown for shown in map(shown_path, self._overlay) if shown in self._found]
        self._waiting = {shown: self._found[shown] for shown in opened} | self._found
        self._reports.across.doubt()

    def _changed(self, file: str) -> None:
        """A file, by its absolute path, has another text, or came or went."""
        self.revision += 1
        shown, found = shown_path(file), self._listing.one(file)
        self._changed_at[shown] = self.revision
        self._readings.forget(shown)
        self._is_ours.pop(shown, None)
        if found is None:
            self._found.pop(shown, None)
            self._waiting.pop(shown, None)
            self._reports.take(shown, (), is_left_out=shown in self._left_out)
        else:
            self._found[shown] = self._waiting[shown] = found
        if self._ground.take(shown, self._shared_text(found) if found else None):
            self._begin()

    def _shared_text(self, found: Found) -> bytes | None:
        """The text of a file of the workspace; None where there is none, or it is nothing to the others."""
        if found.shown not in self._listing.signs and not self._listing.has_inside(os.path.abspath(found.file)):
            return None
        data = self.files.read(found)
        return data if isinstance(data, bytes) else None

    def _lint(self, found: Found) -> None:
        file = os.path.abspath(found.file)
        try:
            reports = self._lintings.reports(found, declared=self.declared, is_edited=file in self._overlay)
        except Interrupted:
            self._waiting[found.shown] = found
            raise
        if not self._listing.has_inside(file):
            for one in reports:
                one.facts.clear()
        self._reports.take(found.shown, reports, is_left_out=found.shown in self._left_out)

    def _judged_with(self, path: str) -> list[str]:
        """The files that the findings of one are told from; from all, of the settings, which entries ignore nothing."""
        return self._reports.paths if path in self._settings_path else self._reports.judged_with(path)

    @property
    def _settings_path(self) -> tuple[str, ...]:
        """The path of the settings, where there are some."""
        file = self.request.profiles.settings.file
        return () if file is None else (shown_path(file),)
