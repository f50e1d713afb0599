"""What random sessions are made of: what the menu, the strategy, the conditions and the disambiguation speak of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.boundary_values import tried, type_at
from trialrun.runtime.channel_config.explore.condition import checked
from trialrun.runtime.channel_config.explore.condition_reads import EACH, Path, Read, reads
from trialrun.runtime.channel_config.session.cel_state import KEPT
from trialrun.runtime.channel_config.session.condition_items import Named, named
from trialrun.values.language_tag import canonical

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.menu import Item, MenuOfBrand
    from trialrun.values.cel import Schema

ITEMS: Path = ("order", "items", EACH)
MOST_OF_ONE = 99
"""No customer orders more of one item in a turn, whatever a condition compares with."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A value of the state that the client sends, and the values to try, the simplest first."""

    path: Path
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Focus:
    """What one condition speaks of: items that it names, and by path the values that it compares with."""

    items: tuple[Item, ...] = ()
    asked: Mapping[Path, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What customers can order, say and be; `telling` are the items and modifiers that some decision depends on.

    `focuses` has what each condition speaks of, so that what one needs comes together.
    `times` says that conditions read the time, so that sessions at other times are worth trying.
    """

    items: tuple[Item, ...]
    telling: tuple[Item, ...]
    focuses: tuple[Focus, ...]
    telling_modifiers: frozenset[str]
    quantities: tuple[int, ...]
    terms: tuple[str, ...]
    languages: tuple[str, ...]
    settings: tuple[Setting, ...]
    times: bool


def vocabulary(
    in_force: InForce, menu: MenuOfBrand, types: Callable[[str], Schema], languages: Sequence[str] = ()
) -> Vocabulary:
    """The vocabulary of a store; `languages` are those that customers speak beside the ones of its configs."""
    strategy = in_force.upsell_strategy
    upsells = [one for one in (strategy and strategy.upsells) or () if not one.disabled]
    by_upsell = [list(_conditions(upsell, in_force, types)) for upsell in upsells]
    found = [one for own in by_upsell for one in own]
    read = [one for one, _ in found]
    conditions = [_named(upsell, in_force, types) for upsell in upsells]
    offered = dict.fromkeys((*_offered(upsells), *_targets(in_force)))
    items = _items(menu, (*offered, *(text for one in conditions for text in sorted(one.texts))))
    focuses = [
        Focus(tuple(filter(one.names, items)), _asked(own)) for one, own in zip(conditions, by_upsell, strict=True)
    ]
    telling = {item for focus in focuses for item in focus.items}
    limit = strategy.maxItemsInCart if strategy else None
    return Vocabulary(
        items=items,
        telling=tuple(one for one in items if one in telling or one.name in offered or one.id in offered),
        focuses=tuple(one for one in focuses if one.items or one.asked),
        telling_modifiers=frozenset((*_modifier_names(read), *_suggested(upsells))),
        quantities=_quantities(read, limit),
        terms=tuple(dict.fromkeys(_terms(in_force))),
        languages=_tags((*_languages(in_force, upsells, read), *languages)),
        settings=tuple(_settings(found)),
        times=any(one.path[:2] == ("session", "startTime") for one in read),
    )


def _conditions(
    upsell: UpsellConfig, in_force: InForce, types: Callable[[str], Schema]
) -> Iterator[tuple[Read, Schema]]:
    found = checked(upsell, in_force, types)
    if found and found.tree and upsell.celUpsell:
        schema = types(in_force.origin_of(upsell.celUpsell, "conditionExpression").path)
        yield from ((one, schema) for one in reads(found.tree))


def _named(upsell: UpsellConfig, in_force: InForce, types: Callable[[str], Schema]) -> Named:
    """The items that the condition of an upsell names; none where there is no condition."""
    found = checked(upsell, in_force, types)
    return named(found.tree) if found and found.tree else Named(frozenset(), ())


def _modifier_names(read: Iterable[Read]) -> Iterator[str]:
    for one in read:
        if one.path[:4] == (*ITEMS, "modifierGroups"):
            yield from (text for text in one.literals if isinstance(text, str))


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


def _mappings(in_force: InForce) -> Sequence[Any]:
    strategy = in_force.operation("disambiguationStrategy")
    return (strategy and strategy.mappings) or ()


def _targets(in_force: InForce) -> Iterator[str]:
    for mapping in _mappings(in_force):
        yield from (target.itemName for target in mapping.targets or () if target.itemName)


def _terms(in_force: InForce) -> Iterator[str]:
    for mapping in _mappings(in_force):
        yield from mapping.customerTerms or ()


def _items(menu: MenuOfBrand, names: Iterable[str]) -> tuple[Item, ...]:
    """Every item of the menu; where the workspace lists none, the items that are spoken of."""
    return tuple(menu.items) or tuple(menu.item(name) for name in dict.fromkeys(names))


def _quantities(read: Iterable[Read], limit: int | None) -> tuple[int, ...]:
    """Around each number that quantities, sizes and the limit of the order are compared with."""
    numbers = [1, 2] if limit is None else [1, 2, limit, limit + 1]
    for one in read:
        if one.path == (*ITEMS, "quantity") or one.path == ITEMS[:-1]:
            numbers += [value + step for value in one.literals if isinstance(value, int) for step in (-1, 0, 1)]
    return tuple(sorted({one for one in numbers if 1 <= one <= MOST_OF_ONE}))


def _languages(in_force: InForce, upsells: Iterable[UpsellConfig], read: Iterable[Read]) -> Iterator[str]:
    """The languages of greetings and messages, and those that conditions compare with."""
    for greeting in in_force.operation("greetings") or ():
        if greeting.languageCode:
            yield greeting.languageCode
    for upsell in upsells:
        for message in _messages(upsell):
            yield from (one.languageCode for one in message.messageConfigs or () if one.languageCode)
    for one in read:
        if one.path == ("session", "languageCode") and one.relation in ("==", "!=", "in"):
            yield from (text for text in one.literals if isinstance(text, str) and text)


def _tags(languages: Iterable[str]) -> tuple[str, ...]:
    """The languages in their canonical form; what is no tag is no language."""
    return tuple(dict.fromkeys(tag for tag in map(canonical, languages) if tag))


def _is_kept(path: Path) -> bool:
    """Whether the session keeps a value up to date itself."""
    return len(path) > 1 and path[1] in KEPT.get(path[0], ())


def _asked(found: Iterable[tuple[Read, Schema]]) -> Mapping[Path, tuple[Any, ...]]:
    """The values that a condition compares what is set with, and those around them, by path."""
    listed = list(found)
    plain = {_set_as(one, schema)[0]: tried(type_at(_set_as(one, schema)[0], schema), ()) for one, schema in listed}
    settings = (
        (one.path, tuple(value for value in one.values if value not in plain[one.path])) for one in _settings(listed)
    )
    return {path: values for path, values in settings if values}


def _set_as(read: Read, schema: Schema) -> tuple[Path, Sequence[Any]]:
    """What is set for a condition to read a value: of a list, what it may have in it, all of it at once."""
    *holder, last = read.path
    type_ = type_at(holder, schema)
    if type_ is None or type_.name != "list":
        return read.path, read.literals
    return tuple(holder), read.literals if last == EACH else [last]


def _settings(found: Iterable[tuple[Read, Schema]]) -> Iterator[Setting]:
    """What conditions read and the session does not keep itself, each with the values to try."""
    literals: dict[Path, list[Any]] = {}
    schemas: dict[Path, Schema] = {}
    for one, schema in found:
        path, values = _set_as(one, schema)
        if not _is_kept(path) and EACH not in path:
            literals.setdefault(path, []).extend(values)
            schemas.setdefault(path, schema)
    for path, values in literals.items():
        tries = tried(type_at(path, schemas[path]), values)
        if len(tries) > 1:
            yield Setting(path, tries)
