"""The steps on views: `sync`, `fetch`, `search`, `write`, `schedule` and `wait`, each with what is expected of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

from trialrun.errors import StoreError
from trialrun.model import scenario as model
from trialrun.model.feature_view import FeatureView
from trialrun.model.node import Node
from trialrun.runtime.declaration import DeclaredResource
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import (
    explain_no_values,
    extend_layout,
    has_source,
    write_with_new_features,
)
from trialrun.runtime.feature_view.index.interface import NotSearchable, NumericFilter, SearchRequest, StringFilter
from trialrun.runtime.feature_view.schedule import (
    Continuous,
    CronSchedule,
    Scheduler,
    SyncSchedule,
    next_runs,
    schedule_of,
)
from trialrun.runtime.feature_view.search import SearchHit, SearchResult
from trialrun.runtime.feature_view.store.interface import (
    DirectWrite,
    EntityId,
    InvalidEntityId,
    InvalidWrite,
    NeverSynced,
    RowLayout,
    ServedEntity,
    SyncRunning,
    entity_id_from_parts,
)
from trialrun.runtime.feature_view.sync import SyncReport
from trialrun.runtime.scenario.coverage import view_key
from trialrun.runtime.scenario.environment import (
    Environment,
    Event,
    Events,
    Mismatch,
    ScenarioError,
    compare_refusal,
    format_value,
    matches_expected,
    parse_time,
    until_mistake,
)
from trialrun.runtime.scenario.given import convert_value, describe_misfit, infer_column
from trialrun.values.resource_name import last_id
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    View = DeclaredResource[FeatureView]
    Valued = model.ExpectedEntity | model.ExpectedNeighbor | model.WriteStep
    Outcome = tuple[str, str, Iterable[Event]]

REFUSALS = (CannotSync, StoreError, InvalidWrite, NeverSynced, NotSearchable, SyncRunning)
"""What the runtime raises where it refuses what it is asked for; the message is for the user."""
COUNTS = {
    "rowsRead": ("read", "row read", "rows read"),
    "entities": ("entities", "entity served", "entities served"),
    **{name: (name, name, name) for name in ("new", "changed", "unchanged", "vanished")},
}
"""The counts that can be expected: the runtime's name of each, and its words for one and for several."""
DISTANCE_TOLERANCE = 0.000001
"""How far a distance may be from the one expected: vectors are single precision numbers."""


def play(kind: str, step: Any, environment: Environment) -> Events:
    """Sync, fetch, search or write a view at the time of the clock; the runtime may refuse it."""
    view = environment.view(step, step.view)
    environment.recorder.record("views", view_key(view))
    intro = f"{environment.now()} {kind} {_view_id(view)}"
    try:
        done, got, differences = PLAYERS[kind](step, view, environment)
    except REFUSALS as error:
        yield f"{intro}: refused: {error}"
        yield from compare_refusal(step.expect, Node.location, step.location(), error)
        return
    yield f"{intro}: {done}"
    yield from compare_refusal(step.expect, Node.location, step.location(), None, got)
    yield from differences


def _sync(step: model.SyncStep, view: View, environment: Environment) -> Outcome:
    report = _run_sync(view, environment)
    text = _format_report(report)
    return text, text, _compare_sync(step.expect, report, view, environment) if step.expect else ()


def _run_sync(view: View, environment: Environment) -> SyncReport:
    environment.recorder.record("views", view_key(view))
    report = environment.trial.sync(view)
    environment.recorder.add_features(view, [column.name for column in report.plan.layout.features])
    return report


def _format_report(report: SyncReport) -> str:
    counts = (_count_text(name, n) for name, n in _counts(report).items() if n or name in ("rowsRead", "entities"))
    return "; ".join([", ".join(counts), *(f"{finding.code}: {finding.message}" for finding in report.findings)])


def _counts(report: SyncReport) -> dict[str, int]:
    return {name: getattr(report.counts, counted) for name, (counted, _, _) in COUNTS.items()}


def _count_text(name: str, number: int) -> str:
    return f"{number} {COUNTS[name][1 if number == 1 else 2]}"


def _compare_sync(expect: model.ExpectedSync, report: SyncReport, view: View, environment: Environment) -> Events:
    for name, number in _counts(report).items():
        expected = getattr(expect, name)
        if expected is not None and expected != number:
            yield Mismatch(expect.location(name), _count_text(name, expected), _count_text(name, number))
    codes = [finding.code for finding in report.findings]
    for index, code in enumerate(expect.findings or ()):
        if code not in codes:
            got = ", ".join(dict.fromkeys(codes)) or "no data finding"
            yield Mismatch(expect.location("findings", index), f'the data finding "{code}"', got)
    for finding in report.findings if expect.findings is not None else ():
        if finding.code not in (expect.findings or ()):
            unexpected = f'no data finding "{finding.code}"' if expect.findings else "no data finding"
            examples = f" ({', '.join(finding.examples)})" if finding.examples else ""
            got = f"{finding.code}: {finding.message}{examples}"
            yield Mismatch(expect.location("findings"), unexpected, got)
    if expect.served:
        yield from _compare_served(expect.served, view, environment)[1]


def _fetch(step: model.FetchStep, view: View, environment: Environment) -> Outcome:
    text, differences = _compare_served((step.expect and step.expect.served) or (), view, environment)
    return text or "nothing asked for", text or "it is served", differences


def _compare_served(
    expected: Sequence[model.ExpectedEntity], view: View, environment: Environment
) -> tuple[str, list[Mismatch]]:
    layout = _served_layout(view, environment)
    entities: list[tuple[model.ExpectedEntity, EntityId]] = []
    texts: list[str] = []
    differences: list[Mismatch] = []
    for entity in expected:
        try:
            entities.append((entity, _read_entity_id(layout, entity, "id")))
        except ScenarioError as error:
            differences += error.mistakes
    rows = environment.trial.fetch(view, [id for _, id in entities])
    for (entity, id), served in zip(entities, rows, strict=True):
        texts.append(f"{_format_id(id)} {_format_values(served.values) if served else 'is not served'}")
        differences += _compare_entity(entity, _format_id(id), served)
        differences += _record_features(entity, layout, view, environment)
    return "; ".join(texts), differences


def _served_layout(view: View, environment: Environment) -> RowLayout:
    snapshot = environment.trial.snapshot(view)
    if snapshot is None:
        raise NeverSynced(explain_no_values(view.node, f'"{view.node.name}"'))
    return snapshot.layout


def _read_entity_id(layout: RowLayout, node: Node, field: str) -> EntityId:
    value = getattr(node, field)
    try:
        return entity_id_from_parts(value if isinstance(value, list) else [value], layout.keys)
    except InvalidEntityId as error:
        raise ScenarioError(node.location(field), str(error)) from error


def _compare_entity(expected: model.ExpectedEntity, id_text: str, served: ServedEntity | None) -> Iterator[Mismatch]:
    if expected.missing:
        if served is not None:
            wanted = f"nothing to be served for {id_text}"
            yield Mismatch(expected.location("missing"), wanted, _format_values(served.values))
        return
    if served is None:
        yield Mismatch(expected.location("id"), f"{id_text} to be served", "nothing")
        return
    yield from _compare_values(expected, served.values, expected.tolerance or 0)
    further = {name: value for name, value in served.values.items() if name not in (expected.values or {})}
    if expected.exactly and further:
        got = f"also {_format_values(further)}"
        yield Mismatch(expected.location("exactly"), "no features but those named", got)
    if expected.timestamp is not None:
        with suppress(ValueError):
            if served.timestamp is not None and parse_time(expected.timestamp) == served.timestamp:
                return
        got = format_timestamp(served.timestamp) if served.timestamp else "no timestamp"
        yield Mismatch(expected.location("timestamp"), expected.timestamp, got)


def _compare_values(expected: Valued, got: Mapping[str, object], tolerance: float) -> Iterator[Mismatch]:
    """Each value that is not the expected one; a value without a feature of the view is reported elsewhere."""
    for name, value in (expected.values or {}).items():
        if name in got and not matches_expected(got[name], value, tolerance=tolerance):
            is_near = tolerance and isinstance(value, (int, float))
            wanted = f"{format_value(value)}{f' within {_format_number(tolerance)}' if is_near else ''}"
            yield Mismatch(expected.location("values", name), wanted, format_value(got[name]))


def _record_features(node: Valued, layout: RowLayout, view: View, environment: Environment) -> Iterator[Mismatch]:
    """Note the features that the values of a message are of; one that the view has not is a mistake."""
    feature_names = [column.name for column in layout.features]
    for name in node.values or ():
        if name in feature_names:
            environment.recorder.record("features", view_key(view, name))
        else:
            message = f'the view has no feature "{name}"{did_you_mean(name, feature_names)}'
            yield Mismatch(node.location("values", name), None, message)


def _search(step: model.SearchStep, view: View, environment: Environment) -> Outcome:
    strings, numbers = step.stringFilters or (), step.numericFilters or ()
    environment.recorder.record("filterColumns", *(view_key(view, one.column or "") for one in (*strings, *numbers)))
    index = view.node.indexConfig or view.node.vectorSearchConfig
    if step.perCrowdingAttribute and index and index.crowdingColumn:
        environment.recorder.record("crowdingColumns", view_key(view, index.crowdingColumn))
    layout, expect = _served_layout(view, environment), step.expect
    request = SearchRequest(
        vector=step.vector,
        entity=None if step.vector is not None else _read_entity_id(layout, step, "entity"),
        count=step.count or SearchRequest.count,
        strings=tuple(StringFilter(one.column or "", tuple(one.allow or ()), tuple(one.deny or ())) for one in strings),
        numbers=tuple(NumericFilter(one.column or "", one.operator or "EQUAL", one.value or 0) for one in numbers),
        per_crowding_attribute=step.perCrowdingAttribute,
        returns_values=any(neighbor.values for neighbor in (expect and expect.neighbors) or ()),
        measures_recall=expect is not None and expect.recall is not None,
    )
    result = environment.trial.search(view, request)
    recall_text = "" if result.recall is None else f"; recall {result.recall:g}"
    text = (_format_neighbors(result.neighbors) or "no neighbor") + recall_text
    return text, text, _compare_result(expect, result, layout, view, environment) if expect else ()


def _compare_result(
    expect: model.ExpectedSearch, result: SearchResult, layout: RowLayout, view: View, environment: Environment
) -> Events:
    if expect.neighbors is not None:
        tolerance = DISTANCE_TOLERANCE if expect.tolerance is None else expect.tolerance
        for expected, got in zip_longest(expect.neighbors, result.neighbors[: len(expect.neighbors)]):
            yield from until_mistake(_compare_neighbor(expected, got, layout, tolerance))
            yield from _record_features(expected, layout, view, environment)
        unexpected = result.neighbors[len(expect.neighbors) :]
        if unexpected:
            nothing_else = "no neighbors but those named" if expect.neighbors else "no neighbors"
            yield Mismatch(expect.location("neighbors"), nothing_else, f"also {_format_neighbors(unexpected)}")
    yield from compare_recall(expect, result)


def _compare_neighbor(
    expected: model.ExpectedNeighbor, got: SearchHit | None, layout: RowLayout, tolerance: float
) -> Events:
    id = _read_entity_id(layout, expected, "id")
    if got is None or got.id != id:
        instead = _format_neighbors([got]) if got else "no further neighbor"
        yield Mismatch(expected.location("id"), f"{_format_id(id)} at this place", instead)
        return
    if expected.distance is not None and not matches_expected(got.distance, expected.distance, tolerance=tolerance):
        wanted = f"{_format_number(expected.distance)} within {_format_number(tolerance)}"
        yield Mismatch(expected.location("distance"), wanted, _format_number(got.distance))
    yield from _compare_values(expected, got.values or {}, tolerance)


def compare_recall(expect: model.ExpectedSearch, result: SearchResult) -> Events:
    """A mismatch where the recall of a search is below the least that is expected."""
    if expect.recall is not None and result.recall is not None and result.recall < expect.recall:
        yield Mismatch(expect.location("recall"), f"a recall of at least {expect.recall:g}", f"{result.recall:g}")


def _format_neighbors(hits: Sequence[SearchHit]) -> str:
    return ", ".join(f"{_format_id(hit.id)} at {_format_number(round(hit.distance, 6))}" for hit in hits)


def _write(step: model.WriteStep, view: View, environment: Environment) -> Outcome:
    values, reads_source = step.values or {}, has_source(view.node)
    layout = _served_layout(view, environment) if reads_source else _extended_layout(step, view, environment)
    if mistakes := list(_record_features(step, layout, view, environment)):
        raise ScenarioError.of(mistakes)
    id, now = _read_entity_id(layout, step, "id"), environment.clock.now()
    timestamp = parse_time(step.timestamp) if step.timestamp else now
    columns = {column.name: column for column in layout.features}
    for name, value in values.items():
        if expected := describe_misfit(value, columns[name]):
            message = f'"{name}" is {columns[name].type_text}, and {format_value(value)} is none; write {expected}'
            raise ScenarioError(step.location("values", name), message)
    writes = [DirectWrite(id, name, convert_value(value, columns[name]), timestamp) for name, value in values.items()]
    view_name, store = view.node.name or "", environment.trial.store(view)
    if reads_source:
        are_served = store.write(view_name, writes, now=now)
    else:
        are_served = write_with_new_features(store, view_name, layout, writes, now=now)
        environment.recorder.add_features(view, list(columns))
    stale = [name for name, is_served in zip(values, are_served, strict=True) if not is_served]
    stale_text = f"; newer values of {', '.join(stale)} stay" if stale else ""
    text = f"{_format_id(id)} {_format_values(values)}{stale_text}"
    differences = _compare_write(step.expect, stale, view, environment) if step.expect else ()
    return text, f"{_format_id(id)} was written", differences


def _extended_layout(step: model.WriteStep, view: View, environment: Environment) -> RowLayout:
    snapshot = environment.trial.snapshot(view)
    parts = len(step.id) if isinstance(step.id, list) else 1
    try:
        columns = [infer_column(name, [value]) for name, value in (step.values or {}).items()]
    except ValueError as error:
        raise ScenarioError(step.location("values"), str(error)) from error
    return extend_layout(snapshot.layout if snapshot else None, parts, columns)


def _compare_write(expect: model.ExpectedWrite, stale: Sequence[str], view: View, environment: Environment) -> Events:
    for index, name in enumerate(expect.stale or ()):
        if name not in stale:
            wanted = f"a newer value of {name} to stay"
            yield Mismatch(expect.location("stale", index), wanted, "the written value is served")
    unexpected = [name for name in stale if expect.stale is not None and name not in expect.stale]
    if unexpected:
        got = f"newer values of {', '.join(unexpected)}"
        yield Mismatch(expect.location("stale"), "no newer values but those named", got)
    if expect.served:
        yield from _compare_served(expect.served, view, environment)[1]


PLAYERS: Mapping[str, Callable[[Any, View, Environment], Outcome]] = {
    "sync": _sync,
    "fetch": _fetch,
    "search": _search,
    "write": _write,
}
"""What a step does with its view: what was done in words, what there is in place of a refusal, and what differs."""


def play_schedule(step: model.ScheduleStep, environment: Environment) -> Events:
    """Compare the next runs of a view, strictly after the clock, with those expected."""
    view = environment.view(step, step.view)
    environment.recorder.record("schedules", view_key(view))
    expected = step.expect.runs if step.expect else None
    schedule = schedule_of(view.node, environment.options)
    runs = list(islice(next_runs(schedule, after=environment.clock.now()), max(len(expected or ()), 1)))
    runs_text = _format_schedule(schedule, runs)
    yield f"{environment.now()} schedule {_view_id(view)}: {runs_text}"
    if not step.expect or expected is None:
        return
    if not expected and runs:
        yield Mismatch(step.expect.location("runs"), "no scheduled run", runs_text)
    for index, (text, got) in enumerate(zip_longest(expected, runs[: len(expected)])):
        if got is None or parse_time(text) != got:
            got_text = _format_local_time(got) if got else runs_text
            yield Mismatch(step.expect.location("runs", index), f"a run at {text}", got_text)


def _format_schedule(schedule: SyncSchedule, runs: Sequence[datetime]) -> str:
    if isinstance(schedule, CronSchedule):
        return ", ".join(map(_format_local_time, runs)) or f'"{schedule.text}" never runs'
    reason = "it is synced continuously" if isinstance(schedule, Continuous) else schedule.reason
    return f"no scheduled run; {reason}"


MAX_SYNCS = 2_000
"""Syncs of one wait, also those that are refused; more than those of a continuous view in a day."""


def play_wait(step: model.WaitStep, environment: Environment) -> Events:
    """Move the clock from run to run; a view that was not synced yet is there since the scenario began."""
    named_views = [environment.view(step, name, "views", index) for index, name in enumerate(step.views or ())]
    views = list({view.node.name: view for view in named_views}.values())
    environment.recorder.record("schedules", *map(view_key, views))
    until = parse_time(step.until or "")
    if until < environment.clock.now():
        raise ScenarioError(step.location("until"), f"it is {environment.now()} already; wait until a later time")

    def last_sync(view: View) -> datetime:
        return max(environment.trial.store(view).history(view.node.name or "").syncs, default=environment.begin)

    sync, options = partial(_run_sync, environment=environment), environment.trial.options
    scheduler = Scheduler(views, sync, environment.clock, last_sync=last_sync, options=options)
    runs: list[tuple[str, str]] = []
    refused: set[str | None] = set()
    for number, outcome in enumerate(scheduler.run_until(until)):
        view, now = outcome.view, environment.now()
        if number == MAX_SYNCS:
            raise ScenarioError(step.location("until"), f"{MAX_SYNCS:,} syncs are made before {now}; wait until then")
        if outcome.report:
            yield f"{now} scheduled sync {_view_id(view)}: {_format_report(outcome.report)}"
            runs.append((view.node.name or "", now))
            continue
        yield f"{now} scheduled sync {_view_id(view)}: refused: {outcome.reason}"
        if view.node.name not in refused:  # further ones have nothing new, and are in the trace
            yield Mismatch(step.location(), "no refusal", f"a refusal of {_view_id(view)} at {now}: {outcome.reason}")
        refused.add(view.node.name)
    yield f"{environment.now()} waited until now"
    if step.expect:
        yield from _compare_runs(step.expect, runs, environment)


def _compare_runs(expect: model.ExpectedWait, runs: Sequence[tuple[str, str]], environment: Environment) -> Events:
    if expect.syncs is None:
        return
    for expected, got in zip_longest(expect.syncs, runs[: len(expect.syncs)]):
        try:
            view = environment.view(expected, expected.view)
        except ScenarioError as error:
            yield from error.mistakes
            continue
        wanted = view.node.name or "", format_timestamp(parse_time(expected.clock or ""))
        if got != wanted:
            got_text = _format_run(got) if got else "no further sync"
            yield Mismatch(expected.location("clock"), f"{_format_run(wanted)} at this place", got_text)
    unexpected = runs[len(expect.syncs) :]
    if unexpected:
        nothing_else = "no syncs but those named" if expect.syncs else "no sync"
        yield Mismatch(expect.location("syncs"), nothing_else, f"also {', '.join(map(_format_run, unexpected))}")


def _format_run(run: tuple[str, str]) -> str:
    return f"a sync of {run[0].rpartition('/')[2]} at {run[1]}"


def _format_local_time(time: datetime) -> str:
    return time.isoformat().replace("+00:00", "Z")


def _format_values(values: Mapping[str, object]) -> str:
    return "{" + ", ".join(f"{name}: {format_value(value)}" for name, value in values.items()) + "}"


def _format_number(number: float) -> str:
    """A number in nine digits, without an exponent where it is small: `0.000001`."""
    return f"{number:.9f}".rstrip("0").rstrip(".") if 1e-9 <= abs(number) < 1 else f"{number + 0.0:.9g}"


def _format_id(parts: Sequence[object]) -> str:
    return format_value(parts[0]) if len(parts) == 1 else format_value(list(parts))


def _view_id(view: View) -> str:
    return last_id(view.node.name or "")
