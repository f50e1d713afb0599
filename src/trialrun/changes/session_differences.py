"""Plays the sessions of the same customers on both sides of a store, and counts what each upsell loses and gains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import cached_property, partial
from typing import TYPE_CHECKING, cast

from trialrun.changes.customers import merge_generators
from trialrun.changes.played_results import OfferCounts, SessionExample, SessionsDifference, UpsellShares
from trialrun.changes.session_stores import StorePair
from trialrun.changes.turn_differences import (
    describe_differences,
    difference_key,
    first_difference,
    is_same,
    offers_differ,
)
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.anomaly import Example
from trialrun.runtime.channel_config.explore.runner import OpenSession, PlayedSession, Simulation, replay
from trialrun.runtime.channel_config.explore.search import Search
from trialrun.runtime.channel_config.explore.shrink import shrink, simplifier
from trialrun.runtime.channel_config.explore.simulated_customer import (
    DEFAULT_PROFILE,
    IndependentRng,
    Recording,
    only_sets_state,
)
from trialrun.runtime.channel_config.menu import BrandMenu, NotOnMenuError, OrderLineItem, brand_menu
from trialrun.runtime.channel_config.script import format_actions
from trialrun.runtime.channel_config.session.actions import Accept, Action, ActionError, Add, Decline
from trialrun.runtime.channel_config.session.turn import upsell_name

if TYPE_CHECKING:
    from trialrun.runtime.channel_config.session.session import Session
    from trialrun.runtime.channel_config.session.turn import Turn

TURNS = 8
"""Maximum number of turns of a session, as `explore` has it."""
SEED = 0
Both = tuple[PlayedSession, PlayedSession]


@dataclass(frozen=True)
class Visitors:
    """Whose sessions are played: how many, and from when on."""

    sessions: int
    begin: datetime


class PairedSearch:
    """The sessions of the same customers on both sides of a store; nothing in it depends on the machine."""

    def __init__(self, pair: StorePair, visitors: Visitors) -> None:
        self.pair, self.visitors = pair, visitors
        self.menus = tuple(
            brand_menu(store.brand, catalog, store.store)
            for store, catalog in zip(pair.stores, pair.catalogs, strict=True)
        )
        self.sides = tuple(
            Search(config, menu, catalog.schema_for, begin=visitors.begin, seed=SEED, turns=TURNS)
            for config, menu, catalog in zip(pair.configs, self.menus, pair.catalogs, strict=True)
        )
        vocabulary = merge_generators(*(side.simulation.generators for side in self.sides))
        self.simulation = Simulation(vocabulary, DEFAULT_PROFILE, visitors.begin, TURNS, SEED, IndependentRng)
        self.sessions = self.differing = 0
        self._counts = tuple(map(_OfferCounter, self.sides))
        self._first: tuple[int, Recording, Recording] | None = None
        self._first_of_offers: tuple[int, Recording, Recording] | None = None

    def play(self) -> Iterator[int]:
        """Play the sessions; how many were played on each side, after each."""
        openers = self._openers
        for number in range(self.visitors.sessions):
            before = self.simulation.play(number, openers[0])
            sessions = before, self._play_after(before, number, openers[1])
            self._compare(number, sessions)
            for session, counts in zip(sessions, self._counts, strict=True):
                counts.add(session)
            self.sessions += 1
            yield number + 1

    def _play_after(self, before: PlayedSession, number: int, open_session: OpenSession) -> PlayedSession:
        """The session of HEAD; as long as nothing differs, its customer does what that of BASE did."""
        if self._can_follow:
            with suppress(ActionError):
                return self.simulation.play_beside(before, number, open_session, is_same)
        return self.simulation.play(number, open_session)

    @cached_property
    def _can_follow(self) -> bool:
        """Whether both sides allow the same moves: of one menu, and of session types that are the same."""
        schemas = [[schema.node for schema in catalog.schemas] for catalog in self.pair.catalogs]
        return bool(self.menus[0] == self.menus[1] and schemas[0] == schemas[1])

    @cached_property
    def _openers(self) -> tuple[OpenSession, OpenSession]:
        first, second = (side.open_session for side in self.sides)
        if self.menus[0] == self.menus[1]:
            return first, second
        return _by_menu(first, self.menus[0]), _by_menu(second, self.menus[1])

    def _compare(self, number: int, sessions: Both) -> None:
        turn = first_difference(*sessions)
        if turn is None:
            return
        self.differing += 1
        if self._first and self._first_of_offers:
            return
        first, second = (replace(one.recording, turns=one.recording.turns[:turn]) for one in sessions)
        self._first = self._first or (number, first, second)
        if turn < min(len(one.turns) for one in sessions) and offers_differ(*(one.turns[turn] for one in sessions)):
            self._first_of_offers = self._first_of_offers or (number, first, second)

    def example(self, store: str, access: Sequence[str], *, is_short: bool = True) -> SessionExample | None:
        """The first session that differs, in offers if any does, as short as it can be and still differ so."""
        found = self._first_of_offers or self._first
        if found is None:
            return None
        number, *recordings = found
        recording = next((one for one in recordings if self._last_turns(one)), None)
        if recording is None:
            return None
        if is_short:
            recording = self._shrink(recording)
        turns = self._last_turns(recording)
        assert turns is not None
        lines = tuple(format_actions(actions, self.menus[1]) for actions in recording.turns)
        session = Example(recording, lines, len(lines), shortest=is_short)
        return SessionExample(number, store, session, *describe_differences(*turns), access)

    def _shrink(self, recording: Recording) -> Recording:
        turns = self._last_turns(recording)
        key = turns and difference_key(*turns)

        def differs(candidate: Recording) -> bool:
            shown = self._last_turns(candidate)
            return shown is not None and difference_key(*shown) == key

        simpler = simplifier(self.simulation.generators)
        return shrink(recording, differs, begin=self.visitors.begin, simpler=simpler)

    def _last_turns(self, recording: Recording) -> tuple[Turn, Turn] | None:
        """The last turn of a session on both sides, where these are the first ones that differ."""
        if recording.turns and only_sets_state(recording.turns[0]):
            return None
        try:
            before, after = (replay(recording, opener) for opener in self._openers)
        except ActionError:
            return None
        if first_difference(before, after) != len(recording.turns):
            return None
        return before.turns[-1], after.turns[-1]

    def upsells(self) -> Iterator[UpsellShares]:
        """The counts of every enabled upsell, sorted by name."""
        before, after = (counts.by_upsell() for counts in self._counts)
        for name in sorted({**before, **after}):
            yield UpsellShares(name[0], before.get(name), after.get(name))

    def difference(self, example: SessionExample | None) -> SessionsDifference:
        """What the sessions came to, with the upsells of which the number of offers differs."""
        upsells = [one for one in self.upsells() if one.differs]
        return SessionsDifference(tuple(self.pair.names), self.sessions, self.differing, upsells, example)


class _OfferCounter:
    """Counts the sessions of a side in which each upsell was offered, accepted and declined."""

    def __init__(self, side: Search) -> None:
        self._upsells = side.upsells
        self._counts = {id(upsell): [0, 0, 0] for upsell in side.upsells}

    def add(self, session: PlayedSession) -> None:
        """Count a session; an offer is answered in the turn after it."""
        offered: dict[int, None] = {}
        for number, turn in enumerate(session.turns):
            if not turn.offers:
                continue
            offered.update((id(offer.upsell), None) for offer in turn.offers)
            open_offers = [offer for offer in turn.offers if offer.kind != "suggestion"]
            if open_offers and number < len(session.recording.turns):
                counts = self._counts[id(open_offers[-1].upsell)]
                actions = session.recording.turns[number]
                counts[1] += any(isinstance(action, Accept) for action in actions)
                counts[2] += any(isinstance(action, Decline) for action in actions)
        for upsell in offered:
            self._counts[upsell][0] += 1

    def by_upsell(self) -> dict[tuple[str, int], OfferCounts]:
        """The counts of the enabled upsells by name; of several of one name, by their order too."""
        counts: dict[tuple[str, int], OfferCounts] = {}
        names: Counter[str] = Counter()
        for upsell in self._upsells:
            if not upsell.disabled:
                name = upsell_name(upsell)
                counts[name, names[name]] = OfferCounts(*self._counts[id(upsell)])
                names[name] += 1
        return counts


def _by_menu(open_session: OpenSession, menu: BrandMenu) -> OpenSession:
    """Sessions of customers who order by name, where the sides have other menus."""
    return lambda recording: cast("Session", _MenuSession(open_session(recording), menu))


class _MenuSession:
    """A session in which items are those of a menu by their names; what it lacks cannot be ordered."""

    def __init__(self, session: Session, menu: BrandMenu) -> None:
        self._session = session
        self._menu = menu
        self.welcome = session.welcome

    def turn(self, actions: Sequence[Action]) -> Turn:
        """Play a turn. Raises ActionError."""
        return self._session.turn(tuple(map(partial(_on_menu, self._menu), actions)))


def _on_menu(menu: BrandMenu, action: Action) -> Action:
    if not isinstance(action, Add):
        return action
    line = action.line_item
    try:
        item = menu.item(line.item.name)
        modifiers = tuple(menu.modifier(one.name, item, group=one.group) for one in line.modifiers)
    except NotOnMenuError as error:
        raise ActionError(action, str(error)) from error
    return Add(OrderLineItem(item, line.quantity, modifiers))
