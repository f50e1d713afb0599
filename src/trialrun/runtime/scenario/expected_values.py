"""Expectations that several steps share: served values and refusals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import SymbolicLocation
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import explain_no_values
from trialrun.runtime.feature_view.entity_id import InvalidEntityId, entity_id_from_parts
from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.store.interface import InvalidWrite, NeverSynced, StoreError, SyncRunning
from trialrun.runtime.scenario.compare import matches_expected
from trialrun.runtime.scenario.coverage_recorder import CoverageTarget
from trialrun.runtime.scenario.environment import view_target_name
from trialrun.runtime.scenario.events import Event, ScenarioError, ScenarioMistake, UnmetExpectation
from trialrun.runtime.scenario.format import format_id, format_number, format_value, format_values, parse_time
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node
    from trialrun.model.scenario import ExpectedEntity
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout, ServedEntity
    from trialrun.runtime.scenario.environment import Environment

REFUSALS = (CannotSync, StoreError, InvalidWrite, NeverSynced, NotSearchable, SyncRunning)
"""What the runtime raises where it refuses what it is asked for; the message is for the user."""


def check_refusal(step: Node, expect: Any, error: Exception) -> Iterator[Event]:
    """What a refusal is to a step: expected, expected in other words, or a failure."""
    expected = expect.refused if expect else None
    if expected is None:
        yield UnmetExpectation(SymbolicLocation(step), "no refusal", f"a refusal: {error}")
    elif expected not in str(error):
        yield UnmetExpectation(
            SymbolicLocation(expect, ("refused",)), f'a refusal with "{expected}"', f"a refusal: {error}"
        )


def check_no_refusal(expect: Any, got: str) -> Iterator[Event]:
    """A failure where a refusal was expected."""
    if expect and expect.refused is not None:
        yield UnmetExpectation(SymbolicLocation(expect, ("refused",)), f'a refusal with "{expect.refused}"', got)


def served_layout(view: DeclaredResource[FeatureView], environment: Environment) -> RowLayout:
    """What is served for a view looks like this. Raises NeverSynced."""
    snapshot = environment.trial.snapshot(view)
    if snapshot is None:
        raise NeverSynced(explain_no_values(view.node, f'"{view.node.name}"'))
    return snapshot.layout


def read_entity_id(layout: RowLayout, node: Node, field: str) -> EntityId:
    """The entity id that a field has. Raises ScenarioError."""
    value = getattr(node, field)
    try:
        return entity_id_from_parts(value if isinstance(value, list) else [value], layout.keys)
    except InvalidEntityId as error:
        raise ScenarioError(SymbolicLocation(node, (field,)), str(error)) from error


def fetch_expected(
    expected: Sequence[ExpectedEntity], view: DeclaredResource[FeatureView], environment: Environment
) -> tuple[list[tuple[ExpectedEntity, EntityId, ServedEntity | None]], list[Event]]:
    """The expected entities with what is served for each, and what is wrong with the ids of others.

    Raises NeverSynced.
    """
    layout = served_layout(view, environment)
    requested: list[tuple[ExpectedEntity, EntityId]] = []
    mistakes: list[Event] = []
    for entity in expected:
        try:
            requested.append((entity, read_entity_id(layout, entity, "id")))
        except ScenarioError as error:
            mistakes.append(error.mistake)
    rows = environment.trial.fetch(view, [id for _, id in requested])
    return [(entity, id, served) for (entity, id), served in zip(requested, rows, strict=True)], mistakes


def compare_served(
    expected: Sequence[ExpectedEntity] | None, view: DeclaredResource[FeatureView], environment: Environment
) -> Iterator[Event]:
    """What is served for entities against what is expected of them."""
    if not expected:
        return
    layout = served_layout(view, environment)
    fetched, mistakes = fetch_expected(expected, view, environment)
    yield from mistakes
    for entity, id, served in fetched:
        yield from _compare_entity(entity, id, served)
        yield from record_features(entity, "values", entity.values, layout, view, environment)


def record_features(
    node: Node,
    field: str,
    names: Iterable[str] | None,
    layout: RowLayout,
    view: DeclaredResource[FeatureView],
    environment: Environment,
) -> Iterator[Event]:
    """Note the features that an expectation names as exercised; one that the view has not is a mistake."""
    feature_names = [column.name for column in layout.features]
    for name in names or ():
        if name in feature_names:
            environment.recorder.record("features", view_target_name(view, name))
        else:
            near = did_you_mean(name, feature_names)
            yield ScenarioMistake(SymbolicLocation(node, (field, name)), f'the view has no feature "{name}"{near}')


def add_feature_targets(view: DeclaredResource[FeatureView], layout: RowLayout, environment: Environment) -> None:
    """Record the features of a view for coverage, now that they are known from its tables."""
    environment.recorder.add_targets(
        CoverageTarget("features", view_target_name(view, column.name), view.path, view.line("name"))
        for column in layout.features
    )


def _compare_entity(expected: ExpectedEntity, id: EntityId, served: ServedEntity | None) -> Iterator[Event]:
    entity_text = format_id(id)
    if expected.missing:
        if served is not None:
            yield UnmetExpectation(
                expected.location("missing"), f"nothing to be served for {entity_text}", format_values(served.values)
            )
        return
    if served is None:
        yield UnmetExpectation(expected.location("id"), f"{entity_text} to be served", "nothing")
        return
    yield from compare_values(expected, expected.values or {}, served.values, expected.tolerance or 0)
    if expected.exactly:
        yield from _compare_no_further(expected, served)
    if expected.timestamp is not None:
        yield from _compare_timestamp(expected, expected.timestamp, served)


def compare_values(
    node: Node, expected: Mapping[str, Any], got: Mapping[str, object], tolerance: float
) -> Iterator[Event]:
    """Each value that is not the expected one; a value without a feature of the view is reported elsewhere."""
    for name, value in expected.items():
        if name in got and not matches_expected(got[name], value, tolerance=tolerance):
            tolerance_text = (
                f" within {format_number(tolerance)}" if tolerance and isinstance(value, (int, float)) else ""
            )
            yield UnmetExpectation(
                SymbolicLocation(node, ("values", name)),
                f"{format_value(value)}{tolerance_text}",
                format_value(got[name]),
            )


def _compare_no_further(expected: ExpectedEntity, served: ServedEntity) -> Iterator[Event]:
    unexpected = {name: value for name, value in served.values.items() if name not in (expected.values or {})}
    if unexpected:
        yield UnmetExpectation(
            expected.location("exactly"), "no features but those named", f"also {format_values(unexpected)}"
        )


def _compare_timestamp(expected: ExpectedEntity, text: str, served: ServedEntity) -> Iterator[Event]:
    with suppress(ValueError):
        if served.timestamp is not None and parse_time(text) == served.timestamp:
            return
    served_text = format_timestamp(served.timestamp) if served.timestamp else "no timestamp"
    yield UnmetExpectation(expected.location("timestamp"), text, served_text)
