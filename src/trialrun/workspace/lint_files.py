"""The linting of many files: what is known is looked up, the rest is read once and shared out to all cores."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, Finding, NotChecked, Place, Severity
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import Report
from trialrun.lint.selection import Selection
from trialrun.lint.settings import Profiles
from trialrun.workspace.discovery import Found
from trialrun.workspace.file_system import Files
from trialrun.workspace.kind_scan import DECLARING, declared_kinds
from trialrun.workspace.read_file import Foreign, Unread
from trialrun.workspace.session_schemas import Sessions, may_declare

if TYPE_CHECKING:
    from trialrun.lint.engine import Linter
    from trialrun.workspace.result_cache import Verdicts
    from trialrun.workspace.worker_pool import Died

CONDITION = b"ondition"
"""A file without it, in either spelling of conditionExpression, does not need the checker of CEL."""
REST_OF_FOLDER = "the folders that were not searched"
UNKNOWN = b""
"""The digest of bytes that were not read, or that nobody asks for."""


@dataclass(frozen=True)
class Terms:
    """What the linting of a workspace goes by. `jobs` are the processes to work with, as many as cores when 0.

    `go_on` is called between two steps of the work; what it raises ends it. Fixes are worked out `with_fixes` alone.
    """

    files: Files
    profiles: Profiles
    now: datetime
    jobs: int = 0
    cache: bool = True
    go_on: Callable[[], None] = lambda: None
    with_fixes: bool = True


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file that holds something of ours; `digest` is that of its bytes."""

    found: Found
    size: int
    digest: bytes
    has_conditions: bool = False


@dataclass(frozen=True, slots=True)
class _Result:
    """The report of a candidate, whose digest is that of the bytes that were linted."""

    candidate: _Candidate
    report: Report


class _Saying:
    """What files say that all others go by: types of the session, and kinds of companion documents that are there."""

    def __init__(self, profiles: Profiles) -> None:
        self.types: list[tuple[str, bytes]] = []
        self.kinds: set[str] = set()
        self._profiles = profiles

    def look(self, found: Found, data: bytes) -> None:
        """Take in a file."""
        by_path = self._profiles.kind_by_glob(found.shown)
        if may_declare(data, by_path):
            self.types.append((found.shown, data))
        if len(self.kinds) < len(DECLARING):
            self.kinds |= declared_kinds(data, by_path=by_path)


class Linting:
    """Lints files of one workspace under one set of terms; verdicts are kept when it is closed."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._verdicts = self._store() if terms.cache else None
        self._linters: dict[int, Linter] = {}
        self._selections: dict[tuple[int, frozenset[str]], Selection] = {}
        self.declared = frozenset[str]()
        self._declaring: list[tuple[str, bytes]] | None = None

    def reports(
        self,
        found: Sequence[Found],
        *,
        whole: bool = False,
        declared: Collection[str] | None = None,
        pass_over: Callable[[str], None] = lambda path: None,
    ) -> Iterator[Report]:
        """The reports of those files that hold something of ours, in no order; `whole`: they are all there are.

        `declared` are the kinds of companion documents in the files that will be judged together; those in these files
        where it is None. `pass_over` is called with the path of each file that has nothing of ours.
        """
        candidates: list[_Candidate] = []
        unreadable: list[Report] = []
        saying = _Saying(self.terms.profiles)
        for one in self._without_policies(found):
            data = self.terms.files.read(one)
            if isinstance(data, Unread):
                unreadable.append(self._unreadable(one, data))
            elif isinstance(data, Foreign):
                if not data.is_gone:
                    pass_over(one.shown)
            else:
                candidates.append(_Candidate(one, len(data), self._digest(data), CONDITION in data))
                saying.look(one, data)
        if whole:
            self._declaring = saying.types
        self.declared = frozenset(saying.kinds if declared is None else declared)
        yield from unreadable
        for result in self._results(candidates):
            yield result.report

    def of(self, files: Files) -> Linting:
        """The same linting of files with other texts, none of which declares session types."""
        other = Linting(replace(self.terms, files=files, cache=False))
        other._verdicts, other._linters, other.sessions = self._verdicts, self._linters, self.sessions
        other._selections = self._selections
        return other

    def knowing(self, declaring: list[tuple[str, bytes]]) -> Linting:
        """The same, told which files may declare session types, so that they are not looked for."""
        self._declaring = declaring
        return self

    def _without_policies(self, found: Sequence[Found]) -> Iterable[Found]:
        """The files without those that policies were read from, which has told what is wrong in them."""
        read = self.terms.profiles.policies.files
        return [one for one in found if os.path.abspath(one.file) not in read] if read else found

    def close(self) -> None:
        """Keep the new verdicts."""
        if self._verdicts is not None:
            self._verdicts.close()

    def let_go(self) -> None:
        """Let go of everything that was made for it: there is nothing more to lint."""
        self.close()
        self._linters.clear()
        self.__dict__.pop("sessions", None)

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions whose types conditions read."""
        settings = self.terms.profiles.settings
        named = [settings.session_schema, *(one.session_schema for one in settings.overrides)]
        return Sessions(self._declaring_files, named, self.terms.files.bytes_of, self.terms.profiles.kind_by_glob)

    def _declaring_files(self) -> Iterable[tuple[str, bytes]]:
        """The files that may declare session types: of the whole workspace, also when only some files are linted."""
        if self._declaring is None:
            texts = ((one.shown, self.terms.files.read(one)) for one in self.terms.files.found())
            kind_of = self.terms.profiles.kind_by_glob
            self._declaring = [
                (shown, data) for shown, data in texts if isinstance(data, bytes) and may_declare(data, kind_of(shown))
            ]
        return self._declaring

    def _digest(self, data: bytes) -> bytes:
        """What stands for the bytes of a file where verdicts are kept."""
        if self._verdicts is None:
            return UNKNOWN
        from trialrun.workspace.result_cache import digest

        return digest(data)

    def _store(self) -> Verdicts:
        from trialrun.workspace.result_cache import Conditions, Verdicts

        day = self.terms.now.date().isoformat()
        conditions = Conditions(day, lambda selection: self.sessions.of(selection.session_schema).digest)
        return Verdicts(conditions, with_fixes=self.terms.with_fixes)

    def _key(self, candidate: _Candidate) -> bytes:
        """What the verdict of a candidate is found by."""
        assert self._verdicts is not None
        found, profiles, selection = candidate.found, self.terms.profiles, self._selection(candidate.found)
        kind = profiles.kind_by_glob(found.shown)
        place = profiles.path_of_settings(found.shown) if selection.policies.read_the_path else ""
        return self._verdicts.key(candidate.digest, found.shown, selection, named=found.named, kind=kind, place=place)

    def _selection(self, found: Found) -> Selection:
        """The selection of a file, without the rules that cannot speak for want of the documents they go by."""
        selection = self.terms.profiles.of(found.shown)
        known = (id(selection), self.declared)
        if known not in self._selections:
            self._selections[known] = selection.where_declared(self.declared)
        return self._selections[known]

    def _results(self, candidates: Iterable[_Candidate]) -> Iterator[_Result]:
        """The reports of the candidates: known ones from the store, the others from the linter."""
        rest: list[_Candidate] = []
        for candidate in candidates:
            known = self._known(candidate)
            if known is None:
                rest.append(candidate)
            else:
                yield _Result(candidate, known)
        if not rest:
            return
        self._prepare(rest)
        for result in self._shared_out(rest) if len(rest) > 1 else map(self._lint, rest):
            self._keep(result)
            yield result

    def _known(self, candidate: _Candidate) -> Report | None:
        if self._verdicts is None:
            return None
        found = candidate.found
        return self._verdicts.find(self._key(candidate), found.shown, self._selection(found))

    def _keep(self, result: _Result) -> None:
        if self._verdicts is not None and result.candidate.digest:
            selection = self._selection(result.candidate.found)
            self._verdicts.keep(self._key(result.candidate), result.report, selection)

    def _shared_out(self, rest: list[_Candidate]) -> Iterator[_Result]:
        """The results of many candidates, worked on by a crew, which a single one does not wait for."""
        from trialrun.workspace import worker_pool

        jobs = self.terms.jobs or worker_pool.cores()
        for result in worker_pool.worked(rest, self._lint, size=lambda one: one.size, jobs=jobs):
            yield _Result(result.task, _died(result)) if isinstance(result, worker_pool.Died) else result

    def _prepare(self, rest: list[_Candidate]) -> None:
        """Import what linting needs before the work is dealt out, so that workers share it."""
        if len(rest) > 1:
            for one in rest:
                self._linter(self._selection(one.found))
            for linter in self._linters.values():
                linter.warm_up(conditions=any(one.has_conditions for one in rest))
            gc.freeze()

    def _linter(self, selection: Selection) -> Linter:
        """The linter under a selection, made once for each."""
        found = self._linters.get(id(selection))
        if found is None:
            from trialrun.lint.engine import Linter

            session = self.sessions.of(selection.session_schema)
            found = self._linters[id(selection)] = Linter(
                selection,
                now=self.terms.now,
                session=lambda: session.types,
                kind_by_path=self.terms.profiles.kind_by_glob,
                policy_path=self.terms.profiles.path_of_settings,
                go_on=self.terms.go_on,
                with_fixes=self.terms.with_fixes,
            )
        return found

    def _lint(self, candidate: _Candidate) -> _Result:
        found = candidate.found
        data = self.terms.files.read(found)
        if isinstance(data, Unread):
            return _Result(_Candidate(found, 0, UNKNOWN), self._unreadable(found, data))
        if isinstance(data, Foreign):
            return _Result(_Candidate(found, 0, UNKNOWN), Report(found.shown))
        report = self._linter(self._selection(found)).lint(data, found.shown, named=found.named)
        if found.named and not report.documents:
            from trialrun.workspace.unknown_files import require_documents

            require_documents(report, data)
        return _Result(_Candidate(found, candidate.size, self._digest(data)), report)

    def _unreadable(self, found: Found, unread: Unread) -> Report:
        report, selection = Report(found.shown), self._selection(found)
        rule = "resource-limit" if unread.is_limit else "unreadable-file"
        severity = selection.overridden.get(rule, Severity.ERROR)
        message = unread.reason if unread.is_limit else f"the file cannot be read: {unread.reason}"
        diagnostic = whole_file(rule, severity, message, found.shown)
        if unread.is_limit:
            diagnostic = replace(diagnostic, not_checked=NotChecked(found.shown, REST_OF_FOLDER, message))
        report.diagnostics.append(diagnostic)
        return report


def _died(died: Died[_Candidate]) -> Report:
    report = Report(died.task.found.shown, internal=True)
    message = f"linting this file ended its process ({died.how}); please report it with the file"
    report.diagnostics.append(whole_file("internal-error", Severity.ERROR, message, died.task.found.shown))
    return report


def whole_file(rule: str, severity: Severity, message: str, path: str) -> Diagnostic:
    """A diagnostic about a file as a whole, at its first character."""
    from trialrun.lint import positions
    from trialrun.text import Source

    return positions.diagnostic(
        Finding(message, Place(None)), rule=rule, severity=severity, source=Source(path, ""), document=None
    )
