"""Completion of declared names, by what the model says a field refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final, get_args

from trialrun.lsp.features.completion.cursor import Candidate
from trialrun.lsp.features.completion.expected_type import ExpectedType
from trialrun.lsp.features.completion.partial_parser import MARK, PartialMapping, PartialScalar, PartialSequence
from trialrun.lsp.symbols.conditions import EmbeddedName
from trialrun.model.channel_config import ChannelConfig, DisambiguationMapping, UpsellConfig
from trialrun.model.companion import FeatureGroupTable
from trialrun.model.feature_view import FeatureView
from trialrun.model.menu import Menu, MenuItem, Modifier, ModifierGroup, entry_names, entry_title, semantic_names
from trialrun.model.node import FieldSpec, NameForm, Node, SymbolKind, TextFormat, field_spec, message_fields
from trialrun.runtime.channel_config.dialogue.instructions import FEATURES
from trialrun.runtime.channel_config.session.turn import SkipReasonCode
from trialrun.values.resource_name import last_id
from trialrun.workspace.open_workspace import OpenWorkspace
from trialrun.workspace.open_workspace.catalog_cache import brands, last_known_brands, views

NamesWithDetail = Iterator[tuple[str | None, str]]
"""Names, None if a document lacks one, each with a detail."""
Names = Callable[["OpenWorkspace", ExpectedType], NamesWithDetail]


def declared_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> Iterator[Candidate]:
    """The names that the field at the cursor may refer to, without those already in its list."""
    owner = expected_type.of[-1]
    listed = owner.mapping.get(owner.field)
    items = listed.items if isinstance(listed, PartialSequence) else ()
    there = {item.text for item in items if isinstance(item, PartialScalar) and MARK not in item.text}
    yield from _candidates(workspace, expected_type, names_of(field_spec(owner.model, owner.field)), there)


def names_in_menu(workspace: OpenWorkspace, expected_type: ExpectedType, name: EmbeddedName) -> Iterator[Candidate]:
    """The names or ids of the menu that a text of a condition may be."""
    names = next((names for kind, names in BY_FORM[name.forms[0]].items() if kind == name.kind), None)
    return _candidates(workspace, expected_type, names, set())


def map_key_names(workspace: OpenWorkspace, expected_type: ExpectedType, there: set[str]) -> Iterator[Candidate]:
    """The names that a key of the map at the cursor may have, without existing keys."""
    if expected_type.of:
        keys = field_spec(expected_type.of[-1].model, expected_type.of[-1].field).keys
        yield from _candidates(workspace, expected_type, KEYS.get(keys[-1]) if keys else None, there)


def _candidates(
    workspace: OpenWorkspace, expected_type: ExpectedType, names: Names | None, there: set[str]
) -> Iterator[Candidate]:
    """Names without duplicates and without existing ones."""
    seen = set(there)
    for name, detail in names(workspace, expected_type) if names else ():
        if name and name not in seen:
            seen.add(name)
            yield Candidate(name, "name", detail)


def _configs(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    for config in brands(workspace).configs:
        yield config.node.name, ", ".join(filter(None, (config.node.displayName, config.node.type)))


def _stores(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The stores of all brands; in a brand its own."""
    for store in brands(workspace).stores:
        if expected_type.kind != "Brand" or store.brand.node.name == expected_type.root.text("name"):
            yield store.name, store.store.displayName or ""


def _tags(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    return ((tag, f"a tag of {store.name}") for store in brands(workspace).stores for tag in store.store.tags or ())


def _binding_rules(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    for brand in brands(workspace).brands:
        for holder in (brand.node, *(brand.node.stores or ())):
            yield from ((binding.rule, binding.channelConfig or "") for binding in holder.bindings or ())


def _upsells(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    for config in brands(workspace).configs:
        strategy = config.node.operationsConfig and config.node.operationsConfig.upsellStrategy
        upsells: list[UpsellConfig] = (strategy.upsells if strategy else None) or []
        yield from ((upsell.displayName, config.path) for upsell in upsells)


def _customer_terms(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """What customers say, by the mappings of all configs."""
    for config in brands(workspace).configs:
        strategy = config.node.operationsConfig and config.node.operationsConfig.disambiguationStrategy
        mappings: list[DisambiguationMapping] = (strategy.mappings if strategy else None) or []
        yield from ((term, mapping.type or "") for mapping in mappings for term in mapping.customerTerms or ())


def spoken_languages(workspace: OpenWorkspace) -> frozenset[str]:
    """The languages that the configs of the workspace speak, as far as these have been read: nobody waits for them."""
    catalog = last_known_brands(workspace)
    if catalog is None:
        return frozenset()
    known: frozenset[str] | None = catalog.cache.get("spoken languages")
    if known is None:
        spoken = [config.node.operationsConfig for config in catalog.configs if config.node.operationsConfig]
        tags = {operations.defaultLanguageCode for operations in spoken}
        tags |= {greeting.languageCode for operations in spoken for greeting in operations.greetings or ()}
        known = catalog.cache["spoken languages"] = frozenset(filter(None, tags))
    return known


def _menus(workspace: OpenWorkspace, expected_type: ExpectedType) -> Iterator[Menu]:
    """The menus of the brand of a resource; all if its brand is unknown."""
    root = expected_type.root
    is_menu = expected_type.kind == "Menu"
    brand = root.text("brand") if is_menu else (root.text("name") or "").rpartition("/channelConfigs/")[0]
    for menu in brands(workspace).menus:
        if not brand or not menu.node.brand or last_id(menu.node.brand) == last_id(brand):
            yield menu.node


Entry = tuple["MenuItem | Modifier | ModifierGroup", str]
"""An entry of a menu, with the name of the group of a modifier."""


def _items(menus: Iterator[Menu], _: PartialMapping) -> Iterator[Entry]:
    return ((item, "") for menu in menus for item in menu.items or ())


def _modifier_groups(menus: Iterator[Menu], _: PartialMapping) -> Iterator[Entry]:
    return ((group, "") for menu in menus for group in menu.modifierGroups or ())


def _modifiers(menus: Iterator[Menu], message: PartialMapping) -> Iterator[Entry]:
    """The modifiers of the groups that a message names; of all if it names none."""
    named = {message.text(field) for field in ("name", "modifierGroupName", "modifierGroupId")} - {None}
    groups = [group for menu in menus for group in menu.modifierGroups or ()]
    of_name = [group for group in groups if named & {*entry_names(group), *semantic_names(group), group.id}]
    for group in of_name or groups:
        yield from ((modifier, entry_title(group)) for modifier in group.modifiers or ())


def _names(entries: Iterator[Entry]) -> NamesWithDetail:
    return ((name, group or entry.id or "") for entry, group in entries for name in entry_names(entry))


def _semantic_names(entries: Iterator[Entry]) -> NamesWithDetail:
    for entry, group in entries:
        title = entry_title(entry)
        yield from ((name, group or (title if title != name else entry.id or "")) for name in semantic_names(entry))


def _ids(entries: Iterator[Entry]) -> NamesWithDetail:
    return ((entry.id, entry_title(entry)) for entry, _ in entries)


def _of_menu(
    entries: Callable[[Iterator[Menu], PartialMapping], Iterator[Entry]],
    form: Callable[[Iterator[Entry]], NamesWithDetail],
) -> Names:
    """The names of some entries of the menus, in one of their forms."""
    return lambda workspace, expected_type: form(
        entries(_menus(workspace, expected_type), expected_type.of[-1].mapping)
    )


def _new_view_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """Names for a FeatureView: below the known online stores, and next to known views."""
    known = views(workspace)
    stores = [store.node.name or "" for store in known.stores]
    return _new_names(
        stores, "featureViews", expected_type.stem.replace("-", "_"), [one.node.name for one in known.views]
    )


def _new_config_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """Names for a ChannelConfig: below the known brands, and next to known configs."""
    known = brands(workspace)
    parents = [brand.node.name or "" for brand in known.brands]
    return _new_names(parents, "channelConfigs", expected_type.stem, [config.node.name for config in known.configs])


def _new_names(parents: list[str], collection: str, stem: str, taken: list[str | None]) -> NamesWithDetail:
    """Names with that of the file as id, below parents with a full name and beside names that are taken."""
    beside = [(name or "").rpartition(f"/{collection}/")[0] for name in taken]
    for parent in dict.fromkeys([*(parent for parent in parents if "/" in parent), *beside]):
        name = f"{parent}/{collection}/{stem}"
        if parent and stem and name not in taken:
            yield name, "from the file name"


def _features(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    wanted = expected_type.of[-1].mapping.text("featureGroupId")
    for group in views(workspace).groups:
        if group.node.featureGroupId == wanted:
            yield from ((feature.id, feature.column or "") for feature in group.node.features or ())


def _columns(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The columns of the table that the message or its view names."""
    for owner in reversed(expected_type.of):
        for place in (owner.mapping, *(owner.mapping.get(name) for name in ("warehouseSource", "ragSource"))):
            if isinstance(place, PartialMapping) and (uri := place.text("uri")):
                return _columns_of(workspace, uri)
    return iter(())


def _columns_of(workspace: OpenWorkspace, uri: str) -> NamesWithDetail:
    """The columns that the Source of a URI declares, otherwise those that views and groups of the table use."""
    known = views(workspace)
    source = next((source.node for source in known.sources if source.node.uri == uri and source.node.columns), None)
    if source is not None:
        for column in source.columns or ():
            yield column.name, " ".join(filter(None, (column.type, column.mode)))
        return
    for group in known.groups:
        if group.node.uri == uri:
            yield from ((name, f"named in {group.path}") for name in _columns_of_group(group.node))
    for view in known.views:
        if uri in [source.uri for source in (view.node.warehouseSource, view.node.ragSource) if source]:
            yield from ((name, f"named in {view.path}") for name in _columns_of_view(view.node))


def _columns_of_group(group: FeatureGroupTable) -> Iterator[str | None]:
    yield from group.entityIdColumns or ()
    yield group.timestampColumn
    yield from (feature.column or feature.id for feature in group.features or ())


def _columns_of_view(view: FeatureView) -> Iterator[str | None]:
    yield from (view.warehouseSource.entityIdColumns if view.warehouseSource else None) or ()
    for index in filter(None, (view.indexConfig, view.vectorSearchConfig)):
        yield from (index.embeddingColumn, *(index.filterColumns or ()), index.crowdingColumn)


def _label_values(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    """The values that other views have for the label."""
    step = next(
        (step for container, step in reversed(expected_type.steps) if isinstance(container, PartialMapping)), None
    )
    labels = ((view.node.labels or {}, view.path) for view in views(workspace).views)
    return ((label[step], path) for label, path in labels if isinstance(step, str) and step in label)


def _view_of_step(workspace: OpenWorkspace, expected_type: ExpectedType) -> FeatureView | None:
    """The view that the step of a scenario names, by its full name or its id."""
    name = next((text for owner in reversed(expected_type.of) if (text := owner.mapping.text("view"))), None)
    known = [view.node for view in views(workspace).views if view.node.name and name]
    exact = [view for view in known if view.name == name]
    return next(iter(exact or [view for view in known if last_id(view.name or "") == name]), None)


def _served_features(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    view = _view_of_step(workspace, expected_type)
    if view is None:
        return
    registry, source = view.featureRegistrySource, view.warehouseSource or view.ragSource
    for group in (registry.featureGroups if registry else None) or ():
        yield from ((feature, group.featureGroupId or "") for feature in group.featureIds or ())
    if source is not None and source.uri:
        ids = (view.warehouseSource.entityIdColumns if view.warehouseSource else None) or ()
        yield from ((name, detail) for name, detail in _columns_of(workspace, source.uri) if name not in ids)


def _filter_columns(workspace: OpenWorkspace, expected_type: ExpectedType) -> NamesWithDetail:
    view = _view_of_step(workspace, expected_type)
    index = (view.indexConfig or view.vectorSearchConfig) if view else None
    return ((name, "a filter column") for name in (index.filterColumns if index else None) or ())


@cache
def _paths_below(model: type[Node], above: str) -> tuple[str, ...]:
    """The paths of the fields of a message that are not inside of lists."""
    inner = {name: part for name, listed, part in message_fields(model) if not listed}
    paths: list[str] = []
    for name in model.model_fields:
        if above or name not in ("kind", "name", "type"):
            paths += [above + name, *(_paths_below(inner[name], f"{above}{name}.") if name in inner else ())]
    return tuple(paths)


BY_FORM: Final[Mapping[NameForm, Mapping[SymbolKind, Names]]] = {
    "name": {
        "binding": _binding_rules,
        "brand": lambda workspace, _: ((one.node.name, one.node.displayName or "") for one in brands(workspace).brands),
        "column": _columns,
        "config": _configs,
        "customer term": _customer_terms,
        "daypart": lambda workspace, expected_type: (
            (part.name, menu.name or "") for menu in _menus(workspace, expected_type) for part in menu.dayparts or ()
        ),
        "feature": _features,
        "feature group": lambda workspace, _: (
            (group.node.featureGroupId, group.node.uri or "") for group in views(workspace).groups
        ),
        "filter column": _filter_columns,
        "item": _of_menu(_items, _names),
        "modifier": _of_menu(_modifiers, _names),
        "modifier group": _of_menu(_modifier_groups, _names),
        "served feature": _served_features,
        "source": lambda workspace, _: ((source.node.uri, source.path) for source in views(workspace).sources),
        "store": _stores,
        "tag": _tags,
        "tool": lambda workspace, _: (feature.tool for feature in FEATURES.values() if feature.tool),
        "upsell": _upsells,
        "view": lambda workspace, _: ((view.node.name, view.path) for view in views(workspace).views),
    },
    "semantic name": {
        "item": _of_menu(_items, _semantic_names),
        "modifier": _of_menu(_modifiers, _semantic_names),
        "modifier group": _of_menu(_modifier_groups, _semantic_names),
    },
    "id": {
        "item": _of_menu(_items, _ids),
        "modifier": _of_menu(_modifiers, _ids),
        "modifier group": _of_menu(_modifier_groups, _ids),
    },
}
NEW_NAMES: Final[Mapping[SymbolKind, Names]] = {"config": _new_config_names, "tag": _tags, "view": _new_view_names}
"""Names for a new declaration: existing tags, or a resource name made from the file name."""
OF_FORMAT: Final[Mapping[TextFormat, Names]] = {
    "config-file": lambda workspace, _: ((one.path, one.node.name or "") for one in brands(workspace).configs),
    "config-or-file": _configs,
    "field-path": lambda workspace, _: ((path, "") for path in _paths_below(ChannelConfig, "")),
    "label": _label_values,
    "order-line": _of_menu(_items, _names),
    "skip-reason": lambda workspace, _: ((code, "") for code in sorted(get_args(SkipReasonCode))),
}
KEYS: Final[Mapping[SymbolKind | TextFormat, Names]] = {
    "column": _columns,
    "label": lambda workspace, _: (
        (key, view.path) for view in views(workspace).views for key in view.node.labels or ()
    ),
    "served feature": _served_features,
}


def names_of(spec: FieldSpec) -> Names | None:
    """The names that a field may have, by what the model says that it refers to, declares or holds."""
    if spec.names is not None:
        return BY_FORM[spec.by[0]].get(spec.names)
    if spec.declares is not None:
        return NEW_NAMES.get(spec.declares)
    return OF_FORMAT.get(spec.format) if spec.format is not None else None
