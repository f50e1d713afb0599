"""The names that a resource declares and uses, by the messages and fields in which they stand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import Place
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.symbols.occurrence import Mention, Sort, Way

if TYPE_CHECKING:
    from trialrun.lsp.symbols.context import Ground
    from trialrun.model.node import Node
    from trialrun.workspace.open_workspace import Part


@dataclass(frozen=True, slots=True)
class Says:
    """A field that has a name, or a list of names, of a sort."""

    field: str
    sort: Sort
    ways: tuple[Way, ...] = ("name",)
    declares: bool = False


def _declares(field: str, sort: Sort, way: Way = "name") -> Says:
    return Says(field, sort, (way,), declares=True)


_VIEW: Final = (Says("view", "view"),)
_STORE: Final = (Says("store", "store"),)
_URI: Final = (Says("uri", "source"),)
_BINDING: Final = (_declares("rule", "binding"), Says("channelConfig", "config"))

NAMES: Final[dict[str, tuple[Says, ...]]] = {
    "ChannelConfig": (_declares("name", "config"),),
    "Brand": (_declares("name", "brand"), Says("defaults", "config")),
    "BrandBinding": _BINDING,
    "StoreBinding": _BINDING,
    "StoreSelector": (Says("names", "store"),),
    "Store": (_declares("name", "store"), Says("defaults", "config")),
    "Menu": (Says("brand", "brand"),),
    "MenuItem": (
        _declares("name", "item"),
        _declares("id", "item", "id"),
        Says("modifierGroups", "modifier group", ("name", "id")),
    ),
    "ModifierGroup": (_declares("name", "modifier group"), _declares("id", "modifier group", "id")),
    "Modifier": (_declares("name", "modifier"), _declares("id", "modifier", "id")),
    "UpsellConfig": (_declares("displayName", "upsell"),),
    "OfferMessage": (Says("upsoldItems", "item"), Says("upsoldItemIds", "item", ("id",))),
    "CelUpsell": (Says("suggestedMenuItems", "item"), Says("suggestedModifiers", "modifier")),
    "SuggestedModifierGroup": (Says("name", "modifier group"), Says("suggestedModifiers", "modifier")),
    "TargetItem": (Says("itemName", "item"), Says("itemId", "item", ("id",))),
    "TargetModifier": (
        Says("modifierName", "modifier"),
        Says("modifierId", "modifier", ("id",)),
        Says("modifierGroupName", "modifier group"),
        Says("modifierGroupId", "modifier group", ("id",)),
    ),
    "ExpectedValue": (Says("config", "config"), Says("rule", "binding")),
    "FeatureOnlineStore": (_declares("name", "online store"),),
    "FeatureView": (_declares("name", "view"),),
    "FeatureGroupTable": (
        _declares("featureGroupId", "feature group"),
        *_URI,
        Says("entityIdColumns", "column"),
        Says("timestampColumn", "column"),
    ),
    "RegisteredFeature": (_declares("id", "feature"), Says("column", "column"), Says("id", "column")),
    "FeatureGroup": (Says("featureGroupId", "feature group"), Says("featureIds", "feature")),
    "Source": (_declares("uri", "source"), Says("timestampColumn", "column")),
    "Column": (_declares("name", "column"),),
    "IndexConfig": tuple(Says(field, "column") for field in ("embeddingColumn", "filterColumns", "crowdingColumn")),
    "WarehouseSource": (*_URI, Says("entityIdColumns", "column")),
    "RagSource": _URI,
    "GivenSource": (*_URI, Says("timestampColumn", "column")),
    **dict.fromkeys(("SyncStep", "FetchStep", "WriteStep", "SearchStep", "ScheduleStep", "ExpectedRun"), _VIEW),
    "WaitStep": (Says("views", "view"),),
    **dict.fromkeys(("ResolveStep", "SessionStep"), _STORE),
}

GROUPED: Final = {"modifier": ("name", "id", "modifierGroupName", "modifierGroupId"), "feature": ("featureGroupId",)}
"""The fields that name the group of a modifier or a feature, in the message that has them or the one around it."""

_PARENTS: Final[dict[str, tuple[Sort, str]]] = {
    "ChannelConfig": ("brand", "/channelConfigs/"),
    "FeatureView": ("online store", "/featureViews/"),
}


def gathered(part: Part, path: str, ground: Ground) -> Iterator[Mention]:
    """The names of a resource, in no order; `ground` is what its texts go by."""
    from trialrun.lsp.symbols.text_references import has_texts, inside
    from trialrun.model.node import parts

    scope = scope_of(part.fitted.node)
    waiting: list[tuple[Node, Node | None]] = [(part.fitted.node, None)]
    while waiting:
        node, around = waiting.pop()
        for says in _said(node, around):
            yield from _mentions(part, path, node, says, scope, _within(node, around, says))
        if has_texts(node):
            yield from inside(part, path, node, ground, scope)
        for name, listed, _ in parts(type(node)):
            value = getattr(node, name)
            inner = value or () if listed else [value]
            waiting.extend((one, node) for one in inner if one is not None)
    yield from _parent(part, path)


def _said(node: Any, around: Any) -> tuple[Says, ...]:
    """The fields of a message that have names.

    Of a feature without a column the id is the column, and the columns of a view of the registry are its features.
    """
    name = type(node).__name__
    if name == "Column":
        return NAMES[name] if type(around).__name__ == "Source" else (Says("name", "column"),)
    if name == "RegisteredFeature" and node.column:
        return NAMES[name][:2]
    if name == "IndexConfig" and getattr(around, "featureRegistrySource", None):
        return tuple(Says(one.field, "feature") for one in NAMES[name])
    return NAMES.get(name, ())


def _mentions(part: Part, path: str, node: Node, says: Says, scope: str, within: tuple[str, ...]) -> Iterator[Mention]:
    value = getattr(node, says.field)
    entry = part.fitted.path(Place(node)) if says.declares else ()
    for index, text in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(text, str) and text:
            place = Place(node, (says.field, index) if isinstance(value, list) else (says.field,))
            steps = part.fitted.path(place)
            document = part.document.index
            yield Mention(
                says.sort, text, path, document, steps, says.declares, says.ways, scope, within, entry, _own(says, text)
            )


def _own(says: Says, text: str) -> tuple[int, int] | None:
    """The id at the end of a declared resource name: what stands before it names the parent."""
    if says.declares and says.sort in ("config", "view") and "/" in text:
        return text.rindex("/") + 1, len(text)
    return None


def _parent(part: Part, path: str) -> Iterator[Mention]:
    """The parent that the name of a resource is under."""
    node: Any = part.fitted.node
    sort, collection = _PARENTS.get(type(node).__name__, ("brand", ""))
    parent = node.name.rpartition(collection)[0] if collection and node.name else ""
    if parent:
        steps = part.fitted.path(Place(node, ("name",)))
        yield Mention(sort, parent, path, part.document.index, steps, chars=(0, len(parent)))


def _within(node: Any, around: Any, says: Says) -> tuple[str, ...]:
    if says.sort == "column":
        return (_uri(node, around),)
    if type(node).__name__ == "IndexConfig":
        groups = around.featureRegistrySource.featureGroups or ()
        return tuple(dict.fromkeys(one.featureGroupId for one in groups if one.featureGroupId))
    holder = node if type(node).__name__ in ("SuggestedModifierGroup", "TargetModifier", "FeatureGroup") else around
    if says.sort not in GROUPED or type(holder).__name__ in ("CelUpsell", "UpsellConfig"):
        return ()
    found = (getattr(holder, field, None) for field in GROUPED[says.sort])
    return tuple(dict.fromkeys(name for name in found if isinstance(name, str) and name))


def _uri(node: Any, around: Any) -> str:
    """The table whose column is named: that of the message, of the one around it, or of the source of a view."""
    if hasattr(node, "uri"):
        return node.uri or ""
    view = around if type(around).__name__ == "FeatureView" else None
    table = (view.warehouseSource or view.ragSource) if view else around
    return getattr(table, "uri", None) or ""


def scope_of(resource: Any) -> str:
    """The brand, or the project, that a resource is about."""
    match type(resource).__name__:
        case "ChannelConfig":
            return (resource.name or "").rpartition("/channelConfigs/")[0]
        case "Brand":
            return resource.name or ""
        case "Menu":
            return resource.brand or ""
        case "FeatureGroupTable":
            return str(resource.projectNumber or "")
        case "FeatureView":
            registry = resource.featureRegistrySource
            return str((registry and registry.projectNumber) or "")
    return ""
