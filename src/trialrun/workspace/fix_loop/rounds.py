"""The rounds of the fix loop: fix findings, check the workspace with the new texts, undo harmful fixes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from trialrun.diagnostic import Diagnostic
from trialrun.lazy_dataclass import dataclass
from trialrun.workspace.check_result import CheckResult
from trialrun.workspace.fix_loop.file import FixedFile

MAX_ROUNDS = 200
"""Far more than needed; stops fixes that trigger each other forever."""

STILL_GOING = "stopped after too many rounds of fixes; run it again"

Check = Callable[[Mapping[str, bytes]], CheckResult]
"""A function that checks with other contents for some files, by displayed path."""


@dataclass(frozen=True, slots=True)
class FixResult:
    """The result of fixing: the findings before, the changed files, and the findings after."""

    before: CheckResult
    files: tuple[FixedFile, ...]
    after: CheckResult


def fix_until_stable(check: Check, bytes_of: Callable[[str], bytes | None], *, unsafe: bool) -> FixResult:
    """Fix the findings of `check`, with `unsafe` also by unsafe fixes; nothing is written.

    The bytes of a file are read once, and the file is checked with these, since it may change meanwhile.
    """
    rounds = _Rounds(check, bytes_of, unsafe)
    found = check({})
    outcome = rounds.run(found)
    remaining = [rounds.without_rejected_fix(diagnostic) for diagnostic in outcome.diagnostics]
    before, after = _by_path(found.diagnostics), _by_path(outcome.diagnostics)
    for path, file in rounds.files.items():
        file.count_fixed(before.get(path, ()), after.get(path, ()))
    changed = [file for _, file in sorted(rounds.files.items()) if file.source.text != file.before.text]
    return FixResult(found, tuple(changed), replace(outcome, diagnostics=remaining))


class _Rounds:
    def __init__(self, check: Check, bytes_of: Callable[[str], bytes | None], unsafe: bool) -> None:
        self.files: dict[str, FixedFile] = {}
        self._check = check
        self._bytes_of = bytes_of
        self._unsafe = unsafe

    def run(self, outcome: CheckResult) -> CheckResult:
        """Run all rounds; returns the final result."""
        for _ in range(MAX_ROUNDS):
            if self._add_files(outcome.diagnostics):
                outcome = self._check(self._bytes())
            found = _by_path(outcome.diagnostics)
            tried = [file for path, file in self.files.items() if file.attempt(found.get(path, ()))]
            if not tried:
                return outcome
            outcome = self._check(self._bytes())
            found = _by_path(outcome.diagnostics)
            undone = [file for file in tried if not file.accept(found.get(file.path, ()))]
            if undone:
                outcome = self._check(self._bytes())
        return outcome

    def _add_files(self, diagnostics: Sequence[Diagnostic]) -> bool:
        """Read further files that have something to fix; returns whether there are any."""
        asked = {
            diagnostic.path for diagnostic in diagnostics if diagnostic.fix and (diagnostic.fix.safe or self._unsafe)
        }
        new = {path: data for path in asked - self.files.keys() if (data := self._bytes_of(path)) is not None}
        self.files |= {path: FixedFile(path, new[path], unsafe=self._unsafe) for path in sorted(new)}
        return bool(new)

    def _bytes(self) -> dict[str, bytes]:
        return {path: file.data for path, file in self.files.items()}

    def without_rejected_fix(self, diagnostic: Diagnostic) -> Diagnostic:
        """The diagnostic without a fix that failed, and with the reason."""
        file = self.files.get(diagnostic.path)
        if diagnostic.fix is None or file is None or not (diagnostic.fix.safe or self._unsafe):
            return diagnostic
        return replace(diagnostic, fix=None, refusal=file.reason_not_fixed(diagnostic) or STILL_GOING)


def _by_path(diagnostics: Sequence[Diagnostic]) -> dict[str, list[Diagnostic]]:
    found: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        found.setdefault(diagnostic.path, []).append(diagnostic)
    return found
