"""The step `sync`: a view is synced, and its counts, its data findings and what it serves are compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.runtime.feature_view.sync import SyncReport, sync
from trialrun.runtime.scenario.environment import short, subject
from trialrun.runtime.scenario.events import Done, Event, Unmet
from trialrun.runtime.scenario.expected_values import REFUSALS, compared, find_features, not_refused, refused

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import ExpectedSync, SyncStep
    from trialrun.runtime.declaration import Declared
    from trialrun.runtime.scenario.environment import Stage

COUNTS = {
    "rowsRead": ("read", "row read", "rows read"),
    "entities": ("entities", "entity served", "entities served"),
    "new": ("new", "new", "new"),
    "changed": ("changed", "changed", "changed"),
    "unchanged": ("unchanged", "unchanged", "unchanged"),
    "vanished": ("vanished", "vanished", "vanished"),
}
"""The counts that can be expected: the runtime's name of each, and its words for one and for several."""


def play(step: SyncStep, stage: Stage) -> Iterator[Event]:
    """Sync a view at the time of the clock."""
    view = stage.view(step, step.view)
    try:
        report = made(view, stage)
    except REFUSALS as error:
        yield Done(f"{stage.now()} sync {short(view)}: refused: {error}")
        yield from refused(step, step.expect, error)
        return
    yield Done(f"{stage.now()} sync {short(view)}: {told(report)}")
    yield from not_refused(step.expect, told(report))
    if step.expect:
        yield from _counts(step.expect, report)
        yield from _findings(step.expect, report)
        yield from compared(step.expect.served, view, stage)


def made(view: Declared[FeatureView], stage: Stage) -> SyncReport:
    """The report of a sync that is made now; it raises one of REFUSALS."""
    stage.seen.touch("views", subject(view))
    report = sync(
        view,
        stage.catalog,
        stage.store(view),
        clock=stage.clock,
        options=stage.options,
        before_serving=stage.indexes.before_serving(view),
    )
    find_features(view, report.plan.layout, stage)
    return report


def told(report: SyncReport) -> str:
    """What a sync did, in words for the trace."""
    counts = [_words(name, report) for name in COUNTS if name in ("rowsRead", "entities") or _count(name, report)]
    found = [f"{one.code}: {one.message}" for one in report.findings]
    return "; ".join([", ".join(counts), *found])


def _count(name: str, report: SyncReport) -> int:
    number: int = getattr(report.counts, COUNTS[name][0])
    return number


def _words(name: str, report: SyncReport) -> str:
    number = _count(name, report)
    return f"{number} {COUNTS[name][1 if number == 1 else 2]}"


def _counts(expect: ExpectedSync, report: SyncReport) -> Iterator[Event]:
    for name, (_, one, several) in COUNTS.items():
        expected = getattr(expect, name)
        if expected is not None and expected != _count(name, report):
            yield Unmet(expect.at(name), f"{expected} {one if expected == 1 else several}", _words(name, report))


def _findings(expect: ExpectedSync, report: SyncReport) -> Iterator[Event]:
    """Every code that is expected must be found, and none else."""
    if expect.findings is None:
        return
    codes = [one.code for one in report.findings]
    for index, code in enumerate(expect.findings):
        if code not in codes:
            got = ", ".join(dict.fromkeys(codes)) or "no data finding"
            yield Unmet(expect.at("findings", index), f'the data finding "{code}"', got)
    for one in report.findings:
        if one.code not in expect.findings:
            expected = "no data finding" if not expect.findings else f'no data finding "{one.code}"'
            shown = f" ({', '.join(one.examples)})" if one.examples else ""
            yield Unmet(expect.at("findings"), expected, f"{one.code}: {one.message}{shown}")
