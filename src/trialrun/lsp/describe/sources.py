"""Whether the rows of a view are available."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trialrun.model.node import Node
    from trialrun.runtime.declaration import Catalog


def has_rows(view: Node, catalog: Catalog) -> bool:
    """Whether the workspace declares a Source for everything that a view is synced from."""
    from trialrun.model.feature_view import FeatureView

    if not isinstance(view, FeatureView):
        return False
    source = view.warehouseSource or view.ragSource
    if source is not None:
        return catalog.source(source.uri or "") is not None
    registry = view.featureRegistrySource
    groups = registry.featureGroups if registry else None
    if not registry or not groups:
        return False
    tables = [catalog.group(one.featureGroupId or "", registry.projectNumber) for one in groups]
    return all(table is not None and catalog.source(table.node.uri or "") is not None for table in tables)
