"""The catalogue of changes: every id with its default level, and which field of which message it is about.

A field of a FeatureView or a ChannelConfig has an entry of its own. A companion document may have fields without one:
they fall back to the entry of their message (`MenuItem.*`), then to that of their kind (`Menu.*`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from trialrun.changes.change import Operation
from trialrun.changes.change_type import ChangeType, by_subject

UNORDERED_LISTS = frozenset(
    {
        "FeatureGroup.featureIds",
        "FeatureRegistrySource.featureGroups",
        "IndexConfig.filterColumns",
        "UpsellStrategy.upsells",
        "ClosingMessage.skipTerms",
        "GreetingOffer.messages",
        "ClosingOffer.closingMessages",
        "OfferMessage.messageConfigs",
        "OperationsConfig.greetings",
        "DisambiguationStrategy.mappings",
        "DisambiguationMapping.customerTerms",
        "StoreSelector.tags",
        "StoreSelector.names",
        "Store.tags",
        "Brand.stores",
        "Menu.items",
        "Menu.modifierGroups",
        "ModifierGroup.modifiers",
        "MenuItem.modifierGroups",
        "FeatureGroupTable.features",
        "Source.columns",
        "GivenSource.columns",
        "Given.sources",
    }
)
"""Lists whose order means nothing: what they hold is matched by names, or by priority."""


def is_ordered(model: str, field: str) -> bool:
    """Whether the order of a list means something."""
    return f"{model}.{field}" not in UNORDERED_LISTS


@cache
def change_types() -> Mapping[str, ChangeType]:
    """All kinds of changes by id, in the order of the catalogue."""
    from trialrun.changes.catalog import brands, companions, configs, views

    types = (*views.TYPES, *configs.TYPES, *brands.TYPES, *companions.TYPES)
    by_id = {change_type.id: change_type for change_type in types}
    if len(by_id) != len(types):
        raise ValueError("two kinds of changes have one id")
    return by_id


@cache
def _subjects() -> Mapping[tuple[str, Operation | None], ChangeType]:
    return by_subject(tuple(change_types().values()))


def find_type(kind: str, model: str, field: str, operation: Operation) -> ChangeType | None:
    """The kind of change that an operation on a field is; None if the catalogue has none."""
    subjects = _subjects()
    for name in (f"{model}.{field}", f"{model}.*", f"{kind}.*"):
        for key in ((name, operation), (name, None)):
            if key in subjects:
                return subjects[key]
    return None


def type_of(kind: str, model: str, field: str, operation: Operation) -> ChangeType:
    """The kind of change that an operation on a field is. Raises KeyError if the catalogue has none."""
    change_type = find_type(kind, model, field, operation)
    if change_type is None:
        raise KeyError(f"{model}.{field} {operation}")
    return change_type


def resource_type(kind: str, operation: Operation) -> ChangeType:
    """The kind of change that adding, removing or renaming a resource is."""
    return _subjects()[kind, operation]


@cache
def has_entry(model: str, field: str, operation: Operation | None) -> bool:
    """Whether the catalogue has an entry for exactly this."""
    return (f"{model}.{field}", operation) in _subjects()


@cache
def is_described(model: str) -> bool:
    """Whether the catalogue describes single fields of a message, so that it is worth looking into."""
    return any(name.startswith(f"{model}.") for name, _ in _subjects())


def mirror_of(id: str) -> str:
    """The id of the same change made backwards."""
    return change_types()[id].mirror or id


def ids() -> Sequence[str]:
    """All ids, sorted."""
    return sorted(change_types())
