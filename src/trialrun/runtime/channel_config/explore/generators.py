"""Generators of random sessions: items, terms, languages and state values that the configs mention."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from trialrun.runtime.channel_config.menu import BrandMenu, Item
from trialrun.runtime.channel_config.session.cel_state import SESSION_FIELDS
from trialrun.runtime.channel_config.session.condition_items import ConditionItems, condition_items
from trialrun.values.cel import Node
from trialrun.values.cel.syntax_tree import ANY_ITEM, Path, StateRead, condition_reads
from trialrun.values.cel.type_schema import Schema, Type
from trialrun.values.language_tag import canonicalize

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import ActiveConfig

OTHER = "other"
"""A text that no condition compares with."""
CENT = 0.01
LOWEST, HIGHEST = -(2**63), 2**63 - 1


def type_at(path: Sequence[str], schema: Schema) -> Type | None:
    """The type of what a path leads to, or None if the schema does not have it."""
    value_type = schema.roots.get(path[0]) if path else None
    for step in path[1:]:
        name = value_type.name if value_type else ""
        if name in schema.fields:
            value_type = schema.fields[name].get(step)
        else:
            value_type = value_type.parameters[-1] if value_type and name in ("list", "map") else None
    return value_type


def values_to_try(type_: Type | None, literals: Sequence[Any]) -> tuple[Any, ...]:
    """The values to try, the simplest first: of numbers those below, at and above each literal as well."""
    distinct: dict[tuple[type, str], Any] = {}
    for value in _values(type_, literals):
        distinct.setdefault((type(value), repr(value)), value)
    return tuple(distinct.values())


def _values(type_: Type | None, literals: Sequence[Any]) -> Iterator[Any]:
    texts = [literal for literal in literals if isinstance(literal, str)]
    match type_.name if type_ else "dyn":
        case "bool":
            yield from (False, True)
        case "enum" if type_:
            yield from type_.members
        case "int" | "uint" as name:
            least = 0 if name == "uint" else LOWEST
            around = (number for value in literals for number in _around(value, 1))
            yield from (number for number in (0, 1, *around) if isinstance(number, int) and least <= number <= HIGHEST)
        case "double":
            yield 0.0
            yield from (float(number) for value in literals for number in _around(value, CENT))
        case "string":
            yield from ("", *texts, OTHER)
        case "timestamp":
            yield from (time for value in literals for time in _times_around(value))
        case "duration":
            yield from ("0s", *texts)
        case "list" if type_ and type_.parameters[0].name == "string":
            yield from ([], *([text] for text in texts), [OTHER])
        case "dyn":
            for value in literals:
                yield from (value,) if isinstance(value, str | bool) else ()
                yield from _around(value, CENT if isinstance(value, float) else 1)
            yield OTHER


def _times_around(value: Any) -> Iterator[str]:
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return
    if time.utcoffset() is not None:
        for seconds in (0, -1, 1):
            with suppress(OverflowError):
                neighbor = (time + timedelta(seconds=seconds)).astimezone(UTC)
                yield f"{neighbor.replace(tzinfo=None).isoformat()}Z"


def _around(value: Any, step: float) -> Iterator[Any]:
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield from (value, round(value - step, 6), round(value + step, 6))


ITEMS_PATH: Path = ("order", "items", ANY_ITEM)
MAX_QUANTITY = 99
"""No customer orders more of one item in a turn, whatever a condition compares with."""


@dataclass(frozen=True, slots=True)
class StateSetting:
    """A value of the state that the client sends, and the values to try, the simplest first."""

    path: Path
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class ConditionFocus:
    """What one condition refers to: items that it names, and by path the values that it compares with."""

    items: tuple[Item, ...] = ()
    values_by_path: Mapping[Path, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Generators:
    """What customers can order, say and be; `relevant_items` are the items and modifiers that some decision depends on.

    `focuses` has what each condition refers to, so that sessions combine it.
    `varies_start_time` says that conditions or what is sold depend on the time, so that other times are worth trying.
    """

    items: tuple[Item, ...]
    relevant_items: tuple[Item, ...]
    focuses: tuple[ConditionFocus, ...]
    relevant_modifiers: frozenset[str]
    quantities: tuple[int, ...]
    terms: tuple[str, ...]
    languages: tuple[str, ...]
    settings: tuple[StateSetting, ...]
    varies_start_time: bool


def build_generators(
    active_config: ActiveConfig, menu: BrandMenu, trees: Sequence[tuple[Node, Schema]], languages: Sequence[str] = ()
) -> Generators:
    """The vocabulary of a store, of whose enabled upsells `trees` are the conditions, each with its types.

    `languages` are those that customers speak beside the ones of its configs.
    """
    strategy = active_config.upsell_strategy
    upsells = [upsell for upsell in (strategy and strategy.upsells) or () if not upsell.disabled]
    disambiguation = active_config.operations_field("disambiguationStrategy")
    mappings = (disambiguation and disambiguation.mappings) or ()
    targets = (target.itemName for mapping in mappings for target in mapping.targets or ())
    offered = dict.fromkeys(filter(None, (*_offered(upsells), *targets)))
    reads: list[StateRead] = []
    comparisons: list[Comparison] = []
    conditions: list[tuple[ConditionItems, list[Comparison]]] = []
    for tree, schema in trees:
        reads += (tree_reads := list(condition_reads(tree)))
        comparisons += (compared := [_comparison(read, schema) for read in tree_reads])
        conditions.append((condition_items(tree), compared))
    names = (*offered, *(text for condition, _ in conditions for text in sorted(condition.texts)))
    items = tuple(menu.items) or tuple(menu.item(name) for name in dict.fromkeys(names))  # without a menu those named
    focuses = [
        ConditionFocus(tuple(filter(condition.mentions, items)), _compared_values(compared))
        for condition, compared in conditions
    ]
    focus_items = {item for focus in focuses for item in focus.items}
    relevant_items = [
        item
        for item in items
        if item in focus_items
        or not offered.keys().isdisjoint((item.name, item.other_name, item.semantic_name, item.id))
    ]
    tags = map(canonicalize, (*_languages(active_config, upsells, reads), *languages))
    return Generators(
        items=items,
        relevant_items=tuple(relevant_items),
        focuses=tuple(focus for focus in focuses if focus.items or focus.values_by_path),
        relevant_modifiers=frozenset(_modifier_names(upsells, reads)),
        quantities=_quantities(reads, strategy.maxItemsInCart if strategy else None),
        terms=tuple(dict.fromkeys(term for mapping in mappings for term in mapping.customerTerms or ())),
        languages=tuple(dict.fromkeys(tag for tag in tags if tag)),  # what is not a tag is not a language
        settings=_settings(comparisons),
        varies_start_time=menu.depends_on_time or any(read.path[:2] == ("session", "startTime") for read in reads),
    )


def _messages(upsell: UpsellConfig) -> Iterator[Any]:
    yield from (upsell.greetingOffer and upsell.greetingOffer.messages) or ()
    for closing in (upsell.closingOffer and upsell.closingOffer.closingMessages) or ():
        if closing.offerMessage:
            yield closing.offerMessage


def _offered(upsells: Iterable[UpsellConfig]) -> Iterator[str]:
    for upsell in upsells:
        yield from (upsell.celUpsell and upsell.celUpsell.suggestedMenuItems) or ()
        for message in _messages(upsell):
            yield from (*(message.upsoldItems or ()), *(message.upsoldItemIds or ()))


def _modifier_names(upsells: Iterable[UpsellConfig], reads: Iterable[StateRead]) -> Iterator[str]:
    for read in reads:
        if read.path[:4] == (*ITEMS_PATH, "modifierGroups"):
            yield from (text for text in read.literals if isinstance(text, str))
    for cel in filter(None, (upsell.celUpsell for upsell in upsells)):
        yield from cel.suggestedModifiers or ()
        for group in cel.suggestedModifierGroups or ():
            yield from group.suggestedModifiers or ()


def _quantities(reads: Iterable[StateRead], limit: int | None) -> tuple[int, ...]:
    """Around each number that quantities, sizes and the limit of the order are compared with."""
    numbers = [1, 2] if limit is None else [1, 2, limit, limit + 1]
    for read in reads:
        if read.path in ((*ITEMS_PATH, "quantity"), ITEMS_PATH[:-1]):
            numbers += [value + step for value in read.literals if isinstance(value, int) for step in (-1, 0, 1)]
    return tuple(sorted({number for number in numbers if 1 <= number <= MAX_QUANTITY}))


def _languages(
    active_config: ActiveConfig, upsells: Iterable[UpsellConfig], reads: Iterable[StateRead]
) -> Iterator[str]:
    texts = [*(active_config.operations_field("greetings") or ())]
    texts += [text for upsell in upsells for message in _messages(upsell) for text in message.messageConfigs or ()]
    yield from (text.languageCode for text in texts if text.languageCode)
    for read in reads:
        if read.path == ("session", "languageCode") and read.relation in ("==", "!=", "in"):
            yield from (text for text in read.literals if isinstance(text, str) and text)


Comparison = tuple[Path, Sequence[Any], Type | None]
"""What is set for a condition to read a value: its path, the values that it is compared with, and its type."""


def _comparison(read: StateRead, schema: Schema) -> Comparison:
    """What a condition reads; of a list, what it may have in it, all of it at once."""
    holder, last = read.path[:-1], read.path[-1]
    type_ = type_at(holder, schema)
    if type_ is None or type_.name != "list":
        return read.path, read.literals, type_at(read.path, schema)
    return holder, read.literals if last == ANY_ITEM else [last], type_


def _settings(comparisons: Iterable[Comparison]) -> tuple[StateSetting, ...]:
    literals: dict[Path, list[Any]] = {}
    types: dict[Path, Type | None] = {}
    for path, values, type_ in comparisons:
        is_session_field = len(path) > 1 and path[1] in SESSION_FIELDS.get(path[0], ())
        if not is_session_field and ANY_ITEM not in path:
            literals.setdefault(path, []).extend(values)
            types.setdefault(path, type_)
    settings = (StateSetting(path, values_to_try(types[path], values)) for path, values in literals.items())
    return tuple(setting for setting in settings if len(setting.values) > 1)


def _compared_values(comparisons: Sequence[Comparison]) -> Mapping[Path, tuple[Any, ...]]:
    default_values = {path: values_to_try(type_, ()) for path, _, type_ in comparisons}
    compared = {
        setting.path: tuple(value for value in setting.values if value not in default_values[setting.path])
        for setting in _settings(comparisons)
    }
    return {path: values for path, values in compared.items() if values}
