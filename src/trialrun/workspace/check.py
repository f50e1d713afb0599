"""The check of a workspace: find the files, read each once, lint what is not known yet, judge across files."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from trialrun.diagnostic import Diagnostic, Finding, Place, Severity
from trialrun.lint.fingerprint import numbered
from trialrun.lint.report import Fact, Report, shared
from trialrun.lint.selection import Selection
from trialrun.lint.settings import Settings, kind_by_glob
from trialrun.record import dataclass
from trialrun.workspace.discovery import STANDARD_INPUT, Found, discover
from trialrun.workspace.reading import Foreign, Unread, read_bytes
from trialrun.workspace.session import DECLARES, WorkspaceSession

if TYPE_CHECKING:
    from trialrun.lint.engine import Linter
    from trialrun.workspace.crew import Died
    from trialrun.workspace.verdicts import Verdicts

CONDITION = b"ondition"
"""A file without it, in either spelling of conditionExpression, does not need the checker of CEL."""


@dataclass(frozen=True)
class Request:
    """What to check: `paths` as the user gave them, none for the whole workspace at `root`."""

    root: str
    now: datetime
    settings: Settings
    selection: Selection
    paths: Sequence[str] = ()
    stdin: bytes | None = None
    stdin_name: str = "stdin.yaml"
    jobs: int = 0
    cache: bool = True


@dataclass
class Outcome:
    """What a check found: `files` counts those that were looked into, `documents` the resources in them."""

    files: int = 0
    documents: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)
    internal: bool = False


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A file that holds something of ours and has no known verdict yet."""

    found: Found
    size: int
    key: bytes | None
    has_conditions: bool = False


def check(request: Request) -> Outcome:
    """The diagnostics of a workspace, or of some files, in their order.

    Raises UnknownPath for a path that does not exist.
    """
    return _Check(request).run()


class _Check:
    """One check on its way: what it found so far."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self.outcome = Outcome()
        self.facts: list[Fact] = []
        self.declaring: list[tuple[str, str]] = []
        self.session = WorkspaceSession(self._declaring_files)
        self.verdicts = self._verdicts() if request.cache else None
        self._linter: Linter | None = None

    def run(self) -> Outcome:
        """Lint every file, then judge what only shows across files."""
        candidates = list(self._standard_input()) or list(self._candidates())
        for result in self._reports(candidates):
            self._take(result)
        if self.verdicts is not None:
            self.verdicts.close()
        self._judge()
        self.outcome.diagnostics = numbered(sorted(self.outcome.diagnostics, key=lambda one: one.order))
        return self.outcome

    def _verdicts(self) -> Verdicts:
        from trialrun.workspace.verdicts import Conditions, Verdicts, fixed_conditions

        day = self.request.now.date().isoformat()
        return Verdicts(Conditions(fixed_conditions(self.request.selection), day, lambda: self.session.digest))

    def _standard_input(self) -> Iterator[_Candidate]:
        if self.request.stdin is not None:
            found = Found(self.request.stdin_name, STANDARD_INPUT, named=True)
            yield _Candidate(found, len(self.request.stdin), None)

    def _candidates(self) -> Iterator[_Candidate]:
        """The files that need linting; what is foreign, unreadable or known already is done with here."""
        for found in discover(self.request.paths, root=self.request.root, exclude=self.request.settings.exclude):
            data = read_bytes(found.file, named=found.named)
            if isinstance(data, Unread):
                self._unreadable(found, data.reason)
            elif not isinstance(data, Foreign):
                yield from self._unknown(found, data)

    def _unknown(self, found: Found, data: bytes) -> Iterator[_Candidate]:
        if DECLARES in data:
            self.declaring.append((found.shown, found.file))
        key = None
        if self.verdicts is not None:
            kind = kind_by_glob(self.request.settings.kinds, found.shown)
            key = self.verdicts.key(data, found.shown, named=found.named, kind=kind)
        yield _Candidate(found, len(data), key, CONDITION in data)

    def _reports(self, candidates: list[_Candidate]) -> Iterator[_Result]:
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
            if self.verdicts is not None and result.candidate.key is not None:
                self.verdicts.keep(result.candidate.key, result.report)
            yield result

    def _shared_out(self, rest: list[_Candidate]) -> Iterator[_Result]:
        """The results of many candidates, worked on by a crew, which a single one does not wait for."""
        from trialrun.workspace import crew

        jobs = self.request.jobs or crew.cores()
        for result in crew.worked(rest, self._lint, size=lambda one: one.size, jobs=jobs):
            yield _Result(result.task, self._died(result)) if isinstance(result, crew.Died) else result

    def _known(self, candidate: _Candidate) -> Report | None:
        if self.verdicts is None or candidate.key is None:
            return None
        return self.verdicts.find(candidate.key, candidate.found.shown)

    def _prepare(self, rest: list[_Candidate]) -> None:
        """Import what linting needs before the work is dealt out, so that workers share it."""
        from trialrun.lint.engine import Linter

        kinds = partial(kind_by_glob, self.request.settings.kinds)
        self._linter = Linter(
            self.request.selection,
            now=self.request.now,
            session=lambda: self.session.types,
            kind_by_path=kinds,
        )
        if len(rest) > 1:
            self._linter.warm_up(conditions=any(one.has_conditions for one in rest))
            gc.freeze()

    def _lint(self, candidate: _Candidate) -> _Result:
        assert self._linter is not None
        found = candidate.found
        data = self.request.stdin if found.file == STANDARD_INPUT else read_bytes(found.file, named=found.named)
        if isinstance(data, Unread):
            report = Report(found.shown)
            report.diagnostics.extend(unreadable(found.shown, data.reason, self.request.selection))
            return _Result(candidate, report)
        if data is None or isinstance(data, Foreign):
            return _Result(candidate, Report(found.shown))
        key = candidate.key
        if key is not None and self.verdicts is not None:
            kind = kind_by_glob(self.request.settings.kinds, found.shown)
            key = self.verdicts.key(data, found.shown, named=found.named, kind=kind)
        report = self._linter.lint(data, found.shown, named=found.named)
        return _Result(_Candidate(found, candidate.size, key), report)

    def _take(self, result: _Result) -> None:
        self.outcome.files += 1
        self.outcome.documents += result.report.documents
        self.outcome.diagnostics.extend(result.report.diagnostics)
        self.outcome.internal |= result.report.internal
        self.facts.extend(shared(fact, result.candidate.found.shown) for fact in result.report.facts)

    def _unreadable(self, found: Found, reason: str) -> None:
        self.outcome.files += 1
        self.outcome.diagnostics.extend(unreadable(found.shown, reason, self.request.selection))

    def _died(self, died: Died[_Candidate]) -> Report:
        report = Report(died.task.found.shown, internal=True)
        message = f"linting this file ended its process ({died.how}); please report it with the file"
        report.diagnostics.append(whole_file("internal-error", Severity.ERROR, message, died.task.found.shown))
        return report

    def _judge(self) -> None:
        if self.facts:
            from trialrun.lint.across import judge
            from trialrun.lint.fact_places import FactPlaces

            self.outcome.diagnostics.extend(judge(self.facts, self.request.selection, FactPlaces(self._bytes_of)))

    def _bytes_of(self, path: str) -> bytes | None:
        if self.request.stdin is not None and path == self.request.stdin_name:
            return self.request.stdin
        data = read_bytes(path, named=True)
        return data if isinstance(data, bytes) else None

    def _declaring_files(self) -> list[tuple[str, str]]:
        """The files that may declare session types: of the whole workspace, also when only some files are checked."""
        if not self.request.paths and self.request.stdin is None:
            return self.declaring
        found = discover((), root=self.request.root, exclude=self.request.settings.exclude)
        return sorted({*self.declaring, *((one.shown, one.file) for one in found)})


@dataclass(frozen=True, slots=True)
class _Result:
    """The report of a candidate, whose key is that of the bytes that were linted."""

    candidate: _Candidate
    report: Report


def unreadable(path: str, reason: str, selection: Selection) -> Iterator[Diagnostic]:
    """The finding of a file that cannot be opened or read."""
    if "unreadable-file" in selection.rules:
        severity = selection.overridden.get("unreadable-file", Severity.ERROR)
        yield whole_file("unreadable-file", severity, f"the file cannot be read: {reason}", path)


def whole_file(rule: str, severity: Severity, message: str, path: str) -> Diagnostic:
    """A diagnostic about a file as a whole, at its first character."""
    from trialrun.lint import placing
    from trialrun.text import Source

    return placing.diagnostic(
        Finding(message, Place(None)), rule=rule, severity=severity, source=Source(path, ""), document=None
    )


__all__ = ["Outcome", "Request", "check"]
