"""Timestamp that is not a valid RFC 3339 time.

A time without an offset means a different instant in every zone. Lower-case letters, a space for the T, a tenth
fractional digit and a sixtieth second are valid in RFC 3339, and refused by ProtoJSON readers. Times of output-only
fields are checked only when `output-only-field` is off, whose fix removes them.

Specification: feature-view and channel-config, section 2: "Timestamp format: RFC 3339. Generated output is Z-normalized
with 0, 3, 6 or 9 fractional digits. Offsets other than Z are accepted on input."

Good, as WaitStep:

    until: "2026-03-01T10:30:00.123456789+01:00"

Bad, as WaitStep:

    until: "2026-03-01t09:30:00z"  # <- refused by ProtoJSON readers; write 2026-03-01T09:30:00Z

Fixed, as WaitStep:

    until: "2026-03-01T09:30:00Z"

Bad, as WaitStep:

    until: "2026-03-01 10:30:00+01:00"  # <- write 2026-03-01T09:30:00Z

Bad, as WaitStep:

    until: "2026-03-01T09:30:00"  # <- no offset from UTC; add Z, or an offset such as +02:00

Bad, as WaitStep:

    until: "2026-02-30T09:30:60Z"  # <- day 30; that month has 28 days; also second 60; leap seconds are valid

Bad:

    kind: Scenario
    name: The profile is synced at noon
    clock: 2026-03-01  # <- this is a date
    steps:
      - schedule: {view: guests, expect: {runs: [2026-03-01T12:00]}}  # <- no offset from UTC

Bad:

    kind: Scenario
    name: The profile is synced at noon
    clock: "2026-03-02T12:00:00Z"
    steps:
      - clock: "2026-03-01T12:00:00Z"  # <- the clock goes back, from 2026-03-02T12:00:00Z
        schedule: {view: guests, expect: {runs: []}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Fix, Replace, Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.node import texts_of_format
from trialrun.values.timestamp import canonical_form, parse
from trialrun.values.timestamp import check as problems

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.model.scenario import Scenario


@rule("timestamp", severity=Severity.ERROR)
def check(node: Node) -> Findings:
    """Flag the text with every reason why it is not a time; where the intended time is clear, suggest it."""
    for steps, text in texts_of_format(node, "timestamp"):
        yield from _findings(node, *steps, text=text)


@rule("Scenario", severity=Severity.ERROR)
def order(scenario: Scenario) -> Findings:
    """Flag the clock of a step that is before that of an earlier one."""
    now = scenario.clock
    for step in scenario.steps or ():
        if step.clock is None or problems(step.clock):
            continue
        if now is not None and not problems(now) and parse(step.clock) < parse(now):
            yield step.finding("clock", f"the clock goes back, from {now}; order the steps by their time")
        now = step.clock


def _findings(node: Node, *steps: str | int, text: str) -> Findings:
    if text_problems := problems(text):
        canonical = canonical_form(text)
        fix = Fix(f"write {canonical}", (Replace(node.location(*steps), canonical),), safe=True) if canonical else None
        yield node.finding(steps, "; also ".join(problem.message for problem in text_problems), fix=fix)
