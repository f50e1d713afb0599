"""Collect the occurrences of names in a resource, by message and field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from trialrun.diagnostic import SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lsp.symbols.occurrence import NameForm, NameKind, Occurrence

if TYPE_CHECKING:
    from trialrun.lsp.symbols.context import ResolutionContext
    from trialrun.model.node import Node
    from trialrun.workspace.open_workspace import ResourceInFile


@dataclass(frozen=True, slots=True)
class NameField:
    """A field that has a name, or a list of names, of a sort."""

    field: str
    kind: NameKind
    forms: tuple[NameForm, ...] = ("name",)
    declares: bool = False


def _declares(field: str, kind: NameKind, way: NameForm = "name") -> NameField:
    return NameField(field, kind, (way,), declares=True)


_VIEW: Final = (NameField("view", "view"),)
_STORE: Final = (NameField("store", "store"),)
_URI: Final = (NameField("uri", "source"),)
_BINDING: Final = (_declares("rule", "binding"), NameField("channelConfig", "config"))

NAMES: Final[dict[str, tuple[NameField, ...]]] = {
    "ChannelConfig": (_declares("name", "config"),),
    "Brand": (_declares("name", "brand"), NameField("defaults", "config")),
    "BrandBinding": _BINDING,
    "StoreBinding": _BINDING,
    "StoreSelector": (NameField("names", "store"),),
    "Store": (_declares("name", "store"), NameField("defaults", "config")),
    "Menu": (NameField("brand", "brand"),),
    "MenuItem": (
        _declares("name", "item"),
        _declares("id", "item", "id"),
        NameField("modifierGroups", "modifier group", ("name", "id")),
    ),
    "ModifierGroup": (_declares("name", "modifier group"), _declares("id", "modifier group", "id")),
    "Modifier": (_declares("name", "modifier"), _declares("id", "modifier", "id")),
    "UpsellConfig": (_declares("displayName", "upsell"),),
    "OfferMessage": (NameField("upsoldItems", "item"), NameField("upsoldItemIds", "item", ("id",))),
    "CelUpsell": (NameField("suggestedMenuItems", "item"), NameField("suggestedModifiers", "modifier")),
    "SuggestedModifierGroup": (NameField("name", "modifier group"), NameField("suggestedModifiers", "modifier")),
    "TargetItem": (NameField("itemName", "item"), NameField("itemId", "item", ("id",))),
    "TargetModifier": (
        NameField("modifierName", "modifier"),
        NameField("modifierId", "modifier", ("id",)),
        NameField("modifierGroupName", "modifier group"),
        NameField("modifierGroupId", "modifier group", ("id",)),
    ),
    "ExpectedValue": (NameField("config", "config"), NameField("rule", "binding")),
    "FeatureOnlineStore": (_declares("name", "online store"),),
    "FeatureView": (_declares("name", "view"),),
    "FeatureGroupTable": (
        _declares("featureGroupId", "feature group"),
        *_URI,
        NameField("entityIdColumns", "column"),
        NameField("timestampColumn", "column"),
    ),
    "RegisteredFeature": (_declares("id", "feature"), NameField("column", "column"), NameField("id", "column")),
    "FeatureGroup": (NameField("featureGroupId", "feature group"), NameField("featureIds", "feature")),
    "Source": (_declares("uri", "source"), NameField("timestampColumn", "column")),
    "Column": (_declares("name", "column"),),
    "IndexConfig": tuple(
        NameField(field, "column") for field in ("embeddingColumn", "filterColumns", "crowdingColumn")
    ),
    "WarehouseSource": (*_URI, NameField("entityIdColumns", "column")),
    "RagSource": _URI,
    "GivenSource": (*_URI, NameField("timestampColumn", "column")),
    **dict.fromkeys(("SyncStep", "FetchStep", "WriteStep", "SearchStep", "ScheduleStep", "ExpectedRun"), _VIEW),
    "WaitStep": (NameField("views", "view"),),
    **dict.fromkeys(("ResolveStep", "SessionStep"), _STORE),
}

GROUPED: Final = {"modifier": ("name", "id", "modifierGroupName", "modifierGroupId"), "feature": ("featureGroupId",)}
"""The fields that name the group of a modifier or a feature, in the message that has them or the one around it."""

_PARENTS: Final[dict[str, tuple[NameKind, str]]] = {
    "ChannelConfig": ("brand", "/channelConfigs/"),
    "FeatureView": ("online store", "/featureViews/"),
}


def collect_occurrences(part: ResourceInFile, path: str, context: ResolutionContext) -> Iterator[Occurrence]:
    """The names of a resource, in no order; `ground` is what its texts go by."""
    from trialrun.lsp.symbols.text_references import has_embedded_names, inside
    from trialrun.model.node import message_fields

    scope = scope_of(part.model.node)
    waiting: list[tuple[Node, Node | None]] = [(part.model.node, None)]
    while waiting:
        node, around = waiting.pop()
        for says in _described(node, around):
            yield from _mentions(part, path, node, says, scope, _within(node, around, says))
        if has_embedded_names(node):
            yield from inside(part, path, node, context, scope)
        for name, listed, _ in message_fields(type(node)):
            value = getattr(node, name)
            inner = value or () if listed else [value]
            waiting.extend((one, node) for one in inner if one is not None)
    yield from _parent(part, path)


def _described(node: Any, around: Any) -> tuple[NameField, ...]:
    """The fields of a message that have names.

    Of a feature without a column the id is the column, and the columns of a view of the registry are its features.
    """
    name = type(node).__name__
    if name == "Column":
        return NAMES[name] if type(around).__name__ == "Source" else (NameField("name", "column"),)
    if name == "RegisteredFeature" and node.column:
        return NAMES[name][:2]
    if name == "IndexConfig" and getattr(around, "featureRegistrySource", None):
        return tuple(NameField(name_field.field, "feature") for name_field in NAMES[name])
    return NAMES.get(name, ())


def _mentions(
    part: ResourceInFile, path: str, node: Node, says: NameField, scope: str, within: tuple[str, ...]
) -> Iterator[Occurrence]:
    value = getattr(node, says.field)
    entry = part.model.path(SymbolicLocation(node)) if says.declares else ()
    for index, text in enumerate(value if isinstance(value, list) else [value]):
        if isinstance(text, str) and text:
            place = SymbolicLocation(node, (says.field, index) if isinstance(value, list) else (says.field,))
            steps = part.model.path(place)
            document = part.document.index
            yield Occurrence(
                says.kind,
                text,
                path,
                document,
                steps,
                says.declares,
                says.forms,
                scope,
                within,
                entry,
                _own(says, text),
            )


def _own(says: NameField, text: str) -> tuple[int, int] | None:
    """The id at the end of a declared resource name: what stands before it names the parent."""
    if says.declares and says.kind in ("config", "view") and "/" in text:
        return text.rindex("/") + 1, len(text)
    return None


def _parent(part: ResourceInFile, path: str) -> Iterator[Occurrence]:
    """The parent that the name of a resource is under."""
    node: Any = part.model.node
    kind, collection = _PARENTS.get(type(node).__name__, ("brand", ""))
    parent = node.name.rpartition(collection)[0] if collection and node.name else ""
    if parent:
        steps = part.model.path(SymbolicLocation(node, ("name",)))
        yield Occurrence(kind, parent, path, part.document.index, steps, chars=(0, len(parent)))


def _within(node: Any, around: Any, says: NameField) -> tuple[str, ...]:
    if says.kind == "column":
        return (_uri(node, around),)
    if type(node).__name__ == "IndexConfig":
        groups = around.featureRegistrySource.featureGroups or ()
        return tuple(dict.fromkeys(group.featureGroupId for group in groups if group.featureGroupId))
    holder = node if type(node).__name__ in ("SuggestedModifierGroup", "TargetModifier", "FeatureGroup") else around
    if says.kind not in GROUPED or type(holder).__name__ in ("CelUpsell", "UpsellConfig"):
        return ()
    found = (getattr(holder, field, None) for field in GROUPED[says.kind])
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
