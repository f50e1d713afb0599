"""Names in scenarios: features and columns of a view, reasons, tools, and paths of config fields."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.names.named import NamesWithDetail
from trialrun.lsp.features.completion.names.tables import columns_of
from trialrun.model.node import Node, message_fields
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace.catalog_cache import views

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.workspace.open_workspace import OpenWorkspace

REASONS = (
    "condition-error",
    "condition-false",
    "disabled",
    "frequency",
    "less-favored",
    "listen-only",
    "max-declines",
    "max-items",
    "max-offers",
    "multi-quantity",
    "no-language",
    "offered-before",
    "previous-turn",
    "skip-term",
    "unavailable",
)
"""The codes of the reasons why upsells are skipped."""


def _view(workspace: OpenWorkspace, expected_type: ExpectedType) -> FeatureView | None:
    """The view that the step names, by its full name or its id."""
    name = next((text for owner in reversed(expected_type.of) if (text := owner.mapping.text("view"))), None)
    known = [view.node for view in views(workspace).views if view.node.name and name]
    exact = [view for view in known if view.name == name]
    return next(iter(exact or [view for view in known if last_id(view.name or "") == name]), None)


def features(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The features that the view of the step serves."""
    view = _view(workspace, expected_type)
    registry = view.featureRegistrySource if view else None
    for group in (registry.featureGroups if registry else None) or ():
        yield from ((feature, group.featureGroupId or "") for feature in group.featureIds or ())
    source = (view.warehouseSource or view.ragSource) if view else None
    if source is not None and source.uri:
        ids = (view.warehouseSource.entityIdColumns if view and view.warehouseSource else None) or ()
        yield from ((name, detail) for name, detail in columns_of(workspace, source.uri) if name not in ids)


def filter_columns(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The filter columns of the view of the step."""
    view = _view(workspace, expected_type)
    index = (view.indexConfig or view.vectorSearchConfig) if view else None
    return ((name, "a filter column") for name in (index.filterColumns if index else None) or ())


def reasons(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The codes of reasons."""
    return ((code, "") for code in REASONS)


def tools(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The tools that features give the agent."""
    from trialrun.runtime.channel_config.dialogue.instructions import FEATURES

    return (feature.tool for feature in FEATURES.values() if feature.tool)


def field_paths(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The paths of the fields of a ChannelConfig that are not inside of lists."""
    from trialrun.model.channel_config import ChannelConfig

    return ((path, "") for path in _paths(ChannelConfig))


@cache
def _paths(model: type[Node]) -> tuple[str, ...]:
    return tuple(_walked(model, ""))


def _walked(model: type[Node], above: str) -> Iterator[str]:
    inner = {name: part for name, listed, part in message_fields(model) if not listed}
    for name in model.model_fields:
        if above or name not in ("kind", "name", "type"):
            yield above + name
            yield from _walked(inner[name], f"{above}{name}.") if name in inner else ()
