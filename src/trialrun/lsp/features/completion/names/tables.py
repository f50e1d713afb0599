"""Views, feature groups, sources and their columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.names.named import NamesWithDetail
from trialrun.lsp.features.completion.partial_tree import Mapping
from trialrun.workspace.open_workspace.catalog_cache import views

if TYPE_CHECKING:
    from trialrun.model.companion import FeatureGroupTable
    from trialrun.model.feature_view import FeatureView
    from trialrun.workspace.open_workspace import OpenWorkspace


def view_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The FeatureViews."""
    return ((view.node.name, view.path) for view in views(workspace).views)


def uris(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The URIs that have a Source."""
    return ((source.node.uri, source.path) for source in views(workspace).sources)


def groups(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The feature groups."""
    return ((group.node.featureGroupId, group.node.uri or "") for group in views(workspace).groups)


def features(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The features of the group that the same message names."""
    wanted = expected_type.of[-1].mapping.text("featureGroupId")
    for group in views(workspace).groups:
        if group.node.featureGroupId == wanted:
            yield from ((feature.id, feature.column or "") for feature in group.node.features or ())


def columns(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The columns of the table that the message or its view names."""
    uri = _uri(expected_type)
    return columns_of(workspace, uri) if uri else iter(())


def columns_of(workspace: OpenWorkspace, uri: str) -> NamesWithDetail:
    """The columns that the Source of a URI declares, otherwise those that views and groups of the table use."""
    source = next(
        (source.node for source in views(workspace).sources if source.node.uri == uri and source.node.columns), None
    )
    if source is not None:
        for column in source.columns or ():
            yield column.name, " ".join(filter(None, (column.type, column.mode)))
        return
    for group in views(workspace).groups:
        if group.node.uri == uri:
            yield from ((name, f"named in {group.path}") for name in _of_group(group.node))
    for view in views(workspace).views:
        if uri in _uris_of(view.node):
            yield from ((name, f"named in {view.path}") for name in _of_view(view.node))


def _of_group(group: FeatureGroupTable) -> Iterator[str | None]:
    yield from group.entityIdColumns or ()
    yield group.timestampColumn
    yield from (feature.column or feature.id for feature in group.features or ())


def _uris_of(view: FeatureView) -> list[str | None]:
    return [source.uri for source in (view.warehouseSource, view.ragSource) if source]


def _of_view(view: FeatureView) -> Iterator[str | None]:
    yield from (view.warehouseSource.entityIdColumns if view.warehouseSource else None) or ()
    for index in filter(None, (view.indexConfig, view.vectorSearchConfig)):
        yield from (index.embeddingColumn, *(index.filterColumns or ()), index.crowdingColumn)


def label_keys(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The label keys of other views."""
    return ((key, view.path) for view in views(workspace).views for key in view.node.labels or ())


def label_values(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The values that other views have for the label."""
    step = next((step for container, step in reversed(expected_type.steps) if isinstance(container, Mapping)), None)
    labels = ((view.node.labels or {}, view.path) for view in views(workspace).views)
    return ((label[step], path) for label, path in labels if isinstance(step, str) and step in label)


def _uri(expected_type: ExpectedType) -> str | None:
    """The URI of the table whose columns the field names."""
    for owner in reversed(expected_type.of):
        places = (owner.mapping, *(owner.mapping.get(name) for name in ("warehouseSource", "ragSource")))
        for place in places:
            if isinstance(place, Mapping) and (uri := place.text("uri")):
                return uri
    return None
