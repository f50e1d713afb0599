"""The search: many sessions, what is surprising in them, and the shortest sessions that show it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.channel_config.explore.anomaly import Kept
from trialrun.runtime.channel_config.explore.checks import Key, sightings
from trialrun.runtime.channel_config.explore.condition import checked
from trialrun.runtime.channel_config.explore.generators import Setting, vocabulary
from trialrun.runtime.channel_config.explore.profile import DEFAULTS, Habits
from trialrun.runtime.channel_config.explore.recording import Visit, is_silent
from trialrun.runtime.channel_config.explore.runner import Cast, Played, again
from trialrun.runtime.channel_config.explore.shrink import shrink
from trialrun.runtime.channel_config.explore.smaller_moves import simpler_in
from trialrun.runtime.channel_config.explore.static_analysis import Selling
from trialrun.runtime.channel_config.explore.statistics import OfUpsell, Tally
from trialrun.runtime.channel_config.explore.unreached import kept, nearest
from trialrun.runtime.channel_config.session.actions import CannotMove, SetState
from trialrun.runtime.channel_config.session.condition_items import Named, named
from trialrun.runtime.channel_config.session.session import Session

if TYPE_CHECKING:
    from trialrun.model.channel_config import UpsellConfig
    from trialrun.runtime.channel_config.active_config import InForce
    from trialrun.runtime.channel_config.menu import MenuOfBrand
    from trialrun.runtime.channel_config.session.turn import Turn
    from trialrun.values.cel import Schema

MOST_WORDS = 100
"""What differs is told by examples; so many of them are kept at most."""
MOST_ERRORS = 5
"""The errors of one condition that are told apart."""


@dataclass(slots=True)
class Seen:
    """In how many sessions something was seen, what differed, and the shortest of these sessions."""

    visit: Visit
    turn: int
    sessions: int = 0
    words: dict[tuple[str, ...], None] = field(default_factory=dict)
    short: bool = False


class Search:
    """A search at a store, whose sessions are of one effective configuration; nothing in it depends on the machine."""

    def __init__(
        self,
        in_force: InForce,
        menu: MenuOfBrand,
        types: Callable[[str], Schema],
        *,
        begin: datetime,
        seed: int = 0,
        turns: int = 8,
        habits: Habits = DEFAULTS,
        languages: Sequence[str] = (),
    ) -> None:
        self.in_force, self.menu, self.types = in_force, menu, types
        words = vocabulary(in_force, menu, types, languages)
        self.cast = Cast(words, habits, begin, turns, seed)
        self.cast = replace(self.cast, vocabulary=replace(words, settings=tuple(self._taken(words.settings))))
        strategy = in_force.upsell_strategy
        self.upsells: tuple[UpsellConfig, ...] = tuple((strategy and strategy.upsells) or ())
        places = {id(upsell): place for place, upsell in enumerate(self.upsells)}
        self.tally = Tally(places, [OfUpsell() for _ in self.upsells])
        self.seen: dict[Key, Seen] = {}
        self.nearest: dict[int, Seen] = {}

    @cached_property
    def _about(self) -> Mapping[int, Named]:
        found = ((place, checked(upsell, self.in_force, self.types)) for place, upsell in enumerate(self.upsells))
        return {place: named(one.tree) for place, one in found if one and one.tree}

    def play(self, sessions: int) -> Iterator[int]:
        """Play so many sessions; how many were played, after each."""
        for number in range(sessions):
            played = self.cast.session(number, self.opened)
            self.tally.count(played)
            self._see(played)
            yield number + 1

    def opened(self, visit: Visit) -> Session:
        """The session of a visit, of which nothing was played yet."""
        return Session(
            self.in_force,
            self.menu,
            types=self.types,
            seed=visit.seed,
            begin=visit.begin,
            language=visit.language,
        )

    def certainly(self, upsell: UpsellConfig) -> str | None:
        """Why no session can offer an enabled upsell; None where one may."""
        never = self._selling.never(upsell) if self._selling else None
        return never.words if never else None

    @cached_property
    def _selling(self) -> Selling | None:
        return Selling.at(self.in_force, self._constant)

    def _constant(self, upsell: UpsellConfig) -> bool | None:
        found = checked(upsell, self.in_force, self.types)
        return found.constant if found else None

    def is_constant(self, upsell: UpsellConfig) -> bool:
        """Whether the condition of an upsell has one value, whatever the session."""
        return self._constant(upsell) is not None

    def _taken(self, settings: Sequence[Setting]) -> Iterator[Setting]:
        """The settings with the values that sessions take; the types may have no such value."""
        for setting in settings:
            values = tuple(value for value in setting.values if self._takes(SetState(setting.path, value)))
            if len(values) > 1:
                yield Setting(setting.path, values)

    def _takes(self, move: SetState) -> bool:
        try:
            self.opened(Visit(0, self.cast.begin, None, ())).turn((move,))
        except CannotMove:
            return False
        return True

    def _see(self, played: Played) -> None:
        counted: set[Key] = set()
        for sighting in sightings(played, self.tally.places, self._about):
            key = sighting.key
            if key not in self.seen and self._is_beyond(key):
                continue
            seen = self.seen.setdefault(key, Seen(played.visit, sighting.turn))
            if len(seen.words) < MOST_WORDS:
                seen.words[sighting.words] = None
            if key in counted:
                continue
            counted.add(key)
            seen.sessions += 1
            if (sighting.turn, played.visit.moves) < (seen.turn, seen.visit.moves):
                seen.visit, seen.turn = played.visit, sighting.turn

    def _is_beyond(self, key: Key) -> bool:
        return key[0] == "condition-error" and sum(one[:2] == key[:2] for one in self.seen) >= MOST_ERRORS

    @cached_property
    def missed(self) -> Mapping[int, Kept]:
        """What kept each upsell back when all else was fulfilled that was not offered in any session, but may be."""
        counted = enumerate(zip(self.upsells, self.tally.upsells, strict=True))
        never = [place for place, (upsell, counts) in counted if not counts.offered and not upsell.disabled]
        reasons = {
            place: nearest(kept(self.tally.upsells[place]))
            for place in never
            if not self.certainly(self.upsells[place])
        }
        return {place: reason for place, reason in reasons.items() if reason}

    def shorten(self) -> Iterator[int]:
        """Make the sessions short that show something, or how near something came; how many are, after each.

        It can be left at any time; `nearest` then lacks sessions that were not made short yet.
        """
        for done, (key, seen) in enumerate(self.seen.items(), start=1):
            self._shorten(seen, lambda played, key=key: self._turn_of(key, played))  # type: ignore[misc]
            yield done
        for done, (place, reason) in enumerate(self.missed.items(), start=len(self.seen) + 1):
            self._come_near(place, reason)
            yield done

    def _come_near(self, place: int, reason: Kept) -> None:
        """Find the shortest session in which a reason kept an upsell back, made of the first one."""

        def turn_of(played: Played) -> int | None:
            return next((turn.number for turn in played.turns if _is_kept_back(upsell, turn, reason)), None)

        upsell = self.upsells[place]
        played = self.cast.session(self.tally.first[place, reason.code], self.opened)
        turn = turn_of(played)
        if turn is not None:
            seen = Seen(played.visit, turn)
            self._shorten(seen, turn_of)
            self.nearest[place] = seen

    def _shorten(self, seen: Seen, turn_of: Callable[[Played], int | None]) -> None:
        def shown(visit: Visit) -> int | None:
            if visit.turns and is_silent(visit.turns[0]):
                return None
            try:
                return turn_of(again(visit, self.opened))
            except CannotMove:
                return None

        simpler = simpler_in(self.cast.vocabulary)
        cut = replace(seen.visit, turns=seen.visit.turns[: seen.turn])
        visit = shrink(cut, lambda one: shown(one) is not None, begin=self.cast.begin, simpler=simpler)
        turn = shown(visit)
        if turn is not None:
            seen.visit, seen.turn, seen.short = visit, turn, True

    def _turn_of(self, key: Key, played: Played) -> int | None:
        return next((one.turn for one in sightings(played, self.tally.places, self._about) if one.key == key), None)


def _is_kept_back(upsell: UpsellConfig, turn: Turn, reason: Kept) -> bool:
    return any(one.upsell is upsell and one.reason.code == reason.code for one in turn.passed_over)
