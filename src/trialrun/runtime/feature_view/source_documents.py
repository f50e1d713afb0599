"""The documents beside a view that say where its rows are, and whether any of them was changed."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from trialrun.model.feature_view import FeatureView
    from trialrun.runtime.declaration import Catalog, DeclaredResource

DIGEST_LENGTH = 16


def source_documents(view: FeatureView, catalog: Catalog) -> list[DeclaredResource[Any]]:
    """The feature groups and the sources of a view, as far as the workspace declares them."""
    groups = list(_groups(view, catalog))
    uris = [group.node.uri for group in groups]
    uris += [source.uri for source in (view.warehouseSource, view.ragSource) if source]
    return [*groups, *(source for uri in uris if uri and (source := catalog.source(uri)))]


def digest_documents(view: FeatureView, catalog: Catalog) -> str:
    """A digest of what a view and these documents say of its rows, of 16 characters."""
    own = (view.warehouseSource, view.featureRegistrySource, view.ragSource)
    contents = [node and node.model_dump_json(exclude_none=True) for node in own]
    contents += [
        source_document.node.model_dump_json(exclude_none=True) for source_document in source_documents(view, catalog)
    ]
    return sha256(repr(contents).encode()).hexdigest()[:DIGEST_LENGTH]


def _groups(view: FeatureView, catalog: Catalog) -> Iterator[DeclaredResource[Any]]:
    registry = view.featureRegistrySource
    if registry is None:
        return
    for group in registry.featureGroups or []:
        if group.featureGroupId and (declared := catalog.group(group.featureGroupId, registry.projectNumber)):
            yield declared
