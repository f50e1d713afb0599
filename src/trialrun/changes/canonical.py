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
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.node import Node, field_spec, message_fields, value_type
from trialrun.model.validate import validate
from trialrun.runtime.channel_config.equivalence import Difference
from trialrun.runtime.channel_config.overlay import MERGE_KEYS

DEFAULTS: Final[Mapping[str, Any]] = {
    "AutomaticResources.minReplicaCount": 2,
    "AutomaticResources.maxReplicaCount": 6,
    "TreeAHConfig.leafNodeEmbeddingCount": 1000,
    "FeatureView.serviceAgentType": "SERVICE_AGENT_TYPE_PROJECT",
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
INDEX, OLD_INDEX = "indexConfig", "vectorSearchConfig"
"""A field of views, and its deprecated name."""


@cache
def default_of(model: type[Node], name: str) -> Any:
    """What an unset scalar means; None where that is something of its own."""
    key = f"{model.__name__}.{name}"
    if key in DEFAULTS:
        return DEFAULTS[key]
    return False if value_type(model, name) is bool and key not in TRISTATE else None


@cache
def message_types(model: type[Node]) -> Mapping[str, type[Node]]:
    """The messages that fields of a message hold, or lists of them, by field."""
    return {name: inner for name, _, inner in message_fields(model)}


@cache
def container(model: type[Node], name: str) -> type | None:
    """`list` or `dict` for a field that holds one."""
    origin: type | None = get_origin(value_type(model, name))
    return origin


def field_value(node: Node | None, name: str) -> Any:
    """The value of a field: that of a deprecated field where only this is set; None for an empty list."""
    if node is None:
        return None
    value = getattr(node, name)
    if value is None and name == INDEX:
        value = getattr(node, OLD_INDEX)
    if isinstance(value, (list, dict)) and not value:
        return None
    if value is not None and name == "column" and type(node).__name__ == "RegisteredFeature":
        return None if value == node.id else value  # type: ignore[attr-defined]
    return value


@cache
def compared_fields(model: type[Node]) -> tuple[str, ...]:
    """The fields of a message that are compared: all but the kind, and one that means the same as another one."""
    return tuple(name for name in model.model_fields if name not in ("kind", OLD_INDEX))


def canonical(node: Node | None) -> Hashable:
    """The canonical form of a message; None for an absent one and for one that says nothing."""
    if node is None:
        return None
    fields = ((name, canonical_field(node, name)) for name in compared_fields(type(node)))
    return tuple((name, form) for name, form in fields if form != default_of(type(node), name)) or None


def canonical_field(node: Node, name: str) -> Hashable:
    """The canonical form of the value of a field.

    An empty message is none, unless it has no fields, so that its presence is what it says, or is a member of a union.
    What only Terraform knows has the form of its expression.
    """
    unknown = node.unknown_value(name)
    form = _known_form(node, name)
    return form if unknown is None else ("unknown", repr(unknown), form)


def _known_form(node: Node, name: str) -> Hashable:
    model, value = type(node), field_value(node, name)
    if value is None:
        unset: Hashable = default_of(model, name)
        return unset
    inner, form = message_types(model).get(name), field_spec(model, name).format or ""
    if isinstance(value, list):
        items = [(canonical(item) or ()) if inner else _scalar_form(form, item) for item in value]
        if is_ordered(model.__name__, name):
            return tuple(items)
        return tuple(sorted(items if inner else set(items), key=repr))
    if inner is None:
        return _plain(value) if isinstance(value, dict) else _scalar_form(form, value)
    says_something = not inner.model_fields or any(name in members for members in model.unions.values())
    return canonical(value) or (() if says_something else None)


def _scalar_form(format: str, value: Any) -> Hashable:
    return text_form(format, value) if format in FORMATS else _plain(value)


def _plain(value: Any, *, is_inside: bool = False) -> Hashable:
    """A value that is compared as it is; inside of another one types are free: true is not 1 there."""
    if isinstance(value, dict):
        return tuple(sorted(((key, _plain(inner, is_inside=True)) for key, inner in value.items()), key=repr))
    if isinstance(value, (list, tuple)):
        return tuple(_plain(item, is_inside=True) for item in value)
    return ("flag", value) if is_inside and isinstance(value, bool) else value


NAMES_OF_UTC: Final = frozenset({"UTC", "UCT", "Universal", "Zulu", "GMT", "GMT0", "GMT+0", "GMT-0", "Greenwich"})
FORMATS: Final = ("cron", "time-zone", "language-tag", "timestamp", "cel-condition", "cel-type", "column-type")
"""Formats whose texts may differ and mean the same."""


@lru_cache(maxsize=16_384)
def text_form(format: str, text: str) -> Hashable:
    """The canonical form of a text of one of FORMATS; of one that cannot be read, the text."""
    match format:
        case "cron":  # by what it matches: its zone, its fields, and how its days combine
            from trialrun.values import cron

            read = cron.parse(text).cron
            if read is None:
                return text
            zone = text_form("time-zone", read.zone) if read.zone else "UTC"
            return ("cron", zone, read.masks, read.either_day, read.either_day_by_vixie)
        case "time-zone":
            from trialrun.values.time_zone import modern_name

            zone = modern_name(text) or text
            return "UTC" if zone.removeprefix("Etc/") in NAMES_OF_UTC else zone
        case "language-tag":
            from trialrun.values.language_tag import canonicalize

            return canonicalize(text) or text.lower()
        case "timestamp":
            from trialrun.values import timestamp

            return timestamp.canonical_form(text) or text
        case "cel-condition":
            from trialrun.values.cel.parse import parse
            from trialrun.values.cel.syntax_tree import canonical_form

            parsed = parse(text)
            return text if parsed.tree is None or parsed.problems else ("cel", canonical_form(parsed.tree))
        case "column-type":
            return "".join(text.split()).upper()
    return "".join(text.split())


def means_the_same(one: Difference) -> bool:
    """Whether the two plain values of an effective field mean the same, such as none and its explicit default.

    Whether a session takes a field of the agent from a type at all depends on its presence there.
    """
    model: type[Node] = ChannelConfig
    field, is_item = "", False
    for step in one.path:
        is_item = field in MERGE_KEYS and not is_item
        if not is_item:
            model, field = message_types(model).get(field, model), step
    is_presence = len(one.path) < 3 and None in (one.before, one.after)
    if is_presence or is_item or field in MERGE_KEYS:
        return False
    before, after = (canonical_field(validate({field: value}, model).node, field) for value in (one.before, one.after))
    return before == after


def plain_value(value: Any) -> Any:
    """The value as plain JSON, as it is written in the document."""
    if isinstance(value, Node):
        return value.model_dump(mode="json", exclude_unset=True, exclude_none=True, warnings=False)
    if isinstance(value, list):
        return [plain_value(item) for item in value]
    if isinstance(value, dict):
        return {key: plain_value(inner) for key, inner in value.items()}
    return value


Item = TypeVar("Item")
SAME_IN_PAIR = frozenset({"GreetingOffer.messages", "ClosingOffer.closingMessages", "DisambiguationStrategy.mappings"})
"""Lists of which the only item without a counterpart on both sides is the same one, edited."""


Pairs = list[tuple[int, int]]


def pair_items(
    model: type[Node], name: str, before: Sequence[Node], after: Sequence[Node]
) -> tuple[Pairs, Pairs, list[int], list[int]]:
    """The indexes of items of a list field that belong together, also under another name, or are gone or new."""
    pairs = list(pair_by(before, after, lambda item: (item_key(item), canonical(item))))
    pairs += pair_by(before, after, item_key, taken=pairs)
    renamed: Pairs = []
    if has_entry(model.__name__, name, "renamed"):
        renamed = list(pair_by(before, after, _content_without_key, taken=pairs, only_unique=True))
    taken = [*pairs, *renamed]
    removed = sorted(set(range(len(before))).difference(first for first, _ in taken))
    added = sorted(set(range(len(after))).difference(second for _, second in taken))
    if len(removed) == len(added) == 1 and f"{model.__name__}.{name}" in SAME_IN_PAIR:
        pairs.append((removed.pop(), added.pop()))
    return sorted(pairs), sorted(renamed), removed, added


def pair_by(
    before: Sequence[Item],
    after: Sequence[Item],
    key: Callable[[Item], Hashable],
    *,
    taken: Iterable[tuple[int, int]] = (),
    only_unique: bool = False,
) -> Iterator[tuple[int, int]]:
    """Pairs of items with equal keys, the first with the first; with `only_unique`, of keys that no other item has."""
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
    model = type(item)
    for name in model.item_key or ():
        value = getattr(item, name)
        if value is None or value == default_of(model, name):
            continue
        key = item_key(value) if isinstance(value, Node) else canonical_field(item, name)
        if container(model, name) is list and isinstance(key, tuple):
            key = (key if is_ordered(model.__name__, name) else sorted(key, key=repr))[0] if key else None
        if key is not None:
            return (name, key)
    return ("content", canonical(item))


def item_title(item: Node) -> str:
    """What an item of a list is called: the first text that names it."""
    for name in type(item).item_key or ():
        value = getattr(item, name)
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, Node):
            return item_title(value)
        if isinstance(value, int):
            return f"{name} {value}"
        if value not in (None, "", []):
            return str(value)
    return type(item).__name__


def _content_without_key(item: Node) -> Hashable:
    key = item_key(item)
    name = key[0] if isinstance(key, tuple) else None
    fields = tuple((field, canonical_field(item, field)) for field in compared_fields(type(item)) if field != name)
    return fields if any(form is not None for _, form in fields) else None
