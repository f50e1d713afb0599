"""What every step that stores or serves shares: what is served against what is expected, and refusals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Place
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import nothing_served
from trialrun.runtime.feature_view.entity_id import BadId, entity_id
from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.store.interface import CannotStore, CannotWrite, NeverSynced, SyncRunning
from trialrun.runtime.scenario.compare import is_as_expected
from trialrun.runtime.scenario.coverage_recorder import Subject
from trialrun.runtime.scenario.environment import subject
from trialrun.runtime.scenario.events import CannotPlay, Event, Mistake, Unmet
from trialrun.runtime.scenario.format import (
    did_you_mean,
    id_text,
    moment,
    moment_text,
    number_text,
    value_text,
    values_text,
)

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node
    from trialrun.model.scenario import ExpectedEntity
    from trialrun.runtime.declaration import Declared
    from trialrun.runtime.feature_view.store.interface import EntityId, Layout, Served
    from trialrun.runtime.scenario.environment import Stage

REFUSALS = (CannotSync, CannotStore, CannotWrite, NeverSynced, NotSearchable, SyncRunning)
"""What the runtime raises where it refuses what it is asked for; the message is for the user."""


def refused(step: Node, expect: Any, error: Exception) -> Iterator[Event]:
    """What a refusal is to a step: expected, expected in other words, or a failure."""
    expected = expect.refused if expect else None
    if expected is None:
        yield Unmet(Place(step), "no refusal", f"a refusal: {error}")
    elif expected not in str(error):
        yield Unmet(Place(expect, ("refused",)), f'a refusal with "{expected}"', f"a refusal: {error}")


def not_refused(expect: Any, got: str) -> Iterator[Event]:
    """A failure where a refusal was expected."""
    if expect and expect.refused is not None:
        yield Unmet(Place(expect, ("refused",)), f'a refusal with "{expect.refused}"', got)


def layout_of(view: Declared[FeatureView], stage: Stage) -> Layout:
    """What is served for a view looks like this. Raises NeverSynced."""
    snapshot = stage.store(view).snapshot(view.node.name or "")
    if snapshot is None:
        raise NeverSynced(nothing_served(view.node, f'"{view.node.name}"'))
    return snapshot.layout


def id_of(layout: Layout, node: Node, field: str) -> EntityId:
    """The entity id that a field has. Raises CannotPlay."""
    written = getattr(node, field)
    try:
        return entity_id(written if isinstance(written, list) else [written], layout.keys)
    except BadId as error:
        raise CannotPlay(Place(node, (field,)), str(error)) from error


def served(
    expected: Sequence[ExpectedEntity], view: Declared[FeatureView], stage: Stage
) -> tuple[list[tuple[ExpectedEntity, EntityId, Served | None]], list[Event]]:
    """The expected entities with what is served for each, and what is wrong with the ids of others.

    Raises NeverSynced.
    """
    layout = layout_of(view, stage)
    asked: list[tuple[ExpectedEntity, EntityId]] = []
    mistakes: list[Event] = []
    for one in expected:
        try:
            asked.append((one, id_of(layout, one, "id")))
        except CannotPlay as error:
            mistakes.append(error.mistake)
    found = stage.store(view).fetch(view.node.name or "", [id for _, id in asked])
    return [(one, id, got) for (one, id), got in zip(asked, found, strict=True)], mistakes


def compared(expected: Sequence[ExpectedEntity] | None, view: Declared[FeatureView], stage: Stage) -> Iterator[Event]:
    """What is served for entities against what is expected of them."""
    if not expected:
        return
    layout = layout_of(view, stage)
    found, mistakes = served(expected, view, stage)
    yield from mistakes
    for one, id, got in found:
        yield from _entity(one, id, got)
        yield from features(one, "values", one.values, layout, view, stage)


def features(
    node: Node, field: str, named: Iterable[str] | None, layout: Layout, view: Declared[FeatureView], stage: Stage
) -> Iterator[Event]:
    """Note the features that an expectation names as exercised; one that the view has not is a mistake."""
    known = [column.name for column in layout.features]
    for name in named or ():
        if name in known:
            stage.seen.touch("features", subject(view, name))
        else:
            near = did_you_mean(name, known)
            yield Mistake(Place(node, (field, name)), f'the view has no feature "{name}"{near}')


def find_features(view: Declared[FeatureView], layout: Layout, stage: Stage) -> None:
    """Note the features of a view, now that its tables told them, as something to exercise."""
    stage.seen.find(
        Subject("features", subject(view, column.name), view.path, view.line("name")) for column in layout.features
    )


def _entity(expected: ExpectedEntity, id: EntityId, got: Served | None) -> Iterator[Event]:
    who = id_text(id)
    if expected.missing:
        if got is not None:
            yield Unmet(expected.at("missing"), f"nothing to be served for {who}", values_text(got.values))
        return
    if got is None:
        yield Unmet(expected.at("id"), f"{who} to be served", "nothing")
        return
    yield from values(expected, expected.values or {}, got.values, expected.tolerance or 0)
    if expected.exactly:
        yield from _further(expected, got)
    if expected.timestamp is not None:
        yield from _moment(expected, expected.timestamp, got)


def values(node: Node, expected: Mapping[str, Any], got: Mapping[str, object], tolerance: float) -> Iterator[Event]:
    """Each value that is not the expected one; what the view has no feature for is told elsewhere."""
    for name, value in expected.items():
        if name in got and not is_as_expected(got[name], value, tolerance=tolerance):
            within = f" within {number_text(tolerance)}" if tolerance and isinstance(value, (int, float)) else ""
            yield Unmet(Place(node, ("values", name)), f"{value_text(value)}{within}", value_text(got[name]))


def _further(expected: ExpectedEntity, got: Served) -> Iterator[Event]:
    further = {name: value for name, value in got.values.items() if name not in (expected.values or {})}
    if further:
        yield Unmet(expected.at("exactly"), "no features but those named", f"also {values_text(further)}")


def _moment(expected: ExpectedEntity, text: str, got: Served) -> Iterator[Event]:
    with suppress(ValueError):
        if got.timestamp is not None and moment(text) == got.timestamp:
            return
    told = moment_text(got.timestamp) if got.timestamp else "no timestamp"
    yield Unmet(expected.at("timestamp"), text, told)
