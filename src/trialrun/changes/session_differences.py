"""Plays the sessions of the same customers on both sides of a store, and counts what each upsell loses and gains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TypeVar, cast

from trialrun.changes.stores import StoreDifferences, Stores
from trialrun.outputs.plan import DifferentSession, OfferCounts, SessionsDifference, UpsellShares
from trialrun.outputs.replay import replay_command
from trialrun.runtime.channel_config.active_config import ActiveConfig, resolve_active_config
from trialrun.runtime.channel_config.equivalence import group_stores, reads_store, sold_at
from trialrun.runtime.channel_config.explore.anomaly import Example, Statistics
from trialrun.runtime.channel_config.explore.generators import Generators, StateSetting
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.explore.shrink import shrink, simplifier
from trialrun.runtime.channel_config.explore.simulated_customer import (
    DEFAULT_PROFILE,
    OpenSession,
    PlayedSession,
    Recording,
    Simulation,
    only_sets_state,
    replay,
)
from trialrun.runtime.channel_config.menu import BrandMenu, NotOnMenuError, OrderLineItem, brand_menu
from trialrun.runtime.channel_config.overlay import MERGE_KEYS
from trialrun.runtime.channel_config.script import format_actions
from trialrun.runtime.channel_config.session.actions import Action, ActionError, Add
from trialrun.runtime.channel_config.session.session import Session
from trialrun.runtime.channel_config.session.turn import Turn, upsell_name
from trialrun.runtime.declaration import BrandCatalog, DeclaredStore
from trialrun.runtime.options import Options
from trialrun.values.timestamp import format_timestamp

SESSION_FIELDS = frozenset(
    {"upsellStrategy", "greetings", "defaultLanguageCode", "disambiguationStrategy", "interactionMode"}
)
"""Fields of an operations config that decide what happens in sessions."""
UNHEARD_FIELDS = frozenset({"cateringGuidelines", "triggerReason", "description", "displayName"})
"""Fields below them that do not: what the agent is told, and names."""


@dataclass
class StorePair:
    """Stores with equal configurations, by name, and the first one on both sides."""

    names: Sequence[str]
    stores: tuple[DeclaredStore, DeclaredStore]
    catalogs: tuple[BrandCatalog, BrandCatalog]
    options: Options

    @cached_property
    def configs(self) -> tuple[ActiveConfig, ActiveConfig]:
        """The effective configuration on both sides."""
        before, after = (
            resolve_active_config(store, catalog, self.options)
            for store, catalog in zip(self.stores, self.catalogs, strict=True)
        )
        return before, after


def is_heard(path: Sequence[str]) -> bool:
    """Whether sessions depend on a field of an effective configuration."""
    if len(path) < 2:
        return tuple(path) in ((), ("operationsConfig",))
    is_unheard = path[-1] in UNHEARD_FIELDS and path[-2] not in MERGE_KEYS
    return path[0] == "operationsConfig" and path[1] in SESSION_FIELDS and not is_unheard


def count_session_stores(stores: Stores) -> int:
    """The number of stores whose sessions may differ."""
    return sum(len(group.names) for group in _audible_groups(stores))


def _audible_groups(stores: Stores) -> list[StoreDifferences]:
    return [
        group
        for group in stores.differences
        if not group.is_same_around or any(is_heard(field.path) for field in group.fields)
    ]


def session_stores(stores: Stores, options: Options) -> list[StorePair]:
    """The stores whose sessions may differ, those with the most equals first.

    Stores are equal where both sides have equal configurations and menus, and no condition asks for the store.
    """
    groups = _audible_groups(stores)
    numbers: dict[int, int] = {}  # the group of equal ones that a configuration is in, by identity
    for configs in ([group.before for group in groups], [group.after for group in groups]):
        for number, equal in enumerate(group_stores(configs)):
            numbers.update((id(config), number) for config in equal)
    catalogs = stores.before, stores.after
    earlier, later = ({store.name: store for store in reversed(catalog.stores)} for catalog in catalogs)
    names_of: dict[Hashable, list[str]] = {}
    for group in groups:
        is_alone = reads_store(group.before) or reads_store(group.after)
        for name in group.names:
            sides = (earlier[name], stores.before), (later[name], stores.after)
            menus = [(id(store.brand.node), sold_at(store, catalog)) for store, catalog in sides]
            key = (numbers[id(group.before)], numbers[id(group.after)], *menus, name if is_alone else "")
            names_of.setdefault(key, []).append(name)
    found = [
        StorePair(names, (earlier[names[0]], later[names[0]]), catalogs, options)
        for names in map(sorted, names_of.values())
    ]
    return sorted(found, key=lambda pair: (-len(pair.names), pair.names[0]))


TURNS = 8
"""Maximum number of turns of a session, as `explore` has it."""
SEED = 0
Both = tuple[PlayedSession, PlayedSession]
NOTHING = "nothing"
Value = TypeVar("Value")


@dataclass(frozen=True)
class PairedBatch:
    """What differs in sessions in a row: counts of both sides, the first that differ, and whether in offers."""

    statistics: Sequence[Statistics]
    differing: int
    first: Sequence[tuple[int, bool]]


class PairedSearch:
    """The sessions of the same customers on both sides of a store, from `begin`; nothing depends on the machine."""

    def __init__(self, pair: StorePair, begin: datetime) -> None:
        self.pair, self.begin = pair, begin
        self.menus = tuple(
            brand_menu(store.brand, catalog, store.store)
            for store, catalog in zip(pair.stores, pair.catalogs, strict=True)
        )
        self.sides = tuple(
            Search(config, menu, catalog.schema_for, begin=begin, seed=SEED, turns=TURNS)
            for config, menu, catalog in zip(pair.configs, self.menus, pair.catalogs, strict=True)
        )
        vocabulary = _merge_generators(*(side.simulation.generators for side in self.sides))
        self.simulation = Simulation(vocabulary, DEFAULT_PROFILE, begin, TURNS, SEED, independent=True)
        self.sessions = self.differing = 0
        self._first: tuple[int, Recording, Recording] | None = None
        self._first_of_offers: tuple[int, Recording, Recording] | None = None

    def _play_both(self, number: int) -> Both:
        openers = self._openers
        before = self.simulation.play(number, openers[0])
        if self._can_follow:  # as long as nothing differs, the customer of HEAD does what that of BASE did
            with suppress(ActionError):
                return before, self.simulation.play_beside(before, number, openers[1], _is_same)
        return before, self.simulation.play(number, openers[1])

    def play_batch(self, numbers: range) -> PairedBatch:
        """What differs in the sessions of some numbers in a row; the search stays as it is."""
        statistics = [Statistics(side.statistics.positions, first_number=numbers.start) for side in self.sides]
        differing = 0
        first: dict[bool, int] = {}
        for number in numbers:
            both = self._play_both(number)
            if (turn := _first_difference(*both)) is not None:
                differing += 1
                offers = [_offers(one.turns[turn]) for one in both if turn < len(one.turns)]
                has_other_offers = len(offers) == 2 and offers[0] != offers[1]
                first.setdefault(has_other_offers, number)
            for session, counts in zip(both, statistics, strict=True):
                counts.add(session)
        return PairedBatch(statistics, differing, sorted((number, of_offers) for of_offers, number in first.items()))

    def add_batch(self, batch: PairedBatch) -> None:
        """Add what differs in the sessions after those that were played so far."""
        for side, statistics in zip(self.sides, batch.statistics, strict=True):
            side.statistics.merge(statistics)
        self.sessions += batch.statistics[0].sessions
        self.differing += batch.differing
        for number, of_offers in batch.first:
            if self._first_of_offers or (self._first and not of_offers):
                continue
            both = self._play_both(number)
            turn = _first_difference(*both)
            first, second = (replace(one.recording, turns=one.recording.turns[:turn]) for one in both)
            self._first = self._first or (number, first, second)
            if of_offers:
                self._first_of_offers = (number, first, second)

    @cached_property
    def _can_follow(self) -> bool:
        """Whether both sides allow the same moves: of one menu, and of session types that are the same."""
        schemas = [[schema.node for schema in catalog.schemas] for catalog in self.pair.catalogs]
        return bool(self.menus[0] == self.menus[1] and schemas[0] == schemas[1])

    @cached_property
    def _openers(self) -> tuple[OpenSession, OpenSession]:
        """What opens a session on each side; with other menus, customers order by name."""
        first, second = self.sides
        if self.menus[0] == self.menus[1]:
            return first.open_session, second.open_session
        return (
            lambda recording: cast("Session", _MenuSession(first.open_session(recording), self.menus[0])),
            lambda recording: cast("Session", _MenuSession(second.open_session(recording), self.menus[1])),
        )

    def example(self, store: str, access: Sequence[str], *, is_short: bool = True) -> DifferentSession | None:
        """The first session that differs, in offers if any does, as short as it can be and still differ so."""
        found = self._first_of_offers or self._first
        if found is None:
            return None
        number, *recordings = found
        recording = next((one for one in recordings if self.last_turns(one)), None)
        if recording is None:
            return None
        return self.described(recording, number, store, access, is_short=is_short)

    def described(
        self, recording: Recording, number: int, store: str, access: Sequence[str], *, is_short: bool = True
    ) -> DifferentSession:
        """A session whose last turn is the first one that differs, as short as it can be and still differ so."""
        if is_short:
            turns = self.last_turns(recording)
            key = turns and _difference_key(*turns)

            def differs(candidate: Recording) -> bool:
                shown = self.last_turns(candidate)
                return shown is not None and _difference_key(*shown) == key

            simpler = simplifier(self.simulation.generators)
            recording = shrink(recording, differs, begin=self.begin, simpler=simpler)
        turns = self.last_turns(recording)
        assert turns is not None
        menu = self.menus[1]
        moves = [actions if menu == self.menus[0] else on_menu(actions, menu) for actions in recording.turns]
        lines = tuple(format_actions(actions, menu) for actions in moves)
        session = Example(recording, lines, len(lines), shortest=is_short)
        before, after = _describe_differences(*turns)
        return DifferentSession(
            session=number,
            shortest=is_short,
            store=store,
            seed=recording.seed,
            at=format_timestamp(recording.begin),
            language=recording.language,
            lines=lines,
            before=before,
            after=after,
            command=replay_command(store, session, access),
            played=session,
            access=access,
        )

    def until_difference(self, recording: Recording) -> Recording | None:
        """A session up to the first turn that differs; None where none does, or one side does not allow a move."""
        try:
            before, after = (replay(recording, opener) for opener in self._openers)
        except ActionError:
            return None
        turn = _first_difference(before, after)
        return None if turn is None else replace(recording, turns=recording.turns[:turn])

    def last_turns(self, recording: Recording) -> tuple[Turn, Turn] | None:
        """The last turn of a session on both sides, where these are the first ones that differ."""
        if recording.turns and only_sets_state(recording.turns[0]):
            return None
        try:
            before, after = (replay(recording, opener) for opener in self._openers)
        except ActionError:
            return None
        if _first_difference(before, after) != len(recording.turns):
            return None
        return before.turns[-1], after.turns[-1]

    def difference(self, example: DifferentSession | None) -> SessionsDifference:
        """What the sessions came to, with the upsells of which the number of offers differs, sorted by name."""
        before, after = map(_offer_counts, self.sides)
        none = OfferCounts(0, 0, 0)
        upsells = [
            UpsellShares(name[0], before.get(name), after.get(name))
            for name in sorted({**before, **after})
            if before.get(name, none).offered != after.get(name, none).offered
        ]
        names = tuple(self.pair.names)
        return SessionsDifference(names, len(names), self.sessions, self.differing, upsells, example, causes=())


def _offer_counts(side: Search) -> dict[tuple[str, int], OfferCounts]:
    """The counts of the enabled upsells by name; of several of one name, by their order too."""
    found: dict[tuple[str, int], OfferCounts] = {}
    names: Counter[str] = Counter()
    in_sessions, in_turns = side.statistics.in_sessions, side.statistics.in_turns
    for place, upsell in enumerate(side.upsells):
        if not upsell.disabled:
            name = upsell_name(upsell)
            found[name, names[name]] = OfferCounts(
                in_sessions[place, "offered", None],
                in_turns[place, "accepted", None],
                in_turns[place, "declined", None],
            )
            names[name] += 1
    return found


class _MenuSession:
    """A session in which items are those of a menu by their names; what it lacks cannot be ordered."""

    def __init__(self, session: Session, menu: BrandMenu) -> None:
        self._session = session
        self._menu = menu
        self.welcome = session.welcome

    def turn(self, actions: Sequence[Action]) -> Turn:
        """Play a turn. Raises ActionError."""
        moves = on_menu(actions, self._menu)
        try:
            return self._session.turn(moves)
        except ActionError as error:
            refused = (action for action, move in zip(actions, moves, strict=True) if move is error.action)
            raise ActionError(next(refused, error.action), str(error)) from error


def on_menu(actions: Iterable[Action], menu: BrandMenu) -> tuple[Action, ...]:
    """Moves with the items that a menu has under the names of theirs. Raises ActionError where it has none."""
    return tuple(_on_menu(action, menu) if isinstance(action, Add) else action for action in actions)


def _on_menu(action: Add, menu: BrandMenu) -> Add:
    line = action.line_item
    try:
        item = menu.item(line.item.name)
        modifiers = tuple(menu.modifier(one.name, item, group=one.group) for one in line.modifiers)
    except NotOnMenuError as error:
        raise ActionError(action, str(error)) from error
    return Add(OrderLineItem(item, line.quantity, modifiers))


def _first_difference(before: PlayedSession, after: PlayedSession) -> int | None:
    """The first turn that customers tell apart; None where there is none."""
    for number, (first, second) in enumerate(zip(before.turns, after.turns, strict=False)):
        if not _is_same(first, second):
            return number
    shorter = min(len(before.turns), len(after.turns))
    return None if len(before.turns) == len(after.turns) else shorter


def _is_same(first: Turn, second: Turn) -> bool:
    """Whether the agent does the same in two turns: offers, texts, terms that it knows, and the order."""
    return all(part(first) == part(second) for part in (_offers, _said, _terms, _order))


def _difference_key(first: Turn, second: Turn) -> frozenset[Hashable]:
    """What two turns differ in: the upsells that only one of them offers, else the kind of the difference."""
    before, after = ({upsell_name(offer.upsell) for offer in turn.offers} for turn in (first, second))
    if before != after:
        return frozenset({(name, name in before) for name in before ^ after})
    return frozenset({"other" if _said(first) == _said(second) else "said"})


def _offers(turn: Turn) -> list[tuple[Hashable, ...]]:
    return [(upsell_name(offer.upsell), offer.kind, offer.items, offer.modifiers) for offer in turn.offers]


def _said(turn: Turn) -> list[tuple[str, str, str | None]]:
    """The texts that customers hear: instructions are for the agent alone."""
    return [(one.kind, one.text, one.language) for one in turn.utterances if one.kind != "instruction"]


def _terms(turn: Turn) -> list[tuple[Hashable, ...]]:
    return [(term.term, term.kind, tuple(line.item.name for line in term.targets)) for term in turn.mapped_terms]


def _order(turn: Turn) -> list[tuple[str, int, tuple[str, ...]]]:
    """The order after a turn, by names."""
    return [(line.item.name, line.quantity, tuple(modifier.name for modifier in line.modifiers)) for line in turn.order]


def _describe_differences(first: Turn, second: Turn) -> tuple[Sequence[str], Sequence[str]]:
    """What the agent does in two turns, each without what it does in both; all of it if only the order differs."""
    before, after = list(_describe(first, second)), list(_describe(second, first))
    if sorted(before) == sorted(after):
        return before or [NOTHING], after or [NOTHING]
    lost = [line for line in before if line not in after]
    gained = [line for line in after if line not in before]
    return lost or [NOTHING], gained or [NOTHING]


def _describe(turn: Turn, other: Turn) -> Iterator[str]:
    for offer in turn.offers:
        modifiers = f" with {', '.join(offer.modifiers)}" if offer.modifiers else ""
        verb = "suggests" if offer.kind == "suggestion" else "offers"
        yield f'{verb} "{upsell_name(offer.upsell)}": {", ".join(offer.items)}{modifiers}'
    wanted = {upsell_name(offer.upsell) for offer in other.offers}
    for skipped in turn.skipped:
        if upsell_name(skipped.upsell) in wanted:
            yield f'skips "{upsell_name(skipped.upsell)}": {skipped.reason}'
    yield from (f'says "{text}"' for _, text, _ in _said(turn))
    yield from (f'understands "{term.term}"' for term in turn.mapped_terms)
    if _order(turn) != _order(other):
        names = ", ".join(f"{quantity} {name}" for name, quantity, _ in _order(turn))
        yield f"has the order {names or 'empty'}"


def _merge_generators(first: Generators, second: Generators) -> Generators:
    """What the customers of two configurations can order, say and be; the same with both exchanged.

    Both sides have the same customers, with the same words and wishes, whichever side these come from.
    """
    if first == second:
        return first
    return Generators(
        items=_merge(first.items, second.items, lambda item: item.name),
        relevant_items=_merge(first.relevant_items, second.relevant_items, lambda item: item.name),
        focuses=_merge(first.focuses, second.focuses, repr),
        relevant_modifiers=first.relevant_modifiers | second.relevant_modifiers,
        quantities=tuple(sorted({*first.quantities, *second.quantities})),
        terms=_merge(first.terms, second.terms, repr),
        languages=_merge(first.languages, second.languages, repr),
        settings=_merge_settings(first.settings, second.settings),
        varies_start_time=first.varies_start_time or second.varies_start_time,
    )


def _merge(first: Sequence[Value], second: Sequence[Value], key: Callable[[Value], Hashable]) -> tuple[Value, ...]:
    """The values of two lists, each key once, in the order of their first positions."""
    found: dict[Hashable, tuple[int, str, Value]] = {}
    for position, value in (*enumerate(first), *enumerate(second)):
        entry = (position, repr(value), value)
        known = found.setdefault(key(value), entry)
        found[key(value)] = min(known, entry, key=lambda one: one[:2])
    return tuple(value for _, _, value in sorted(found.values(), key=lambda one: one[:2]))


def _merge_settings(first: Sequence[StateSetting], second: Sequence[StateSetting]) -> tuple[StateSetting, ...]:
    """The settings of both, with the values that either side tries."""
    values = [{setting.path: setting.values for setting in settings} for settings in (first, second)]
    paths = _merge(tuple(values[0]), tuple(values[1]), lambda path: path)
    return tuple(StateSetting(path, _merge(values[0].get(path, ()), values[1].get(path, ()), repr)) for path in paths)
