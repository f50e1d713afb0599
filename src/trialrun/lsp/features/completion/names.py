"""Names that the documents of the workspace declare, by the fields that refer to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from trialrun.lsp.features.completion.meaning import Meaning, Owner
from trialrun.lsp.features.completion.sketch import MARK, Mapping, Scalar, Sequence
from trialrun.lsp.features.completion.writing import Option
from trialrun.workspace.live.catalogs import brands, views

if TYPE_CHECKING:
    from trialrun.model.companion import Menu
    from trialrun.workspace.live import Live

Named = Iterator[tuple[str | None, str]]
"""Names, or None where a document lacks one, each with what else is told of it."""


def declared(live: Live, found: Meaning) -> Iterator[Option]:
    """The names that the field at the cursor may refer to, without those that its list has already."""
    owner = found.of[-1]
    names = FIELDS.get((owner.model.__name__, owner.field))
    if names is None:
        return
    there = set(_items(owner))
    seen: set[str] = set()
    for name, detail in names(live, found):
        if name and name not in seen and name not in there:
            seen.add(name)
            yield Option(name, "name", detail)


def _items(owner: Owner) -> Iterator[str]:
    listed = owner.mapping.get(owner.field)
    for item in listed.items if isinstance(listed, Sequence) else ():
        if isinstance(item, Scalar) and MARK not in item.text:
            yield item.text


def _menus(live: Live, found: Meaning) -> Iterator[Menu]:
    """The menus that are for the brand of a resource; all where its brand is not known."""
    brand = _brand(found)
    for menu in brands(live).menus:
        if not brand or not menu.node.brand or _id(menu.node.brand) == _id(brand):
            yield menu.node


def _brand(found: Meaning) -> str:
    if found.kind == "Menu":
        return found.root.text("brand") or ""
    return (found.root.text("name") or "").rpartition("/channelConfigs/")[0]


def _id(name: str) -> str:
    return name.rpartition("/")[2]


def _item_names(live: Live, found: Meaning) -> Named:
    return ((item.name, item.id or "") for menu in _menus(live, found) for item in menu.items or ())


def _item_ids(live: Live, found: Meaning) -> Named:
    return ((item.id, item.name or "") for menu in _menus(live, found) for item in menu.items or ())


def _group_names(live: Live, found: Meaning) -> Named:
    return ((group.name, group.id or "") for menu in _menus(live, found) for group in menu.modifierGroups or ())


def _group_ids(live: Live, found: Meaning) -> Named:
    return ((group.id, group.name or "") for menu in _menus(live, found) for group in menu.modifierGroups or ())


def _modifier_names(live: Live, found: Meaning) -> Named:
    for menu in _menus(live, found):
        for group in menu.modifierGroups or ():
            yield from ((modifier.name, group.name or "") for modifier in group.modifiers or ())


def _modifier_ids(live: Live, found: Meaning) -> Named:
    for menu in _menus(live, found):
        for group in menu.modifierGroups or ():
            yield from ((modifier.id, modifier.name or "") for modifier in group.modifiers or ())


def _configs(live: Live, found: Meaning) -> Named:
    for config in brands(live).configs:
        yield config.node.name, ", ".join(filter(None, (config.node.displayName, config.node.type)))


def _brands(live: Live, found: Meaning) -> Named:
    return ((brand.node.name, brand.node.displayName or "") for brand in brands(live).brands)


def _stores(live: Live, found: Meaning) -> Named:
    return ((store.name, store.store.displayName or "") for store in brands(live).stores)


def _stores_of_brand(live: Live, found: Meaning) -> Named:
    brand = found.root.text("name")
    for store in brands(live).stores:
        if store.brand.node.name == brand:
            yield store.name, store.store.displayName or ""


def _tags(live: Live, found: Meaning) -> Named:
    return ((tag, f"a tag of {store.name}") for store in brands(live).stores for tag in store.store.tags or ())


def _views(live: Live, found: Meaning) -> Named:
    return ((view.node.name, view.path) for view in views(live).views)


def _uris(live: Live, found: Meaning) -> Named:
    return ((source.node.uri, source.path) for source in views(live).sources)


def _groups(live: Live, found: Meaning) -> Named:
    return ((group.node.featureGroupId, group.node.uri or "") for group in views(live).groups)


def _features(live: Live, found: Meaning) -> Named:
    wanted = found.of[-1].mapping.text("featureGroupId")
    for group in views(live).groups:
        if group.node.featureGroupId == wanted:
            yield from ((feature.id, feature.column or "") for feature in group.node.features or ())


def _columns(live: Live, found: Meaning) -> Named:
    """The columns that the Source of the uri declares which the message, or its view, names."""
    uri = _uri(found)
    source = next((one.node for one in views(live).sources if uri and one.node.uri == uri), None)
    for column in (source.columns or ()) if source else ():
        yield column.name, " ".join(filter(None, (column.type, column.mode)))


def _uri(found: Meaning) -> str | None:
    """The uri of the table whose columns the field at the cursor names."""
    for mapping in (found.of[-1].mapping, found.root):
        places = (mapping, *(mapping.get(name) for name in ("warehouseSource", "ragSource")))
        for place in places:
            if isinstance(place, Mapping) and (uri := place.text("uri")):
                return uri
    return None


_ITEMS = (("OfferMessage", "upsoldItems"), ("CelUpsell", "suggestedMenuItems"), ("TargetItem", "itemName"))
_MODIFIERS = (
    ("SuggestedModifierGroup", "suggestedModifiers"),
    ("CelUpsell", "suggestedModifiers"),
    ("TargetModifier", "modifierName"),
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
)
_STEPS = ("SyncStep", "FetchStep", "WriteStep", "SearchStep", "ScheduleStep", "ExpectedRun")
FIELDS: dict[tuple[str, str], Callable[[Live, Meaning], Named]] = {
    **dict.fromkeys(_ITEMS, _item_names),
    **dict.fromkeys((("OfferMessage", "upsoldItemIds"), ("TargetItem", "itemId")), _item_ids),
    **dict.fromkeys(_MODIFIERS, _modifier_names),
    ("TargetModifier", "modifierId"): _modifier_ids,
    **dict.fromkeys(_GROUPS, _group_names),
    ("TargetModifier", "modifierGroupId"): _group_ids,
    **dict.fromkeys((("BrandBinding", "channelConfig"), ("StoreBinding", "channelConfig")), _configs),
    **dict.fromkeys((("Brand", "defaults"), ("Store", "defaults"), ("ExpectedValue", "config")), _configs),
    ("Menu", "brand"): _brands,
    ("StoreSelector", "names"): _stores_of_brand,
    ("StoreSelector", "tags"): _tags,
    ("Store", "tags"): _tags,
    **dict.fromkeys((("ResolveStep", "store"), ("SessionStep", "store")), _stores),
    **dict.fromkeys(((step, "view") for step in _STEPS), _views),
    ("WaitStep", "views"): _views,
    **dict.fromkeys((("WarehouseSource", "uri"), ("RagSource", "uri")), _uris),
    **dict.fromkeys((("FeatureGroupTable", "uri"), ("GivenSource", "uri")), _uris),
    ("FeatureGroup", "featureGroupId"): _groups,
    ("FeatureGroup", "featureIds"): _features,
    **dict.fromkeys(_OF_TABLES, _columns),
}
"""By message and field, the names that the workspace has for it."""
