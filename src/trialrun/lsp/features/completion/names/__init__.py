"""Completion of declared names, by what the model says a field refers to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from trialrun.lsp.features.completion.edits import Candidate
from trialrun.lsp.features.completion.expected_type import EnclosingMessage, ExpectedType
from trialrun.lsp.features.completion.names import brand_names, menus, resources, scenarios, tables
from trialrun.lsp.features.completion.names.named import NamesWithDetail
from trialrun.lsp.features.completion.partial_tree import MARK, Scalar, Sequence
from trialrun.model.node import FieldSpec, NameForm, SymbolKind, TextFormat, field_spec

if TYPE_CHECKING:
    from trialrun.workspace.open_workspace import OpenWorkspace


def declared_names(workspace: OpenWorkspace, expected_type: ExpectedType) -> Iterator[Candidate]:
    """The names that the field at the cursor may refer to, without those already in its list."""
    owner = expected_type.of[-1]
    yield from _candidates(workspace, expected_type, names_of(field_spec(owner.model, owner.field)), set(_items(owner)))


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


def _items(owner: EnclosingMessage) -> Iterator[str]:
    listed = owner.mapping.get(owner.field)
    for item in listed.items if isinstance(listed, Sequence) else ():
        if isinstance(item, Scalar) and MARK not in item.text:
            yield item.text


Names = Callable[["OpenWorkspace", ExpectedType], NamesWithDetail]
BY_NAME: Final[Mapping[SymbolKind, Names]] = {
    "binding": brand_names.rules,
    "brand": brand_names.brand_names,
    "column": tables.columns,
    "config": brand_names.configs,
    "customer term": brand_names.terms,
    "daypart": menus.dayparts,
    "feature": tables.features,
    "feature group": tables.groups,
    "filter column": scenarios.filter_columns,
    "item": menus.item_names,
    "modifier": menus.modifier_names,
    "modifier group": menus.group_names,
    "served feature": scenarios.features,
    "source": tables.uris,
    "store": brand_names.stores,
    "tag": brand_names.tags,
    "tool": scenarios.tools,
    "upsell": brand_names.upsells,
    "view": tables.view_names,
}
BY_SEMANTIC_NAME: Final[Mapping[SymbolKind, Names]] = {
    "item": menus.item_semantic_names,
    "modifier": menus.modifier_semantic_names,
    "modifier group": menus.group_semantic_names,
}
BY_ID: Final[Mapping[SymbolKind, Names]] = {
    "item": menus.item_ids,
    "modifier": menus.modifier_ids,
    "modifier group": menus.group_ids,
}
BY_FORM: Final[Mapping[NameForm, Mapping[SymbolKind, Names]]] = {
    "name": BY_NAME,
    "semantic name": BY_SEMANTIC_NAME,
    "id": BY_ID,
}
NEW_NAMES: Final[Mapping[SymbolKind, Names]] = {
    "config": resources.config_names,
    "tag": brand_names.tags,
    "view": resources.view_names,
}
"""Names for a new declaration: existing tags, or a resource name made from the file name."""
OF_FORMAT: Final[Mapping[TextFormat, Names]] = {
    "config-file": brand_names.files,
    "config-or-file": brand_names.configs,
    "field-path": scenarios.field_paths,
    "label": tables.label_values,
    "order-line": menus.item_names,
    "skip-reason": scenarios.reasons,
}
KEYS: Final[Mapping[SymbolKind | TextFormat, Names]] = {
    "column": tables.columns,
    "label": tables.label_keys,
    "served feature": scenarios.features,
}


def names_of(spec: FieldSpec) -> Names | None:
    """The names that a field may have, by what the model says that it refers to, declares or holds."""
    if spec.names is not None:
        return BY_FORM[spec.by[0]].get(spec.names)
    if spec.declares is not None:
        return NEW_NAMES.get(spec.declares)
    return OF_FORMAT.get(spec.format) if spec.format is not None else None
