"""Collects the occurrences of names in a resource, by message and field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from trialrun.diagnostic import SymbolicLocation
from trialrun.lsp.symbols.occurrence import NameField, NameKind, Occurrence, name_fields
from trialrun.lsp.symbols.text_references import ResolutionContext, has_embedded_names, inside
from trialrun.model.node import Node, message_fields
from trialrun.workspace.open_workspace import ResourceInFile

GROUPED: Final = {
    "modifier": ("name", "displayName", "semanticName", "id", "modifierGroupName", "modifierGroupId"),
    "feature": ("featureGroupId",),
}
"""The fields that name the group of a modifier or feature, in its own message or the enclosing one."""

_PARENTS: Final[dict[str, tuple[NameKind, str]]] = {
    "ChannelConfig": ("brand", "/channelConfigs/"),
    "FeatureView": ("online store", "/featureViews/"),
}


def collect_occurrences(part: ResourceInFile, path: str, context: ResolutionContext) -> Iterator[Occurrence]:
    """The names in a resource, unordered; `context` resolves the names in its texts."""
    scope = scope_of(part.model.node)
    waiting: list[tuple[Node, Node | None]] = [(part.model.node, None)]
    while waiting:
        node, around = waiting.pop()
        for says in _described(node, around):
            yield from _mentions(part, path, node, says, scope, _within(node, around, says))
        if has_embedded_names(node):
            yield from inside(part, path, node, context, scope)
        if type(node).__name__ == "SessionStep":
            continue  # turns may be in a table, so `inside` has read them with the step
        for name, listed, _ in message_fields(type(node)):
            value = getattr(node, name)
            inner = value or () if listed else [value]
            waiting.extend((child, node) for child in inner if child is not None)
    yield from _parent(part, path)


def _described(node: Any, around: Any) -> tuple[NameField, ...]:
    """The fields of a message that contain names.

    For a feature without a column, the id is the column; the columns of a registry view are its features.
    """
    model: type[Node] = type(node)
    name, fields = model.__name__, name_fields(model)
    if name == "Column" and type(around).__name__ != "Source":
        return (NameField("name", "column"),)
    if name == "RegisteredFeature" and node.column:
        return tuple(field for field in fields if field.field == "column" or field.declares)
    if name == "IndexConfig" and getattr(around, "featureRegistrySource", None):
        return tuple(NameField(field.field, "feature") for field in fields)
    return fields


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
    """The range of the id at the end of a declared resource name; the part before it names the parent."""
    if says.declares and says.kind in ("config", "view") and "/" in text:
        return text.rindex("/") + 1, len(text)
    return None


def _parent(part: ResourceInFile, path: str) -> Iterator[Occurrence]:
    """The parent in the name of a resource."""
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
    """The table of a column: that of the message, of the enclosing one, or of the source of the view."""
    if hasattr(node, "uri"):
        return node.uri or ""
    view = around if type(around).__name__ == "FeatureView" else None
    table = (view.warehouseSource or view.ragSource) if view else around
    return getattr(table, "uri", None) or ""


def scope_of(resource: Any) -> str:
    """The brand or project that a resource belongs to."""
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
