"""State of a file in the fix loop: its text, the attempted fixes, and the reasons of refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.fix import apply_fixes
from trialrun.parser import parse
from trialrun.parser.decode import encode
from trialrun.text import Source, Span
from trialrun.workspace.check import CheckResult, by_path

PARSE_RULES = ("syntax-error", "encoding-error", "duplicate-key", "resource-limit", "tagged-value", "internal-error")
"""Findings that a fix must not cause."""

NO_TEXT = "the file has invalid bytes or characters; fix these first"
STAYS = "the finding would remain"
BRINGS = "it would cause a new parse error"
ADDS = "it would cause a new finding ({rule}); fix it by hand"
TURNS = "it would undo another fix"
CHANGES_NOTHING = "it would change nothing"
FINAL_REASONS = (STAYS, TURNS, CHANGES_NOTHING)
"""Refusals that do not depend on other errors of the file."""

FindingKey = tuple[str, str, int, str, str]
"""Identifies a finding across rounds, while lines move: rule, message, document, pointer, fix."""


class FixedFile:
    """A file before and after fixing, and the number of fixed findings."""

    def __init__(self, path: str, data: bytes, *, unsafe: bool) -> None:
        parsed = parse(data, path)
        self.path = path
        self.before = self.source = parsed.source
        self.original = data
        self.fixed = 0
        self._unsafe = unsafe
        spoilt = any(error.rule == "encoding-error" for error in parsed.errors)
        self._no_text = spoilt or encode(parsed.source) != data
        self._refused: dict[FindingKey, str] = {}
        self._seen = {parsed.source.text}
        self._most: int | None = None
        self._attempt: tuple[Sequence[Diagnostic], Sequence[Diagnostic], Source] | None = None
        """The findings fixed in this round, those before it, and the text before it."""
        self._may_try_again = False

    @property
    def data(self) -> bytes:
        """The current bytes of the file."""
        return self.original if self._no_text else encode(self.source)

    def reason_not_fixed(self, diagnostic: Diagnostic) -> str | None:
        """Why the fix of a finding was refused; None if it was not."""
        return NO_TEXT if self._no_text else self._refused.get(_finding_key(diagnostic))

    def attempt(self, diagnostics: Sequence[Diagnostic]) -> bool:
        """Apply the fixes of findings in the current text; returns whether there were any.

        Refused fixes are tried again once others have been applied, as another run would do.
        """
        if self._fixes_to_try(diagnostics):
            return True
        if not self._may_try_again:
            return False
        self._refused = {known: reason for known, reason in self._refused.items() if reason in FINAL_REASONS}
        self._may_try_again = False
        return self._fixes_to_try(diagnostics)

    def _fixes_to_try(self, diagnostics: Sequence[Diagnostic]) -> bool:
        fixable = [diagnostic for diagnostic in diagnostics if self._is_fixable(diagnostic)]
        while wanted := [found for found in fixable if self.reason_not_fixed(found) is None][: self._most]:
            text, indexes = apply_fixes(self.source, [diagnostic.fix for diagnostic in wanted if diagnostic.fix])
            made = [wanted[number] for number in indexes]
            if text not in self._seen:
                self._attempt = made, diagnostics, self.source
                self.source = replace(self.source, text=text)
                return True
            self._refuse(made or wanted, CHANGES_NOTHING if text == self.source.text else TURNS)
        return False

    def accept(self, diagnostics: Sequence[Diagnostic]) -> bool:
        """Keep the text of the attempt, or restore the previous one if the new findings show that a fix was harmful."""
        assert self._attempt is not None
        made, found, before = self._attempt
        stays = still_reported(made, found, diagnostics, before=before, after=self.source)
        faults = _count(diagnostics, PARSE_RULES) - _count(found, PARSE_RULES)
        brought = rules_with_new_findings(made, found, diagnostics)
        if not stays and not faults and not brought:
            self._most = None
            self._seen.add(self.source.text)
            self._may_try_again = bool(self._refused)
            return True
        self.source = before
        if stays:
            self._refuse(stays, STAYS)
        elif len(made) == 1:
            self._refuse(made, BRINGS if faults else ADDS.format(rule=" and ".join(brought)))
        else:
            self._most = len(made) // 2
        return False

    def count_fixed(self, before: Sequence[Diagnostic], after: Sequence[Diagnostic]) -> None:
        """Count the findings that a fix was announced for and that are gone, whatever came up and was fixed then."""
        announced = Counter(_finding_key(diagnostic) for diagnostic in before if self._is_fixable(diagnostic))
        remaining = announced & Counter(map(_finding_key, after))
        self.fixed = announced.total() - remaining.total()

    def _is_fixable(self, diagnostic: Diagnostic) -> bool:
        return diagnostic.fix is not None and (diagnostic.fix.safe or self._unsafe)

    def _refuse(self, diagnostics: Sequence[Diagnostic], reason: str) -> None:
        for diagnostic in diagnostics:
            self._refused[_finding_key(diagnostic)] = reason


def _finding_key(diagnostic: Diagnostic) -> FindingKey:
    return (
        diagnostic.rule,
        diagnostic.message,
        diagnostic.document,
        diagnostic.pointer,
        diagnostic.fix.title if diagnostic.fix else "",
    )


def _count(diagnostics: Sequence[Diagnostic], rules: Sequence[str]) -> Counter[str]:
    return Counter(diagnostic.rule for diagnostic in diagnostics if diagnostic.rule in rules)


LEFT_WITHOUT_WORK = ("unused-suppression",)
"""A suppression of a finding that a fix has removed; its own fix is applied in the next round."""


def rules_with_new_findings(
    made: Sequence[Diagnostic], before: Sequence[Diagnostic], after: Sequence[Diagnostic]
) -> Sequence[str]:
    """The rules with more findings after some fixes than before; none if one of the fixes is unsafe.

    A value with an error was not checked further, nor with what is around it, so a warning or note that appears in the
    document once the error is fixed is not new.
    """
    if not all(diagnostic.fix and diagnostic.fix.safe for diagnostic in made):
        return ()
    unread = {diagnostic.document for diagnostic in made if diagnostic.severity is Severity.ERROR}
    counted = Counter(diagnostic.rule for diagnostic in before)
    counted.subtract(
        diagnostic.rule
        for diagnostic in after
        if diagnostic.severity is Severity.ERROR or diagnostic.document not in unread
    )
    return sorted(rule for rule, left in counted.items() if left < 0 and rule not in LEFT_WITHOUT_WORK)


FindingText = tuple[str, str]


def still_reported(
    made: Sequence[Diagnostic],
    diagnostics: Sequence[Diagnostic],
    now: Sequence[Diagnostic],
    *,
    before: Source,
    after: Source,
) -> list[Diagnostic]:
    """Those of `made` that remain after their fixes: there are as many as before, and one is at the fixed location.

    Another mistake of the same kind at the location is another finding, with another message.
    """
    earlier, mended, later = (Counter(map(_finding_text, subset)) for subset in (diagnostics, made, now))
    suspects = [
        diagnostic
        for diagnostic in made
        if later[_finding_text(diagnostic)] > earlier[_finding_text(diagnostic)] - mended[_finding_text(diagnostic)]
    ]
    if not suspects:
        return []
    starts = {(_finding_text(diagnostic), after.offset(diagnostic.range.start)) for diagnostic in now}
    moves = _offset_shifts(made, before)
    return [
        suspect
        for suspect in suspects
        if any(
            said == _finding_text(suspect) and start in _shift_span(suspect, before, moves) for said, start in starts
        )
    ]


def _finding_text(diagnostic: Diagnostic) -> FindingText:
    return diagnostic.rule, diagnostic.message


def _offset_shifts(made: Sequence[Diagnostic], before: Source) -> list[tuple[Span, int]]:
    """The spans of all applied edits, each with the shift of the text after it."""
    moves: list[tuple[Span, int]] = []
    for edit in (edit for diagnostic in made if diagnostic.fix for edit in diagnostic.fix.edits):
        span = Span(before.offset(edit.range.start), before.offset(edit.range.end))
        moves.append((span, len(edit.text) - (span.end - span.start)))
    return moves


def _shift_span(diagnostic: Diagnostic, before: Source, moves: Sequence[tuple[Span, int]]) -> range:
    """The offsets, after the edits, of the text that replaces a finding."""
    start, end = before.offset(diagnostic.range.start), before.offset(diagnostic.range.end)
    first = start + sum(by for span, by in moves if span.end <= start and span.start < start)
    last = end + sum(by for span, by in moves if span.start <= end)
    return range(first, max(first, last) + 1)


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
    result = rounds.run(found)
    remaining = [rounds.without_rejected_fix(diagnostic) for diagnostic in result.diagnostics]
    before, after = by_path(found.diagnostics), by_path(result.diagnostics)
    for path, file in rounds.files.items():
        file.count_fixed(before.get(path, ()), after.get(path, ()))
    changed = [file for _, file in sorted(rounds.files.items()) if file.source.text != file.before.text]
    return FixResult(found, tuple(changed), replace(result, diagnostics=remaining))


class _Rounds:
    def __init__(self, check: Check, bytes_of: Callable[[str], bytes | None], unsafe: bool) -> None:
        self.files: dict[str, FixedFile] = {}
        self._check = check
        self._bytes_of = bytes_of
        self._unsafe = unsafe

    def run(self, result: CheckResult) -> CheckResult:
        """Run all rounds; returns the final result."""
        for _ in range(MAX_ROUNDS):
            if self._add_files(result.diagnostics):
                result = self._check(self._bytes())
            found = by_path(result.diagnostics)
            tried = [file for path, file in self.files.items() if file.attempt(found.get(path, ()))]
            if not tried:
                return result
            result = self._check(self._bytes())
            found = by_path(result.diagnostics)
            undone = [file for file in tried if not file.accept(found.get(file.path, ()))]
            if undone:
                result = self._check(self._bytes())
        return result

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
        return diagnostic._replace(fix=None, refusal=file.reason_not_fixed(diagnostic) or STILL_GOING)
