"""The step `write`: values are written directly into a view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.direct_write import extended, has_source, write_directly
from trialrun.runtime.feature_view.store.interface import Write
from trialrun.runtime.scenario.column_types import inferred, misfit, read
from trialrun.runtime.scenario.environment import short, subject
from trialrun.runtime.scenario.events import CannotPlay, Done, Event, Unmet
from trialrun.runtime.scenario.expected_values import (
    REFUSALS,
    compared,
    features,
    find_features,
    id_of,
    layout_of,
    not_refused,
    refused,
)
from trialrun.runtime.scenario.format import id_text, moment, value_text, values_text

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.scenario import ExpectedWrite, WriteStep
    from trialrun.runtime.declaration import Declared
    from trialrun.runtime.feature_view.store.interface import EntityId, Layout
    from trialrun.runtime.scenario.environment import Stage


def play(step: WriteStep, stage: Stage) -> Iterator[Event]:
    """Write the values of a step; each is served unless a newer one is."""
    view = stage.view(step, step.view)
    stage.seen.touch("views", subject(view))
    told = f"{stage.now()} write {short(view)}"
    try:
        layout = layout_of(view, stage) if has_source(view.node) else _wider_layout(step, view, stage)
        mistakes = list(features(step, "values", step.values, layout, view, stage))
        if mistakes:
            yield from mistakes
            return
        id = id_of(layout, step, "id")
        writes = _writes(step, id, layout, stage)
        kept = _put(view, layout, writes, stage)
    except REFUSALS as error:
        yield Done(f"{told}: refused: {error}")
        yield from refused(step, step.expect, error)
        return
    stale = [one.feature for one, is_served in zip(writes, kept, strict=True) if not is_served]
    yield Done(f"{told}: {id_text(id)} {values_text(step.values or {})}{_stale(stale)}")
    yield from not_refused(step.expect, f"{id_text(id)} was written")
    if step.expect:
        yield from _compared(step.expect, stale)
        yield from compared(step.expect.served, view, stage)


def _wider_layout(step: WriteStep, view: Declared[FeatureView], stage: Stage) -> Layout:
    """The columns of a view without a source, with those that the step brings, typed as its values are written."""
    snapshot = stage.store(view).snapshot(view.node.name or "")
    parts = len(step.id) if isinstance(step.id, list) else 1
    try:
        columns = [inferred(name, [value]) for name, value in (step.values or {}).items()]
    except ValueError as error:
        raise CannotPlay(step.at("values"), str(error)) from error
    return extended(snapshot.layout if snapshot else None, parts, columns)


def _put(view: Declared[FeatureView], layout: Layout, writes: list[Write], stage: Stage) -> list[bool]:
    name, now = view.node.name or "", stage.clock.now()
    if has_source(view.node):
        return stage.store(view).write(name, writes, now=now)
    kept = write_directly(stage.store(view), name, layout, writes, now=now)
    find_features(view, layout, stage)
    return kept


def _writes(step: WriteStep, id: EntityId, layout: Layout, stage: Stage) -> list[Write]:
    at = moment(step.timestamp) if step.timestamp else stage.clock.now()
    return [Write(id, name, _value(step, name, value, layout), at) for name, value in (step.values or {}).items()]


def _value(step: WriteStep, name: str, value: Any, layout: Layout) -> Any:
    column = next(one for one in layout.features if one.name == name)
    if wanted := misfit(value, column):
        message = f'"{name}" is {column.shown}, and {value_text(value)} is none; write {wanted}'
        raise CannotPlay(step.at("values", name), message)
    return read(value, column)


def _compared(expect: ExpectedWrite, stale: list[str]) -> Iterator[Event]:
    if expect.stale is None:
        return
    for index, name in enumerate(expect.stale):
        if name not in stale:
            yield Unmet(expect.at("stale", index), f"a newer value of {name} to stay", "the written value is served")
    further = [name for name in stale if name not in expect.stale]
    if further:
        yield Unmet(expect.at("stale"), "no newer values but those named", f"newer values of {', '.join(further)}")


def _stale(names: list[str]) -> str:
    return f"; newer values of {', '.join(names)} stay" if names else ""
