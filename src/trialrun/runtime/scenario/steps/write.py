"""The step `write`: writes values directly into a view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.direct_write import extend_layout, has_source, write_with_new_features
from trialrun.runtime.feature_view.store.interface import DirectWrite
from trialrun.runtime.scenario.environment import (
    Event,
    ScenarioError,
    StepDone,
    UnmetExpectation,
    view_id,
    view_target_name,
)
from trialrun.runtime.scenario.expected_values import (
    REFUSALS,
    add_feature_targets,
    check_no_refusal,
    check_refusal,
    compare_served,
    read_entity_id,
    record_features,
    served_layout,
)
from trialrun.runtime.scenario.format import format_id, format_value, format_values, parse_time
from trialrun.runtime.scenario.given import convert_value, describe_misfit, infer_column

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import ExpectedWrite, WriteStep
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout
    from trialrun.runtime.scenario.environment import Environment


def play(step: WriteStep, environment: Environment) -> Iterator[Event]:
    """Write the values of a step; each is served unless a newer one is."""
    view = environment.view(step, step.view)
    environment.recorder.record("views", view_target_name(view))
    intro = f"{environment.now()} write {view_id(view)}"
    try:
        layout = (
            served_layout(view, environment) if has_source(view.node) else _extended_layout(step, view, environment)
        )
        mistakes = list(record_features(step, "values", step.values, layout, view, environment))
        if mistakes:
            yield from mistakes
            return
        id = read_entity_id(layout, step, "id")
        writes = _build_writes(step, id, layout, environment)
        are_served = _write_values(view, layout, writes, environment)
    except REFUSALS as error:
        yield StepDone(f"{intro}: refused: {error}")
        yield from check_refusal(step, step.expect, error)
        return
    stale = [write.feature for write, is_served in zip(writes, are_served, strict=True) if not is_served]
    yield StepDone(f"{intro}: {format_id(id)} {format_values(step.values or {})}{_stale_text(stale)}")
    yield from check_no_refusal(step.expect, f"{format_id(id)} was written")
    if step.expect:
        yield from _compare_stale(step.expect, stale)
        yield from compare_served(step.expect.served, view, environment)


def _extended_layout(step: WriteStep, view: DeclaredResource[FeatureView], environment: Environment) -> RowLayout:
    """The columns of a view without a source, with those that the step brings, typed as its values are written."""
    snapshot = environment.trial.snapshot(view)
    parts = len(step.id) if isinstance(step.id, list) else 1
    try:
        columns = [infer_column(name, [value]) for name, value in (step.values or {}).items()]
    except ValueError as error:
        raise ScenarioError(step.location("values"), str(error)) from error
    return extend_layout(snapshot.layout if snapshot else None, parts, columns)


def _write_values(
    view: DeclaredResource[FeatureView], layout: RowLayout, writes: list[DirectWrite], environment: Environment
) -> list[bool]:
    name, now = view.node.name or "", environment.clock.now()
    if has_source(view.node):
        return environment.trial.store(view).write(name, writes, now=now)
    are_served = write_with_new_features(environment.trial.store(view), name, layout, writes, now=now)
    add_feature_targets(view, layout, environment)
    return are_served


def _build_writes(step: WriteStep, id: EntityId, layout: RowLayout, environment: Environment) -> list[DirectWrite]:
    timestamp = parse_time(step.timestamp) if step.timestamp else environment.clock.now()
    return [
        DirectWrite(id, name, _convert_value(step, name, value, layout), timestamp)
        for name, value in (step.values or {}).items()
    ]


def _convert_value(step: WriteStep, name: str, value: Any, layout: RowLayout) -> Any:
    column = next(feature for feature in layout.features if feature.name == name)
    if expected := describe_misfit(value, column):
        message = f'"{name}" is {column.type_text}, and {format_value(value)} is none; write {expected}'
        raise ScenarioError(step.location("values", name), message)
    return convert_value(value, column)


def _compare_stale(expect: ExpectedWrite, stale: list[str]) -> Iterator[Event]:
    if expect.stale is None:
        return
    for index, name in enumerate(expect.stale):
        if name not in stale:
            yield UnmetExpectation(
                expect.location("stale", index), f"a newer value of {name} to stay", "the written value is served"
            )
    unexpected = [name for name in stale if name not in expect.stale]
    if unexpected:
        yield UnmetExpectation(
            expect.location("stale"), "no newer values but those named", f"newer values of {', '.join(unexpected)}"
        )


def _stale_text(names: list[str]) -> str:
    return f"; newer values of {', '.join(names)} stay" if names else ""
