"""Whether safe fixes bring findings of other rules, which they must not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from trialrun.diagnostic import Diagnostic, Severity

LEFT_WITHOUT_WORK = ("unused-suppression",)
"""A suppression of what a fix has mended; its own fix is made in the next round."""

Location = tuple[int, str]
"""A document and a JSON Pointer."""


def rules_with_new_findings(
    made: Sequence[Diagnostic], before: Sequence[Diagnostic], after: Sequence[Diagnostic]
) -> Sequence[str]:
    """The rules that find more after some fixes than before them; none where one of the fixes is unsafe anyway.

    A value that was an error was not looked at further: a warning that it gets once it can be read was there before.
    """
    if not all(diagnostic.fix and diagnostic.fix.safe for diagnostic in made):
        return ()
    unread = {(diagnostic.document, diagnostic.pointer) for diagnostic in made if diagnostic.severity is Severity.ERROR}
    counted = Counter(diagnostic.rule for diagnostic in before)
    counted.subtract(diagnostic.rule for diagnostic in after if not _was_hidden(diagnostic, unread))
    return sorted(rule for rule, left in counted.items() if left < 0 and rule not in LEFT_WITHOUT_WORK)


def _was_hidden(one: Diagnostic, unread: Collection[Location]) -> bool:
    """Whether a warning or a note speaks of a value that an error kept from being looked at, or of a part of it."""
    if one.severity is Severity.ERROR or not unread:
        return False
    steps = one.pointer.split("/")
    return any((one.document, "/".join(steps[:length])) in unread for length in range(1, len(steps) + 1))
