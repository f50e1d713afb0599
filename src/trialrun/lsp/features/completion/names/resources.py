"""New resource names: known parents, with the name of the file as id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.names.named import NamesWithDetail
from trialrun.workspace.open_workspace.catalog_cache import brands, views

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def view_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """Names for a FeatureView: below the known online stores, and next to known views."""
    known = views(workspace)
    stores = [store.node.name or "" for store in known.stores if "/" in (store.node.name or "")]
    beside = [(view.node.name or "").rpartition("/featureViews/")[0] for view in known.views]
    taken = {view.node.name for view in known.views}
    return _resource_names((*stores, *beside), "featureViews", expected_type.stem.replace("-", "_"), taken)


def config_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """Names for a ChannelConfig: below the known brands, and next to known configs."""
    known = brands(workspace)
    named = [brand.node.name or "" for brand in known.brands if "/" in (brand.node.name or "")]
    beside = [(config.node.name or "").rpartition("/channelConfigs/")[0] for config in known.configs]
    taken = {config.node.name for config in known.configs}
    return _resource_names((*named, *beside), "channelConfigs", expected_type.stem, taken)


def _resource_names(parents: Iterable[str], collection: str, stem: str, taken: set[str | None]) -> NamesWithDetail:
    for parent in dict.fromkeys(parents):
        name = f"{parent}/{collection}/{stem}"
        if parent and stem and name not in taken:
            yield name, "from the file name"
