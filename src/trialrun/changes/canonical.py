"""The canonical form of a model: equal exactly where two documents mean the same, and the pairs of items of lists.

Documented defaults are applied, messages that say nothing are as good as absent, lists without an order are sorted, and
texts have the form of their format: schedules by what they match, times by their instant, language tags and zones by
their canonical name, conditions without blanks and comments.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final, TypeVar, get_origin

from trialrun.changes.change import has_entry, is_ordered
from trialrun.lazy_dataclass import dataclass
from trialrun.model.node import Node, field_spec, message_fields, value_type

DEFAULTS: Final[Mapping[str, Any]] = {
    "AutomaticResources.minReplicaCount": 2,
    "AutomaticResources.maxReplicaCount": 6,
    "TreeAHConfig.leafNodeEmbeddingCount": 1000,
    "IndexConfig.distanceMeasureType": "DOT_PRODUCT_DISTANCE",
    "OfferMessage.messageFrequency": 0.0,
    "CelUpsell.priority": 0,
    "FeatureGroupTable.timestampColumn": "feature_timestamp",
    "Column.mode": "NULLABLE",
    "SearchStep.count": 10,
}
"""What an unset field means, by the specification or by docs/assumptions.md; an unset flag is false."""
TRISTATE: Final = frozenset(
    {
        "FeaturesConfig.confirmOrderInfoAtStart",
        "FeaturesConfig.confirmOrderInfoOnFinalize",
        "FeaturesConfig.budgetBasedOrdering",
    }
)
"""Flags whose explicit false gives the agent an instruction of its own."""
REPLACED: Final[Mapping[str, str]] = {"FeatureView.vectorSearchConfig": "indexConfig"}
"""Deprecated fields that mean the same as another one."""


@cache
def is_flag(model: type[Node]) -> bool:
    """Whether a message has no fields, so that its presence is all that it says."""
    return not model.model_fields


@cache
def says_something_when_empty(model: type[Node], name: str, inner: type[Node]) -> bool:
    """Whether an empty message is not the same as none: it has no fields, or is a member of a union."""
    return is_flag(inner) or any(name in members for members in model.unions.values())


@cache
def default_of(model: type[Node], name: str) -> Any:
    """What an unset scalar means; None where that is something of its own."""
    key = f"{model.__name__}.{name}"
    if key in DEFAULTS:
        return DEFAULTS[key]
    return False if value_type(model, name) is bool and key not in TRISTATE else None


def field_value(node: Node | None, name: str) -> Any:
    """The value of a field: that of a deprecated field where only this is set; None for an empty list."""
    if node is None:
        return None
    value = getattr(node, name)
    if value is None:
        value = next((getattr(node, old) for old in replaced_fields(type(node), name)), None)
    if isinstance(value, (list, dict)) and not value:
        return None
    if value is not None and name == "column" and type(node).__name__ == "RegisteredFeature":
        return None if value == node.id else value  # type: ignore[attr-defined]
    return value


@cache
def replaced_fields(model: type[Node], name: str) -> tuple[str, ...]:
    """The deprecated fields of a message that mean the same as a field."""
    prefix = f"{model.__name__}."
    return tuple(old.removeprefix(prefix) for old, new in REPLACED.items() if old.startswith(prefix) and new == name)


@cache
def compared_fields(model: type[Node]) -> tuple[str, ...]:
    """The fields of a message that are compared: all but the kind, and those that mean the same as another one."""
    return tuple(name for name in model.model_fields if name != "kind" and f"{model.__name__}.{name}" not in REPLACED)


def canonical(node: Node | None) -> Hashable:
    """The canonical form of a message; None for an absent one and for one that says nothing."""
    if node is None:
        return None
    model = type(node)
    fields = ((name, canonical_field(node, name)) for name in compared_fields(model))
    kept = tuple((name, value) for name, value in fields if value != _canonical_default(model, name))
    return kept or None


def canonical_field(node: Node | None, name: str) -> Hashable:
    """The canonical form of the value of a field."""
    value = field_value(node, name)
    if node is None:
        return None
    return canonical_value(type(node), name, value)


def canonical_value(model: type[Node], name: str, value: Any) -> Hashable:
    """The canonical form of a value of a field."""
    if value is None:
        return _canonical_default(model, name)
    inner = _message_types(model).get(name)
    if inner is not None:
        return _canonical_messages(model, name, inner, value)
    return _canonical_scalar(model, name, value)


def _canonical_default(model: type[Node], name: str) -> Hashable:
    default: Hashable = default_of(model, name)
    return default


@cache
def _message_types(model: type[Node]) -> Mapping[str, type[Node]]:
    return {name: inner for name, _, inner in message_fields(model)}


def _canonical_messages(model: type[Node], name: str, inner: type[Node], value: Any) -> Hashable:
    if isinstance(value, list):
        items = [canonical(item) or () for item in value]
        return tuple(items if is_ordered(model.__name__, name) else sorted(items, key=repr))
    form = canonical(value)
    return () if form is None and says_something_when_empty(model, name, inner) else form


def _canonical_scalar(model: type[Node], name: str, value: Any) -> Hashable:
    form = FORMS.get(field_spec(model, name).format or "", _plain)
    if isinstance(value, list):
        items = [form(item) for item in value]
        return tuple(items if is_ordered(model.__name__, name) else sorted(set(items), key=repr))
    if isinstance(value, dict):
        return _plain(value)
    return form(value)


def _plain(value: Any) -> Hashable:
    """A value that is compared as it is."""
    if isinstance(value, dict):
        return tuple(sorted(((key, _plain_item(inner)) for key, inner in value.items()), key=repr))
    if isinstance(value, (list, tuple)):
        return tuple(_plain_item(item) for item in value)
    hashable: Hashable = value
    return hashable


def _plain_item(value: Any) -> Hashable:
    """A value in another one whose types are free: true is not 1 there."""
    return ("flag", value) if isinstance(value, bool) else _plain(value)


@lru_cache(maxsize=4096)
def _schedule(text: str) -> Hashable:
    """A schedule by what it matches: its zone, its fields, and how its days combine."""
    from trialrun.values import cron

    read = cron.parse(text).cron
    if read is None:
        return text
    zone = _zone(read.zone) if read.zone else "UTC"
    return ("cron", zone, read.masks, read.either_day, read.either_day_by_vixie)


@lru_cache(maxsize=4096)
def _zone(text: str) -> Hashable:
    from trialrun.values import time_zone

    return time_zone.modern_name(text) or text


@lru_cache(maxsize=4096)
def language(text: str) -> str:
    """The canonical form of a language tag; of another text, its lower case."""
    from trialrun.values.language_tag import canonicalize

    return canonicalize(text) or text.lower()


@lru_cache(maxsize=4096)
def _time(text: str) -> Hashable:
    from trialrun.values import timestamp

    return timestamp.canonical_form(text) or text


@lru_cache(maxsize=4096)
def _condition(text: str) -> Hashable:
    """A condition by its syntax tree; one that cannot be parsed by its text."""
    from trialrun.values.cel.parse import parse
    from trialrun.values.cel.syntax_tree import canonical_form

    parsed = parse(text)
    return text if parsed.tree is None or parsed.problems else ("cel", canonical_form(parsed.tree))


@lru_cache(maxsize=4096)
def _type_text(text: str) -> Hashable:
    return "".join(text.split())


@lru_cache(maxsize=4096)
def _column_type(text: str) -> Hashable:
    return "".join(text.split()).upper()


FORMS: Final[Mapping[str, Callable[[Any], Hashable]]] = {
    "cron": _schedule,
    "time-zone": _zone,
    "language-tag": language,
    "timestamp": _time,
    "cel-condition": _condition,
    "cel-type": _type_text,
    "column-type": _column_type,
}
"""The canonical form of a text, by its format."""


def plain_value(value: Any) -> Any:
    """The value as plain JSON, as it is written in the document."""
    if isinstance(value, Node):
        return value.model_dump(mode="json", exclude_unset=True, exclude_none=True, warnings=False)
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    if isinstance(value, dict):
        return {key: plain_value(inner) for key, inner in value.items()}
    return value


def is_list(model: type[Node], name: str) -> bool:
    """Whether a field holds a list."""
    return get_origin(value_type(model, name)) is list


def is_map(model: type[Node], name: str) -> bool:
    """Whether a field holds a mapping."""
    return get_origin(value_type(model, name)) is dict


def message_type(model: type[Node], name: str) -> type[Node] | None:
    """The message that a field holds, or a list of it; None for a field of plain values."""
    return _message_types(model).get(name)


Item = TypeVar("Item")
SAME_IN_PAIR = frozenset({"GreetingOffer.messages", "ClosingOffer.closingMessages", "DisambiguationStrategy.mappings"})
"""Lists of which the only item without a counterpart on both sides is the same one, edited."""


@dataclass(frozen=True, slots=True)
class ItemPairs:
    """The indexes of items that belong together, of those only on one side, and of those under another name."""

    pairs: Sequence[tuple[int, int]]
    renamed: Sequence[tuple[int, int]]
    removed: Sequence[int]
    added: Sequence[int]


def pair_items(model: type[Node], name: str, before: Sequence[Node], after: Sequence[Node]) -> ItemPairs:
    """Pair the items of a list field on two sides."""
    pairs = list(pair_by(before, after, _key_and_content))
    pairs += pair_by(before, after, item_key, taken=pairs)
    renamed: list[tuple[int, int]] = []
    if has_entry(model.__name__, name, "renamed"):
        renamed = list(pair_by(before, after, _content_without_key, taken=pairs, only_unique=True))
    taken = [*pairs, *renamed]
    removed = _rest(len(before), (first for first, _ in taken))
    added = _rest(len(after), (second for _, second in taken))
    if len(removed) == len(added) == 1 and f"{model.__name__}.{name}" in SAME_IN_PAIR:
        pairs.append((removed.pop(), added.pop()))
    return ItemPairs(sorted(pairs), sorted(renamed), removed, added)


def _rest(count: int, taken: Iterable[int]) -> list[int]:
    return sorted(set(range(count)).difference(taken))


def pair_by(
    before: Sequence[Item],
    after: Sequence[Item],
    key: Callable[[Item], Hashable],
    *,
    taken: Iterable[tuple[int, int]] = (),
    only_unique: bool = False,
) -> Iterator[tuple[int, int]]:
    """Pairs of items with equal keys, the first with the first; items whose key is None are left out.

    With `only_unique`, only those whose key no other item has that is left.
    """
    taken = list(taken)
    firsts = _places(before, {first for first, _ in taken}, key)
    seconds = _places(after, {second for _, second in taken}, key)
    for value, indexes in firsts.items():
        others = seconds.get(value, [])
        if not only_unique or len(indexes) == len(others) == 1:
            yield from zip(indexes, others, strict=False)


def _places(items: Sequence[Item], taken: set[int], key: Callable[[Item], Hashable]) -> dict[Hashable, list[int]]:
    places: dict[Hashable, list[int]] = defaultdict(list)
    for index, item in enumerate(items):
        if index not in taken and (value := key(item)) is not None:
            places[value].append(index)
    return places


def item_key(item: Node) -> Hashable:
    """What names an item: the first of its key fields that it has, by its canonical value; else its content."""
    for name in type(item).item_key or ():
        key = _key_of(getattr(item, name), type(item), name, item)
        if key is not None:
            return (name, key)
    return ("content", canonical(item))


def _key_of(value: Any, model: type[Node], name: str, item: Node) -> Hashable:
    if value is None or value == default_of(model, name):
        return None
    if isinstance(value, Node):
        return item_key(value)
    form = canonical_field(item, name)
    if is_list(model, name) and isinstance(form, tuple):
        return (form if is_ordered(model.__name__, name) else sorted(form, key=repr))[0] if form else None
    return form


def _key_and_content(item: Node) -> Hashable:
    return (item_key(item), canonical(item))


def _content_without_key(item: Node) -> Hashable:
    key = item_key(item)
    name = key[0] if isinstance(key, tuple) else None
    fields = tuple((field, canonical_field(item, field)) for field in compared_fields(type(item)) if field != name)
    says_something = any(form is not None for _, form in fields)
    return fields if says_something else None
