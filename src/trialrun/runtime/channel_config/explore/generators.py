"""Generators of random sessions: items, terms, languages and state values that the configs mention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.session.cel_state import SESSION_FIELDS
from trialrun.runtime.channel_config.session.condition import ConditionItems, condition_items
from trialrun.values.cel.syntax_tree import ANY_ITEM, Path, StateRead, condition_reads
from trialrun.values.cel.type_schema import Schema, Type
from trialrun.values.language_tag import canonicalize

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import ActiveConfig
    from trialrun.runtime.channel_config.menu import BrandMenu, Item
    from trialrun.values.cel import CheckResult, Schema


def check_condition(
    upsell: UpsellConfig, active_config: ActiveConfig, types: Callable[[str], Schema]
) -> CheckResult | None:
    """What checking the condition of an upsell says of it; None if it has none."""
    from trialrun.values.cel import check_expression

    cel = upsell.celUpsell
    if cel is None or not cel.conditionExpression:
        return None
    return check_expression(
        cel.conditionExpression, schema=types(active_config.origin_of(cel, "conditionExpression").path)
    )


OTHER = "other"
"""A text that no condition compares with."""
CENT = 0.01
LOWEST, HIGHEST = -(2**63), 2**63 - 1


def type_at(path: Sequence[str], schema: Schema) -> Type | None:
    """The type of what a path leads to, or None if the schema does not have it."""
    value_type = schema.roots.get(path[0]) if path else None
    for step in path[1:]:
        if value_type is None:
            return None
        if value_type.name in schema.fields:
            value_type = schema.fields[value_type.name].get(step)
        else:
            value_type = value_type.parameters[-1] if value_type.name in ("list", "map") else None
    return value_type


def values_to_try(type_: Type | None, literals: Sequence[Any]) -> tuple[Any, ...]:
    """The values to try, the simplest first: of numbers those below, at and above each literal as well."""
    name = "dyn" if type_ is None else type_.name
    return tuple(_distinct(_values(name, type_, literals)))


def _values(name: str, type_: Type | None, literals: Sequence[Any]) -> Iterator[Any]:
    match name:
        case "bool":
            yield from (False, True)
        case "enum" if type_:
            yield from type_.members
        case "int" | "uint":
            least = 0 if name == "uint" else LOWEST
            around = (number for value in literals for number in _around(value, 1))
            yield from (number for number in (0, 1, *around) if isinstance(number, int) and least <= number <= HIGHEST)
        case "double":
            yield 0.0
            yield from (float(number) for value in literals for number in _around(value, CENT))
        case "string":
            yield from ("", *(literal for literal in literals if isinstance(literal, str)), OTHER)
        case "timestamp":
            yield from (text for value in literals for text in _times_around(value))
        case "duration":
            yield from ("0s", *(literal for literal in literals if isinstance(literal, str)))
        case "list" if type_ and type_.parameters[0].name == "string":
            yield from ([], *([literal] for literal in literals if isinstance(literal, str)), [OTHER])
        case "dyn":
            yield from _dynamic_values(literals)


def _dynamic_values(literals: Sequence[Any]) -> Iterator[Any]:
    for value in literals:
        if isinstance(value, str | bool):
            yield value
        yield from _around(value, CENT if isinstance(value, float) else 1)
    yield OTHER


def _times_around(value: Any) -> Iterator[str]:
    """A time, the second before it and the one after it, of the years that there are."""
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


def _distinct(values: Iterator[Any]) -> Iterator[Any]:
    seen_keys = set()
    for value in values:
        if (key := (type(value), repr(value))) not in seen_keys:
            seen_keys.add(key)
            yield value


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
    active_config: ActiveConfig, menu: BrandMenu, types: Callable[[str], Schema], languages: Sequence[str] = ()
) -> Generators:
    """The vocabulary of a store; `languages` are those that customers speak beside the ones of its configs."""
    strategy = active_config.upsell_strategy
    upsells = [upsell for upsell in (strategy and strategy.upsells) or () if not upsell.disabled]
    by_upsell = [list(_reads_with_schema(upsell, active_config, types)) for upsell in upsells]
    reads_with_schema = [read for upsell_reads in by_upsell for read in upsell_reads]
    state_reads = [read for read, _ in reads_with_schema]
    conditions = [_condition_items(upsell, active_config, types) for upsell in upsells]
    offered = dict.fromkeys(filter(None, (*_offered(upsells), *_targets(active_config))))
    items = _items(menu, (*offered, *(text for condition in conditions for text in sorted(condition.texts))))
    focuses = [
        ConditionFocus(tuple(filter(condition.mentions, items)), _compared_values(upsell_reads))
        for condition, upsell_reads in zip(conditions, by_upsell, strict=True)
    ]
    relevant_items = {item for focus in focuses for item in focus.items}
    limit = strategy.maxItemsInCart if strategy else None
    return Generators(
        items=items,
        relevant_items=tuple(
            item
            for item in items
            if item in relevant_items
            or not offered.keys().isdisjoint((item.name, item.other_name, item.semantic_name, item.id))
        ),
        focuses=tuple(focus for focus in focuses if focus.items or focus.values_by_path),
        relevant_modifiers=frozenset((*_modifier_names(state_reads), *_suggested(upsells))),
        quantities=_quantities(state_reads, limit),
        terms=tuple(dict.fromkeys(_terms(active_config))),
        languages=_canonical_tags((*_languages(active_config, upsells, state_reads), *languages)),
        settings=tuple(_settings(reads_with_schema)),
        varies_start_time=menu.depends_on_time
        or any(read.path[:2] == ("session", "startTime") for read in state_reads),
    )


def _reads_with_schema(
    upsell: UpsellConfig, active_config: ActiveConfig, types: Callable[[str], Schema]
) -> Iterator[tuple[StateRead, Schema]]:
    check = check_condition(upsell, active_config, types)
    if check and check.tree and upsell.celUpsell:
        schema = types(active_config.origin_of(upsell.celUpsell, "conditionExpression").path)
        yield from ((read, schema) for read in condition_reads(check.tree))


def _condition_items(
    upsell: UpsellConfig, active_config: ActiveConfig, types: Callable[[str], Schema]
) -> ConditionItems:
    """The items that the condition of an upsell names; none where there is no condition."""
    check = check_condition(upsell, active_config, types)
    return condition_items(check.tree) if check and check.tree else ConditionItems(frozenset(), ())


def _modifier_names(reads: Iterable[StateRead]) -> Iterator[str]:
    for state_read in reads:
        if state_read.path[:4] == (*ITEMS_PATH, "modifierGroups"):
            yield from (text for text in state_read.literals if isinstance(text, str))


def _suggested(upsells: Iterable[UpsellConfig]) -> Iterator[str]:
    for cel in (upsell.celUpsell for upsell in upsells):
        if cel:
            yield from cel.suggestedModifiers or ()
            for group in cel.suggestedModifierGroups or ():
                yield from group.suggestedModifiers or ()


def _messages(upsell: UpsellConfig) -> Iterator[Any]:
    yield from (upsell.greetingOffer and upsell.greetingOffer.messages) or ()
    for closing in (upsell.closingOffer and upsell.closingOffer.closingMessages) or ():
        if closing.offerMessage:
            yield closing.offerMessage


def _offered(upsells: Iterable[UpsellConfig]) -> Iterator[str]:
    """The names and ids of items that are offered."""
    for upsell in upsells:
        yield from (upsell.celUpsell and upsell.celUpsell.suggestedMenuItems) or ()
        for message in _messages(upsell):
            yield from (*(message.upsoldItems or ()), *(message.upsoldItemIds or ()))


def _mappings(active_config: ActiveConfig) -> Sequence[Any]:
    strategy = active_config.operations_field("disambiguationStrategy")
    return (strategy and strategy.mappings) or ()


def _targets(active_config: ActiveConfig) -> Iterator[str]:
    for mapping in _mappings(active_config):
        yield from (target.itemName for target in mapping.targets or () if target.itemName)


def _terms(active_config: ActiveConfig) -> Iterator[str]:
    for mapping in _mappings(active_config):
        yield from mapping.customerTerms or ()


def _items(menu: BrandMenu, names: Iterable[str]) -> tuple[Item, ...]:
    """Every item of the menu; where the workspace lists none, the items that are spoken of."""
    return tuple(menu.items) or tuple(menu.item(name) for name in dict.fromkeys(names))


def _quantities(reads: Iterable[StateRead], limit: int | None) -> tuple[int, ...]:
    """Around each number that quantities, sizes and the limit of the order are compared with."""
    numbers = [1, 2] if limit is None else [1, 2, limit, limit + 1]
    for state_read in reads:
        if state_read.path == (*ITEMS_PATH, "quantity") or state_read.path == ITEMS_PATH[:-1]:
            numbers += [value + step for value in state_read.literals if isinstance(value, int) for step in (-1, 0, 1)]
    return tuple(sorted({number for number in numbers if 1 <= number <= MAX_QUANTITY}))


def _languages(
    active_config: ActiveConfig, upsells: Iterable[UpsellConfig], reads: Iterable[StateRead]
) -> Iterator[str]:
    """The languages of greetings and messages, and those that conditions compare with."""
    for greeting in active_config.operations_field("greetings") or ():
        if greeting.languageCode:
            yield greeting.languageCode
    for upsell in upsells:
        for message in _messages(upsell):
            yield from (text.languageCode for text in message.messageConfigs or () if text.languageCode)
    for state_read in reads:
        if state_read.path == ("session", "languageCode") and state_read.relation in ("==", "!=", "in"):
            yield from (text for text in state_read.literals if isinstance(text, str) and text)


def _canonical_tags(languages: Iterable[str]) -> tuple[str, ...]:
    """The languages in their canonical form; what is not a tag is not a language."""
    return tuple(dict.fromkeys(tag for tag in map(canonicalize, languages) if tag))


def _is_session_field(path: Path) -> bool:
    """Whether the session keeps a value up to date itself."""
    return len(path) > 1 and path[1] in SESSION_FIELDS.get(path[0], ())


def _compared_values(reads: Iterable[tuple[StateRead, Schema]]) -> Mapping[Path, tuple[Any, ...]]:
    """The values that a condition compares what is set with, and those around them, by path."""
    reads_with_schema = list(reads)
    default_values = {
        _setting_for(read, schema)[0]: values_to_try(type_at(_setting_for(read, schema)[0], schema), ())
        for read, schema in reads_with_schema
    }
    settings = (
        (setting.path, tuple(value for value in setting.values if value not in default_values[setting.path]))
        for setting in _settings(reads_with_schema)
    )
    return {path: values for path, values in settings if values}


def _setting_for(read: StateRead, schema: Schema) -> tuple[Path, Sequence[Any]]:
    """What is set for a condition to read a value: of a list, what it may have in it, all of it at once."""
    *holder, last = read.path
    type_ = type_at(holder, schema)
    if type_ is None or type_.name != "list":
        return read.path, read.literals
    return tuple(holder), read.literals if last == ANY_ITEM else [last]


def _settings(reads: Iterable[tuple[StateRead, Schema]]) -> Iterator[StateSetting]:
    """What conditions read and the session does not keep itself, each with the values to try."""
    literals: dict[Path, list[Any]] = {}
    schemas: dict[Path, Schema] = {}
    for read, schema in reads:
        path, values = _setting_for(read, schema)
        if not _is_session_field(path) and ANY_ITEM not in path:
            literals.setdefault(path, []).extend(values)
            schemas.setdefault(path, schema)
    for path, values in literals.items():
        values_tried = values_to_try(type_at(path, schemas[path]), values)
        if len(values_tried) > 1:
            yield StateSetting(path, values_tried)
