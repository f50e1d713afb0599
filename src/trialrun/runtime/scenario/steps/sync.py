"""The step `sync`: syncs a view and compares counts, data findings and served values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.sync import SyncReport
from trialrun.runtime.scenario.environment import Event, StepDone, UnmetExpectation, view_id, view_target_name
from trialrun.runtime.scenario.expected_values import (
    REFUSALS,
    add_feature_targets,
    check_no_refusal,
    check_refusal,
    compare_served,
)

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import ExpectedSync, SyncStep
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.scenario.environment import Environment

COUNTS = {
    "rowsRead": ("read", "row read", "rows read"),
    "entities": ("entities", "entity served", "entities served"),
    "new": ("new", "new", "new"),
    "changed": ("changed", "changed", "changed"),
    "unchanged": ("unchanged", "unchanged", "unchanged"),
    "vanished": ("vanished", "vanished", "vanished"),
}
"""The counts that can be expected: the runtime's name of each, and its words for one and for several."""


def play(step: SyncStep, environment: Environment) -> Iterator[Event]:
    """Sync a view at the time of the clock."""
    view = environment.view(step, step.view)
    try:
        report = run_sync(view, environment)
    except REFUSALS as error:
        yield StepDone(f"{environment.now()} sync {view_id(view)}: refused: {error}")
        yield from check_refusal(step, step.expect, error)
        return
    yield StepDone(f"{environment.now()} sync {view_id(view)}: {format_report(report)}")
    yield from check_no_refusal(step.expect, format_report(report))
    if step.expect:
        yield from _compare_counts(step.expect, report)
        yield from _compare_findings(step.expect, report)
        yield from compare_served(step.expect.served, view, environment)


def run_sync(view: DeclaredResource[FeatureView], environment: Environment) -> SyncReport:
    """The report of a sync that is made now; it raises one of REFUSALS."""
    environment.recorder.record("views", view_target_name(view))
    report = environment.trial.sync(view)
    add_feature_targets(view, report.plan.layout, environment)
    return report


def format_report(report: SyncReport) -> str:
    """What a sync did, in words for the trace."""
    counts = [_count_text(name, report) for name in COUNTS if name in ("rowsRead", "entities") or _count(name, report)]
    findings = [f"{finding.code}: {finding.message}" for finding in report.findings]
    return "; ".join([", ".join(counts), *findings])


def _count(name: str, report: SyncReport) -> int:
    number: int = getattr(report.counts, COUNTS[name][0])
    return number


def _count_text(name: str, report: SyncReport) -> str:
    number = _count(name, report)
    return f"{number} {COUNTS[name][1 if number == 1 else 2]}"


def _compare_counts(expect: ExpectedSync, report: SyncReport) -> Iterator[Event]:
    for name, (_, singular, plural) in COUNTS.items():
        expected = getattr(expect, name)
        if expected is not None and expected != _count(name, report):
            yield UnmetExpectation(
                expect.location(name), f"{expected} {singular if expected == 1 else plural}", _count_text(name, report)
            )


def _compare_findings(expect: ExpectedSync, report: SyncReport) -> Iterator[Event]:
    """Every code that is expected must be found, and none else."""
    if expect.findings is None:
        return
    codes = [finding.code for finding in report.findings]
    for index, code in enumerate(expect.findings):
        if code not in codes:
            got = ", ".join(dict.fromkeys(codes)) or "no data finding"
            yield UnmetExpectation(expect.location("findings", index), f'the data finding "{code}"', got)
    for finding in report.findings:
        if finding.code not in expect.findings:
            expected = "no data finding" if not expect.findings else f'no data finding "{finding.code}"'
            examples = f" ({', '.join(finding.examples)})" if finding.examples else ""
            yield UnmetExpectation(
                expect.location("findings"), expected, f"{finding.code}: {finding.message}{examples}"
            )
