"""Names declared in the workspace, by the fields that refer to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.edits import Candidate
from trialrun.lsp.features.completion.expected_type import EnclosingMessage, ExpectedType
from trialrun.lsp.features.completion.names import brand_names, menus, resources, scenarios, tables
from trialrun.lsp.features.completion.names.named import NamesWithDetail
from trialrun.lsp.features.completion.partial_tree import MARK, Scalar, Sequence

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def declared_names(workspace: OpenWorkspace, found: ExpectedType) -> Iterator[Candidate]:
    """The names that the field at the cursor may refer to, without those that its list has already."""
    owner = found.of[-1]
    yield from _candidates(workspace, found, FIELDS.get((owner.model.__name__, owner.field)), set(_items(owner)))


def map_key_names(workspace: OpenWorkspace, found: ExpectedType, there: set[str]) -> Iterator[Candidate]:
    """The names that a key of the map at the cursor may be, without those that are there."""
    if found.of:
        owner = found.of[-1]
        yield from _candidates(workspace, found, KEYS.get((owner.model.__name__, owner.field)), there)


def _candidates(
    workspace: OpenWorkspace, found: ExpectedType, names: Names | None, there: set[str]
) -> Iterator[Candidate]:
    """Names, each once and without those that are there."""
    seen = set(there)
    for name, detail in names(workspace, found) if names else ():
        if name and name not in seen:
            seen.add(name)
            yield Candidate(name, "name", detail)


def _items(owner: EnclosingMessage) -> Iterator[str]:
    listed = owner.mapping.get(owner.field)
    for item in listed.items if isinstance(listed, Sequence) else ():
        if isinstance(item, Scalar) and MARK not in item.text:
            yield item.text


_ITEMS = (
    ("OfferMessage", "upsoldItems"),
    ("CelUpsell", "suggestedMenuItems"),
    ("TargetItem", "itemName"),
    ("ExpectedOffer", "items"),
    ("ExpectedMapping", "targets"),
    ("ExpectedTurn", "order"),
)
_MODIFIERS = (
    ("SuggestedModifierGroup", "suggestedModifiers"),
    ("CelUpsell", "suggestedModifiers"),
    ("TargetModifier", "modifierName"),
    ("ExpectedOffer", "modifiers"),
)
_GROUPS = (("SuggestedModifierGroup", "name"), ("TargetModifier", "modifierGroupName"), ("MenuItem", "modifierGroups"))
_OF_TABLES = (
    ("WarehouseSource", "entityIdColumns"),
    ("IndexConfig", "embeddingColumn"),
    ("IndexConfig", "filterColumns"),
    ("IndexConfig", "crowdingColumn"),
    ("FeatureGroupTable", "entityIdColumns"),
    ("FeatureGroupTable", "timestampColumn"),
    ("RegisteredFeature", "column"),
    ("Source", "timestampColumn"),
    ("GivenSource", "timestampColumn"),
)
_CONFIGS = (
    ("BrandBinding", "channelConfig"),
    ("StoreBinding", "channelConfig"),
    ("Brand", "defaults"),
    ("Store", "defaults"),
    ("ExpectedValue", "config"),
    ("ExpectedValue", "overrode"),
)
_STEPS = ("SyncStep", "FetchStep", "WriteStep", "SearchStep", "ScheduleStep", "ExpectedRun")
_URIS = (
    ("WarehouseSource", "uri"),
    ("RagSource", "uri"),
    ("FeatureGroupTable", "uri"),
    ("GivenSource", "uri"),
)
_UPSELLS = (("ExpectedOffer", "upsell"), ("ExpectedPass", "upsell"), ("ExpectedCondition", "upsell"))
_TOOLS = (("ExpectedSession", "tools"), ("ExpectedSession", "notTools"))
Names = Callable[["OpenWorkspace", ExpectedType], NamesWithDetail]
FIELDS: dict[tuple[str, str], Names] = {
    **dict.fromkeys(_ITEMS, menus.item_names),
    **dict.fromkeys((("OfferMessage", "upsoldItemIds"), ("TargetItem", "itemId")), menus.item_ids),
    **dict.fromkeys(_MODIFIERS, menus.modifier_names),
    ("TargetModifier", "modifierId"): menus.modifier_ids,
    **dict.fromkeys(_GROUPS, menus.group_names),
    ("TargetModifier", "modifierGroupId"): menus.group_ids,
    **dict.fromkeys(_CONFIGS, brand_names.configs),
    ("Menu", "brand"): brand_names.brand_names,
    ("StoreSelector", "names"): brand_names.stores_of_brand,
    ("StoreSelector", "tags"): brand_names.tags,
    ("Store", "tags"): brand_names.tags,
    **dict.fromkeys((("ResolveStep", "store"), ("SessionStep", "store")), brand_names.stores),
    ("ExpectedValue", "rule"): brand_names.rules,
    ("ExpectedValue", "file"): brand_names.files,
    ("ExpectedValue", "field"): scenarios.field_paths,
    **dict.fromkeys(_UPSELLS, brand_names.upsells),
    ("ExpectedMapping", "term"): brand_names.terms,
    ("ExpectedPass", "because"): scenarios.reasons,
    **dict.fromkeys(_TOOLS, scenarios.tools),
    **dict.fromkeys(((step, "view") for step in _STEPS), tables.view_names),
    ("WaitStep", "views"): tables.view_names,
    ("ExpectedWrite", "stale"): scenarios.features,
    **dict.fromkeys((("SearchStringFilter", "column"), ("SearchNumericFilter", "column")), scenarios.filter_columns),
    **dict.fromkeys(_URIS, tables.uris),
    ("FeatureGroup", "featureGroupId"): tables.groups,
    ("FeatureGroup", "featureIds"): tables.features,
    **dict.fromkeys(_OF_TABLES, tables.columns),
    ("FeatureView", "labels"): tables.label_values,
    ("FeatureView", "name"): resources.view_names,
    ("ChannelConfig", "name"): resources.config_names,
}
"""By message and field, the names that the workspace has for it."""
KEYS: dict[tuple[str, str], Names] = {
    ("FeatureView", "labels"): tables.label_keys,
    **dict.fromkeys((("ExpectedEntity", "values"), ("ExpectedNeighbor", "values")), scenarios.features),
    ("WriteStep", "values"): scenarios.features,
    ("GivenSource", "rows"): tables.columns,
}
"""By message and field that holds a map, the names that its keys may be."""
