"""Expectations that several steps share: served values, refusals and origins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import SymbolicLocation
from trialrun.runtime.feature_view.data_finding import CannotSync
from trialrun.runtime.feature_view.direct_write import explain_no_values
from trialrun.runtime.feature_view.entity_id import InvalidEntityId, entity_id_from_parts
from trialrun.runtime.feature_view.index.interface import NotSearchable
from trialrun.runtime.feature_view.store.interface import InvalidWrite, NeverSynced, StoreError, SyncRunning
from trialrun.runtime.scenario.environment import (
    CoverageTarget,
    Event,
    ScenarioError,
    ScenarioMistake,
    UnmetExpectation,
    view_target_name,
)
from trialrun.runtime.scenario.format import (
    format_id,
    format_number,
    format_value,
    format_values,
    matches_expected,
    parse_time,
)
from trialrun.values.resource_name import is_same_resource, last_id
from trialrun.values.suggest import did_you_mean
from trialrun.values.timestamp import format_timestamp

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.model.node import Node
    from trialrun.model.scenario import ExpectedEntity
    from trialrun.model.scenario_steps import ExpectedValue
    from trialrun.runtime.channel_config.catalog import BrandCatalog
    from trialrun.runtime.channel_config.effective import Origin
    from trialrun.runtime.declaration import DeclaredResource
    from trialrun.runtime.feature_view.store.interface import EntityId, RowLayout, ServedEntity
    from trialrun.runtime.scenario.environment import Environment


LINE = re.compile(r":([0-9]+)\Z")


def format_origin(origin: Origin) -> str:
    """Where a value comes from: `breakfast (channels/dayparts.yaml:11, store-binding of austin-breakfast)`."""
    rule = f" of {last_id(origin.rule)}" if origin.rule else ""
    return f"{last_id(origin.name)} ({origin.path}:{origin.line}, {origin.level}{rule})"


def format_set_value(origin: Origin) -> str:
    """A value, and where it comes from."""
    return f"{format_value(origin.value)}, set by {format_origin(origin)}"


def is_set_in_file(file: str, origin: Origin) -> bool:
    """Whether a file, the end of its path, perhaps with a line, is where a value comes from."""
    line = LINE.search(file)
    return is_path_suffix(LINE.sub("", file), origin.path) and (line is None or int(line[1]) == origin.line)


def is_set_by(text: str, origin: Origin) -> bool:
    """Whether a config by the end of its name, or a file by that of its path, is where a value comes from."""
    return is_same_resource(origin.name, text) or is_set_in_file(text, origin)


def is_path_suffix(end: str, path: str) -> bool:
    """Whether a path ends with these parts."""
    return f"/{path}".endswith(f"/{end}")


def unknown_names(expected: ExpectedValue, brands: BrandCatalog) -> Iterator[ScenarioMistake]:
    """The names that no config, no file of one, and no rule of the workspace has."""
    if expected.config is not None and not brands.configs_named(expected.config):
        yield _mistake(expected.location("config"), f'there is no ChannelConfig "{expected.config}"', _configs(brands))
    if expected.file is not None and not _is_file(expected.file, brands):
        files = (config.path for config in brands.configs)
        yield _mistake(expected.location("file"), f'no ChannelConfig is in a file "{expected.file}"', files)
    if expected.rule is not None and not any(is_same_resource(rule, expected.rule) for rule in _rules(brands)):
        yield _mistake(expected.location("rule"), f'no binding has the rule "{expected.rule}"', _rules(brands))
    for index, text in enumerate(expected.overrode or ()):
        if not brands.configs_named(text) and not _is_file(text, brands):
            names = [*_configs(brands), *(config.path for config in brands.configs)]
            yield _mistake(
                expected.location("overrode", index), f'there is no ChannelConfig and no file "{text}"', names
            )


def _mistake(place: SymbolicLocation, message: str, candidates: Iterable[str]) -> ScenarioMistake:
    name = message.rpartition(' "')[2].rstrip('"')
    return ScenarioMistake(place, message + did_you_mean(name, candidates))


def _is_file(text: str, brands: BrandCatalog) -> bool:
    return any(is_path_suffix(LINE.sub("", text), config.path) for config in brands.configs)


def _configs(brands: BrandCatalog) -> Iterator[str]:
    for config in brands.configs:
        if config.node.name:
            yield last_id(config.node.name)


def _rules(brands: BrandCatalog) -> Iterator[str]:
    for brand in brands.brands:
        yield from (binding.rule for binding in brand.node.bindings or () if binding.rule)
        for store in brand.node.stores or ():
            yield from (binding.rule for binding in store.bindings or () if binding.rule)


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
